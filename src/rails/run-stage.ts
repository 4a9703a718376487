import type { Entry, StageOutcome } from "../turn/decision.js";
import { REWRITTEN } from "./rail-decision.js";
import { runGroup } from "./run-group.js";
import { selectRails } from "./plan.js";
import { OutcomeCollector, withMarkers, withoutNotes } from "./stage-outcome.js";
import type { StageRequest } from "./rail-dialect.js";
import type { RailServices } from "./services.js";
import { type ExtraText, joinLines, splitOff } from "../turn/extra-text.js";
import type { Turn } from "../turn/turn.js";

/**
 * Runs the rails of a stage over the context: those that may change the text in their order, those that only judge
 * side by side, unless `parallel` says otherwise. Input rails see every user text that was not answered yet.
 */
export async function runRailsOfStage(services: RailServices, request: StageRequest): Promise<StageOutcome> {
  const rails = selectRails(services, request.turn.options, request.stage);
  if (request.stage === "input") request.turn.readsExtras = true;
  if (rails.length === 0) return { blocked: false, entries: [] };
  const startedAt = request.turn.now();
  try {
    if (request.stage === "input") return await runOverUserTexts(services, request, rails);
    const before = request.stage === "output" ? await runOverReasoning(services, request, rails) : undefined;
    return withMarkers(services, request.stage, before ?? (await runOver(services, request, rails)));
  } finally {
    request.turn.spent[request.stage] += request.turn.now() - startedAt;
  }
}

/**
 * Reviews the reasoning of the model before its text. INVARIANT: both reviews start from the same variables: notes
 * about the reasoning decide nothing about the answer.
 *
 * @returns the outcome of the stage where it is known by that
 */
async function runOverReasoning(
  services: RailServices,
  request: StageRequest,
  rails: readonly string[],
): Promise<StageOutcome | undefined> {
  const { turn, context } = request;
  const { reasoning } = turn;
  if (reasoning === undefined) return undefined;
  if (reasoning.reviewed === undefined && turn.answerReview?.finishReasoning() !== true) {
    const shown = { ...context, [REWRITTEN.output]: reasoning.text };
    const outcome = await runOver(services, { ...request, context: shown, about: "reasoning" }, rails);
    if (outcome.blocked) return withoutNotes(outcome);
    const rewritten = outcome.contextUpdates?.[REWRITTEN.output];
    reasoning.reviewed = typeof rewritten === "string" ? rewritten : reasoning.text;
  }
  // A message that only asks for tools may have reasoning and no text.
  return context[REWRITTEN.output] === "" ? { blocked: false, entries: [] } : undefined;
}

/** The earlier texts first, each in its turn; what rails note about one is known to those of the next. */
async function runOverUserTexts(
  services: RailServices,
  request: StageRequest,
  rails: readonly string[],
): Promise<StageOutcome> {
  const { userTexts } = request.turn;
  const last = Math.max(0, userTexts.length - 1);
  const entries: Entry[] = [];
  const updates: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const rewrites = services.railPlans.of("input", rails).some((group) => group.rewrites);
  if (!rewrites) request.onFinalText?.(request.context);
  const checkAll = services.config.settings.security.check_all_user_messages;
  for (let index = checkAll ? 0 : last; index <= last; index += 1) {
    const text = index === last ? request.context["user_message"] : userTexts[index];
    const reading = ExtraTextReading.of(request.turn, index, text);
    const context = { ...request.context, ...updates, user_message: text, ...reading?.shown };
    const onFinalText = rewrites && index === last ? finalText(request, reading) : undefined;
    const outcome = await runOver(services, { ...request, context, onFinalText }, rails);
    entries.push(...outcome.entries);
    const { contextUpdates: changes = {} } = outcome;
    Object.assign(updates, reading?.apart(changes) ?? changes);
    reading?.note(changes["user_message"], outcome.blocked);
    if (outcome.blocked) {
      return withMarkers(services, "input", { ...outcome, contextUpdates: updates, entries, textAt: index });
    }
    const rewritten = updates["user_message"];
    if (typeof rewritten === "string" && index < userTexts.length) userTexts[index] = rewritten;
    // The rewritten form of an earlier text is not the text of this turn.
    if (index < last) delete updates["user_message"];
  }
  const contextUpdates = Object.keys(updates).length === 0 ? {} : { contextUpdates: updates };
  return withMarkers(services, "input", { blocked: false, entries, ...contextUpdates });
}

/** The hook for the final text, which passes the text without its extra lines. */
function finalText(request: StageRequest, reading: ExtraTextReading | undefined): StageRequest["onFinalText"] {
  const { onFinalText } = request;
  if (onFinalText === undefined || reading === undefined) return onFinalText;
  return (context) => onFinalText(reading.apart(context));
}

/** Runs the given rails of a stage, without its markers. */
export async function runOver(
  services: RailServices,
  request: StageRequest,
  rails: readonly string[],
): Promise<StageOutcome> {
  const collected = new OutcomeCollector(services, request);
  const groups = services.railPlans.of(request.stage, rails);
  const lastRewriting = groups.findLastIndex((group) => group.rewrites);
  for (const [index, group] of groups.entries()) {
    if (index > 0 && index === lastRewriting + 1) request.onFinalText?.(collected.context);
    const outcomes = await runGroup(services, { ...request, context: collected.context }, group);
    // Rewrites in order have no winner to warn of.
    const isWarned = group.isRace && group.rewritesInOrder !== true;
    for (const outcome of outcomes) collected.add(outcome, isWarned ? request.turn : undefined);
    const last = outcomes.at(-1);
    if (last?.blocked) return collected.blockedBy(last);
  }
  return collected.passed();
}

type Variables = Readonly<Record<string, unknown>>;

/**
 * One text of the user while input rails read it together with its extra lines. INVARIANT: everything after the input
 * rails sees the text alone.
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

  /** The reading of a text; undefined for a text without extra lines. */
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

  /** The variables, or the changes of them, with the text and its lines apart again. */
  apart(variables: Variables): Variables {
    const { user_message: joined, last_user_message: last, ...rest } = variables;
    const { main, others } = this.#split(joined);
    this.#turn.extras = new Map(this.#turn.extras).set(this.#index, { ...this.#lines, text: others });
    const taken = others === this.#lines.text ? {} : this.#lines.take(others).variables;
    const spoken = joined === undefined ? {} : { user_message: main };
    return { ...rest, ...spoken, ...(last === undefined ? {} : { last_user_message: main }), ...taken };
  }

  /** Notes for the end of the turn which texts must not stay anywhere. */
  note(joined: unknown, isBlocked: boolean): void {
    const turn = this.#turn;
    const { main, others } = this.#split(joined);
    turn.review("input", this.#text, main);
    if (isBlocked) for (const text of this.#lines.quoted()) turn.reviewed.input.push(text);
    if (others !== this.#lines.text) turn.hidden.push(...this.#lines.take(others).hidden);
  }

  #split(joined: unknown): { readonly main: string; readonly others: string } {
    const { text } = this.#lines;
    return typeof joined === "string" ? splitOff(this.#text, text, joined) : { main: this.#text, others: text };
  }
}
