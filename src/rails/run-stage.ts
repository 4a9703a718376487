import type { Entry, StageOutcome } from "../turn/decision.js";
import { REWRITTEN } from "./rail-decision.js";
import { runGroup } from "./run-group.js";
import { selectRails } from "./plan.js";
import { OutcomeCollector, outcomeOf, withMarkers, withoutNotes } from "./stage-outcome.js";
import type { StageRequest } from "./rail-dialect.js";
import type { RailServices } from "./services.js";
import { ShadowRails } from "./run-shadow.js";
import { type ExtraText, joinLines, splitOff } from "../turn/extra-text.js";
import type { Turn } from "../turn/turn.js";
import { andThen, isPromise, type MaybePromise } from "../engine/async.js";
import { isEmpty, withVariables } from "../engine/plain-data.js";

/**
 * Runs the rails of a stage over the context: those that may change the text in order, those that only judge
 * concurrently, unless `parallel` says otherwise. Input rails see every unanswered user text.
 */
export function runRailsOfStage(services: RailServices, request: StageRequest): MaybePromise<StageOutcome> {
  const { turn, stage } = request;
  const rails = selectRails(services, turn.options, stage);
  if (stage === "input") turn.readsExtras = true;
  if (rails.length === 0) return { blocked: false, entries: [] };
  const startedAt = turn.now();
  const spend = (): void => {
    turn.spent[stage] += turn.now() - startedAt;
  };
  let running: MaybePromise<StageOutcome>;
  try {
    running = stage === "input" ? runOverUserTexts(services, request, rails) : runOverText(services, request, rails);
  } catch (error) {
    spend();
    throw error;
  }
  if (!isPromise(running)) {
    spend();
    return running;
  }
  return running.then(
    (outcome) => {
      spend();
      return outcome;
    },
    (error: unknown) => {
      spend();
      throw error;
    },
  );
}

function runOverText(
  services: RailServices,
  request: StageRequest,
  rails: readonly string[],
): MaybePromise<StageOutcome> {
  const before = request.stage === "output" ? runOverReasoning(services, request, rails) : undefined;
  return andThen(before, (known) =>
    andThen(known ?? runOver(services, request, rails), (outcome) => withMarkers(services, request.stage, outcome)),
  );
}

/**
 * Reviews the model's reasoning before its text. INVARIANT: both reviews start from the same variables, so notes about
 * the reasoning do not affect the response.
 *
 * @returns the outcome of the stage if the reasoning decides it
 */
function runOverReasoning(
  services: RailServices,
  request: StageRequest,
  rails: readonly string[],
): MaybePromise<StageOutcome | undefined> {
  const { reasoning } = request.turn;
  return reasoning === undefined ? undefined : reviewReasoning(services, request, rails, reasoning);
}

async function reviewReasoning(
  services: RailServices,
  request: StageRequest,
  rails: readonly string[],
  reasoning: NonNullable<Turn["reasoning"]>,
): Promise<StageOutcome | undefined> {
  const { turn, context } = request;
  if (reasoning.reviewed === undefined && turn.responseReview?.finishReasoning() !== true) {
    const shown = { ...context, [REWRITTEN.output]: reasoning.text };
    const outcome = await runOver(services, { ...request, context: shown, about: "reasoning" }, rails);
    if (outcome.blocked) return withoutNotes(outcome);
    const rewritten = outcome.contextUpdates?.[REWRITTEN.output];
    reasoning.reviewed = typeof rewritten === "string" ? rewritten : reasoning.text;
  }
  // A message with only tool calls may have reasoning but no text.
  return context[REWRITTEN.output] === "" ? { blocked: false, entries: [] } : undefined;
}

/** Runs over earlier texts first, one by one; notes of rails about one are visible to those of the next. */
function runOverUserTexts(
  services: RailServices,
  request: StageRequest,
  rails: readonly string[],
): MaybePromise<StageOutcome> {
  const { turn } = request;
  const { userTexts } = turn;
  const last = Math.max(0, userTexts.length - 1);
  const entries: Entry[] = [];
  const readings: (ExtraTextReading | undefined)[] = [];
  let updates: Record<string, unknown> = {};
  const rewrites = services.railPlans.of("input", rails).some((group) => group.rewrites);
  if (!rewrites) request.onFinalText?.(request.context);
  const run = (index: number): MaybePromise<StageOutcome> => {
    const text = index === last ? request.context["user_message"] : userTexts[index];
    const reading = (readings[index] = ExtraTextReading.of(turn, index, text));
    const before = isEmpty(updates) ? request.context : withVariables(request.context, updates);
    const context = withShown(before, reading === undefined ? { user_message: text } : reading.shown);
    const onFinalText = rewrites && index === last ? finalText(request, reading) : undefined;
    return runOver(services, withParts(request, context, onFinalText), rails);
  };
  /** Applies the outcome for one text; returns that of the stage once it is decided. */
  const take = (index: number, outcome: StageOutcome): StageOutcome | undefined => {
    const reading = readings[index];
    entries.push(...outcome.entries);
    const { contextUpdates: changes = {} } = outcome;
    const textChanges = reading?.apart(changes) ?? changes;
    updates = isEmpty(updates) ? { ...textChanges } : withVariables(updates, textChanges);
    reading?.note(changes["user_message"], outcome.blocked);
    if (outcome.blocked) {
      return withMarkers(services, "input", { ...outcome, contextUpdates: updates, entries, textAt: index });
    }
    const rewritten = updates["user_message"];
    if (typeof rewritten === "string" && index < userTexts.length) userTexts[index] = rewritten;
    if (index === last) {
      return withMarkers(services, "input", outcomeOf(false, entries, isEmpty(updates) ? undefined : updates));
    }
    // The rewritten form of an earlier text is not the text of this turn.
    delete updates["user_message"];
    return undefined;
  };
  const runFrom = (first: number): MaybePromise<StageOutcome> => {
    for (let index = first; ; index += 1) {
      const outcome = run(index);
      if (isPromise(outcome)) return outcome.then((railOutcome) => take(index, railOutcome) ?? runFrom(index + 1));
      const end = take(index, outcome);
      if (end !== undefined) return end;
    }
  };
  return runFrom(services.config.settings.security.check_all_user_messages ? 0 : last);
}

/** Returns the variables including those shown to rails; usually the same object. */
function withShown(variables: Variables, shown: Variables): Variables {
  const isShown = Object.keys(shown).every((name) => Object.hasOwn(variables, name) && variables[name] === shown[name]);
  return isShown ? variables : withVariables(variables, shown);
}

/** Returns the request with other parts; the same object if they are equal. */
function withParts(request: StageRequest, context: Variables, onFinalText: StageRequest["onFinalText"]): StageRequest {
  if (context === request.context && onFinalText === request.onFinalText) return request;
  return { ...request, context, onFinalText };
}

/** The hook for the final text, which receives the text without its extra lines. */
function finalText(request: StageRequest, reading: ExtraTextReading | undefined): StageRequest["onFinalText"] {
  const { onFinalText } = request;
  if (onFinalText === undefined || reading === undefined) return onFinalText;
  return (context) => onFinalText(reading.apart(context));
}

/**
 * Runs the rails of a stage, or completes it for a response reviewed in parts. Shadow rails then check the whole response,
 * so no part waits for them, and only a response that was not blocked.
 *
 * @param known - outcome of the review in parts
 */
export function finishStage(
  services: RailServices,
  request: StageRequest,
  known: StageOutcome | undefined,
): MaybePromise<StageOutcome> {
  if (known === undefined) return runRailsOfStage(services, request);
  const { turn, stage } = request;
  if (known.blocked) return known;
  const shadows = services.railPlans.shadowsOf(stage, selectRails(services, turn.options, stage));
  if (shadows.length === 0) return known;
  const shadow = new ShadowRails(services, turn, shadows);
  shadow.start({ ...request, context: withVariables(request.context, known.contextUpdates ?? {}) });
  return shadow.after(() => known);
}

/** Runs the given rails of a stage, without its markers. */
export function runOver(
  services: RailServices,
  request: StageRequest,
  rails: readonly string[],
): MaybePromise<StageOutcome> {
  const shadows = services.railPlans.shadowsOf(request.stage, rails);
  // Shadow rails check the response, not its reasoning.
  if (shadows.length === 0 || request.about !== undefined) return runVerdicts(services, request, rails, undefined);
  const shadow = new ShadowRails(services, request.turn, shadows);
  return shadow.after(() => runVerdicts(services, request, rails, shadow));
}

function runVerdicts(
  services: RailServices,
  request: StageRequest,
  rails: readonly string[],
  shadow: ShadowRails | undefined,
): MaybePromise<StageOutcome> {
  const collected = new OutcomeCollector(services, request);
  const groups = services.railPlans.of(request.stage, rails);
  const lastRewriting = groups.findLastIndex((group) => group.rewrites);
  const runFrom = (index: number): MaybePromise<StageOutcome> => {
    const group = groups[index];
    if (index === lastRewriting + 1) shadow?.start({ ...request, context: collected.context });
    if (group === undefined) return collected.passed();
    const { context } = collected;
    if (index > 0 && index === lastRewriting + 1) request.onFinalText?.(context);
    return andThen(runGroup(services, withParts(request, context, request.onFinalText), group), (outcomes) => {
      // Rewrites in order have no winner to warn about.
      const isWarned = group.isRace && group.rewritesInOrder !== true;
      for (const outcome of outcomes) collected.add(outcome, isWarned ? request.turn : undefined);
      const last = outcomes.at(-1);
      return last?.blocked === true ? collected.blockedBy(last) : runFrom(index + 1);
    });
  };
  return runFrom(0);
}

type Variables = Readonly<Record<string, unknown>>;

/**
 * A user text that input rails read together with its extra lines. INVARIANT: everything after the input rails sees
 * only the text.
 */
class ExtraTextReading {
  readonly #turn: Turn;
  readonly #index: number;
  readonly #text: string;
  readonly #lines: ExtraText;

  constructor(turn: Turn, index: number, text: string, lines: ExtraText) {
    this.#turn = turn;
    this.#index = index;
    this.#text = text;
    this.#lines = lines;
  }

  /** Returns the reading of a text; undefined without extra lines. */
  static of(turn: Turn, index: number, text: unknown): ExtraTextReading | undefined {
    const lines = turn.extras.get(index);
    return lines === undefined
      ? undefined
      : new ExtraTextReading(turn, index, typeof text === "string" ? text : "", lines);
  }

  /** Variables as the rails see them. */
  get shown(): Variables {
    const text = joinLines(this.#text, this.#lines.text);
    return { user_message: text, last_user_message: text };
  }

  /** Separates the text and its lines in the variables or their changes. */
  apart(variables: Variables): Variables {
    const { user_message: joined, last_user_message: last, ...rest } = variables;
    const { main, others } = this.#split(joined);
    this.#turn.extras = new Map(this.#turn.extras).set(this.#index, { ...this.#lines, text: others });
    const taken = others === this.#lines.text ? {} : this.#lines.take(others).variables;
    const spoken = joined === undefined ? {} : { user_message: main };
    return { ...rest, ...spoken, ...(last === undefined ? {} : { last_user_message: main }), ...taken };
  }

  /** Records the texts that must not remain anywhere after the turn. */
  note(joined: unknown, isBlocked: boolean): void {
    const turn = this.#turn;
    const { main, others } = this.#split(joined);
    turn.recordReview("input", this.#text, main);
    if (isBlocked) for (const text of this.#lines.quoted()) turn.reviewed.input.push(text);
    if (others !== this.#lines.text) turn.hidden.push(...this.#lines.take(others).hidden);
  }

  #split(joined: unknown): { readonly main: string; readonly others: string } {
    const { text } = this.#lines;
    return typeof joined === "string" ? splitOff(this.#text, text, joined) : { main: this.#text, others: text };
  }
}
