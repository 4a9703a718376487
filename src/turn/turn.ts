import { belongsToOneStage } from "../engine/context-variables.js";
import { type ExtraTexts, NO_EXTRAS, withExtras } from "./extra-text.js";
import type { HiddenText } from "./redactor.js";
import { writeOwn } from "../engine/plain-data.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import { LimitError } from "../diagnostics/errors.js";
import type { Clock, GuardrailsEvent } from "../engine/events.js";
import {
  type CallTotals,
  type EngineLimits,
  exhausted,
  newTotals,
  type RailBudget,
  type TurnCounts,
} from "../engine/limits.js";
import type { TraceEvent } from "../engine/explain.js";
import type { CallSpan, CallTracer } from "../engine/span.js";
import type { LlmCallRecord } from "../llm/task/call-model.js";
import { Cancellation } from "../engine/async.js";
import type { ImageBlock, ImageSlot } from "../actions/image-slot.js";
import type { PseudonymSlot, PseudonymTable } from "../actions/pseudonym-table.js";
import { type RailDecision, RAILS_STAGES, type RailsStage, type StageOutcome } from "./decision.js";
import type { GeneratedAnswer, TurnOptions } from "./options.js";
import { ActivityLog } from "./activity-log.js";
import type { TurnProblem } from "./result.js";
import type { Answering } from "./answer.js";

/** The part-by-part review of an answer that streams. */
export interface ReviewedAnswer {
  /** Takes over the reviewed reasoning of the turn; false if the review has not seen all of it. */
  finishReasoning(): boolean;
  /** Outcome of the output rails for the complete text, if they have seen it part by part. */
  outcomeFor(text: unknown): StageOutcome | undefined;
}

export interface TurnInit {
  readonly options: TurnOptions;
  readonly limits: EngineLimits;
  readonly clock: Clock;
  readonly userTexts?: readonly string[];
  readonly instructions?: readonly string[];
  readonly onDecision?: ((decision: RailDecision) => void) | undefined;
  /** Traces the call; its parts belong to the same trace. */
  readonly tracer?: CallTracer | undefined;
}

const NO_IMAGES: readonly ImageBlock[] = [];

/**
 * Everything that is counted and collected while one call runs, across the main run and the nested runs of its rails. A
 * call with several stages has a part for each of them; the parts share limits, variables and cancellation.
 *
 * INVARIANT: a turn belongs to one call; two calls never share one.
 */
export class Turn implements PseudonymSlot, ImageSlot {
  readonly options: TurnOptions;
  readonly limits: EngineLimits;
  readonly startedAt: number;
  /** Follows the caller's signal until the turn is closed. */
  readonly cancellation: Cancellation;
  readonly decisions: RailDecision[] = [];
  readonly llmCalls: LlmCallRecord[] = [];
  /** Kept only when the caller asked for it. */
  readonly activity: ActivityLog | undefined;
  readonly problems: TurnProblem[] = [];
  readonly trace: TraceEvent[] = [];
  /** Milliseconds that the rails of each stage took, concurrent or not. */
  readonly spent: Record<RailsStage, number> = { input: 0, output: 0, retrieval: 0 };
  /** Raw output of the last dialog model call, when the caller asked for it. */
  llmOutput: unknown = null;
  /** Response of the wrapped chain or model, if it was invoked. */
  generated: GeneratedAnswer | undefined;
  /** Reasoning of the wrapped model, where output rails review it, and what they made of it. */
  reasoning: { readonly text: string; reviewed?: string } | undefined;
  /** The part-by-part review of an answer that streams. */
  answerReview: ReviewedAnswer | undefined;
  /** Access to models and the wrapped runnable, where calls begin before the input verdict. */
  speculation: Answering | undefined;
  /** All pending user texts as the input rails left them; the last one is the utterance. */
  userTexts: string[];
  /** Lines that input rails read with these texts, and what they left of them. */
  extras: ExtraTexts = NO_EXTRAS;
  /** True once the input rails run over these lines too; lines that no rail has read go no further. */
  readsExtras = false;
  /** Extra texts that rails removed or rewrote. */
  readonly hidden: HiddenText[] = [];
  /** Texts of system messages, for prompts of the dialog. */
  instructions: readonly string[];
  /** Every text that rails reviewed, in every form it had; some more than once. */
  readonly reviewed: Readonly<Record<RailsStage, string[]>> = { input: [], output: [], retrieval: [] };
  /** Texts of exceptions that output rails passed. */
  readonly passedTexts: string[] = [];
  /** Rewrites by rails, in order. */
  readonly rewrites: { readonly from: string; readonly to: string }[] = [];
  /** Error of a rail with `onError: "throw"`: it rejects the call, whatever the turn has made of it. */
  rejection: { readonly error: unknown } | undefined;
  /** State that the dialect keeps for the turn; a weak map would cost each call more than all that it keeps. */
  slot: unknown;
  /** Set where rails review earlier messages, whose blocks hide a message and not the call. */
  about: "history" | undefined;
  /** Span of the call, which all its parts share; undefined if it is not traced. */
  readonly span: CallSpan | undefined;
  /** Turn of the whole call. */
  readonly #root: Turn;
  #pseudonyms: PseudonymTable | undefined;
  #images: readonly ImageBlock[] = NO_IMAGES;
  readonly #endings: (() => void)[] = [];
  /** Numbers of entries that a fork has begun with. */
  #inherited = { rewrites: 0, passedTexts: 0 };
  readonly #clock: Clock;
  readonly #onDecision: ((decision: RailDecision) => void) | undefined;
  readonly #totals: CallTotals;

  constructor(
    init: TurnInit,
    parent?: Turn,
    totals: CallTotals = parent === undefined ? newTotals(init.limits) : parent.#totals,
  ) {
    this.#root = parent === undefined ? this : parent.#root;
    this.about = parent?.about;
    this.span = parent === undefined ? init.tracer?.open(threadOf(init.options.config)) : parent.span;
    this.options = init.options;
    this.limits = init.limits;
    this.#clock = init.clock;
    this.#onDecision = init.onDecision;
    this.#totals = totals;
    this.startedAt = init.clock.now();
    this.activity = init.options.log?.activatedRails === true ? new ActivityLog() : undefined;
    this.cancellation =
      parent === undefined ? Cancellation.following(init.options.config?.signal) : parent.cancellation.child();
    this.userTexts = [...(init.userTexts ?? [])];
    this.instructions = init.instructions ?? [];
  }

  /**
   * A part of the call with decisions, trace and texts of its own.
   *
   * @param options - options of the part; default: those of the call
   */
  part(options: TurnOptions = this.options): Turn {
    const { limits } = this;
    return new Turn({ options, limits, clock: this.#clock, onDecision: this.#onDecision }, this);
  }

  /**
   * A part with limits and variables of its own, for work whose amount grows with the conversation.
   *
   * @param isObserved - false for work that was reported before; default: true
   */
  apart(options: TurnOptions, isObserved = true): Turn {
    const { limits } = this;
    const onDecision = isObserved ? this.#onDecision : undefined;
    const turn = new Turn({ options, limits, clock: this.#clock, onDecision }, this, newTotals(limits));
    turn.assign(this.variables);
    return turn;
  }

  /**
   * A copy for concurrent work that may turn out to be superfluous. What it collects belongs to this turn after `join`, and
   * is dropped with it otherwise.
   *
   * @param counts - counts from which its limits go on
   * @param sharesBudget - false for rails that have a budget of their own; default: true
   */
  fork(counts: TurnCounts, sharesBudget = true): Turn {
    const { options, limits, userTexts, instructions } = this;
    const own = newTotals(limits);
    const spending = sharesBudget ? this.#totals.spending : own.spending;
    const totals = { ...own, ...counts, variables: this.variables, spending };
    const fork = new Turn({ options, limits, clock: this.#clock, userTexts, instructions }, this, totals);
    fork.extras = this.extras;
    fork.readsExtras = this.readsExtras;
    fork.generated = this.generated;
    fork.rewrites.push(...this.rewrites);
    fork.passedTexts.push(...this.passedTexts);
    fork.#inherited = { rewrites: this.rewrites.length, passedTexts: this.passedTexts.length };
    return fork;
  }

  /** Takes over what a fork has collected. INVARIANT: `onDecision` is called in the order in which forks join. */
  join(fork: Turn): void {
    for (const decision of fork.decisions) this.decide(decision);
    this.llmCalls.push(...fork.llmCalls);
    this.trace.push(...fork.trace);
    this.problems.push(...fork.problems);
    this.rewrites.push(...fork.rewrites.slice(fork.#inherited.rewrites));
    this.passedTexts.push(...fork.passedTexts.slice(fork.#inherited.passedTexts));
    this.hidden.push(...fork.hidden);
    for (const stage of RAILS_STAGES) this.reviewed[stage].push(...fork.reviewed[stage]);
    if (fork.activity !== undefined) this.activity?.add(fork.activity);
    this.rejection ??= fork.rejection;
    this.#endings.push(...fork.#endings.splice(0));
  }

  /** Pseudonyms of the call, which all its parts share; undefined until a rail needs them. */
  get pseudonyms(): PseudonymTable | undefined {
    return this.#root.#pseudonyms;
  }

  set pseudonyms(table: PseudonymTable | undefined) {
    this.#root.#pseudonyms = table;
  }

  /** Pictures that rails of the call look at right now. */
  get images(): readonly ImageBlock[] {
    return this.#root.#images;
  }

  set images(images: readonly ImageBlock[]) {
    this.#root.#images = images;
  }

  /** Context variables that rails and flows of the call have set so far. */
  get variables(): Readonly<Record<string, unknown>> {
    const totals = this.#totals;
    if (totals.assigned.length === 0) return totals.variables;
    const variables: Record<string, unknown> = { ...totals.variables };
    for (const [name, value] of totals.assigned.splice(0).flatMap((each) => Object.entries(each))) {
      if (!belongsToOneStage(name)) writeOwn(variables, name, value);
    }
    totals.variables = variables;
    return variables;
  }

  /** Makes variables visible to the later stages of the call. */
  assign(variables: Readonly<Record<string, unknown>> | undefined): void {
    if (variables !== undefined) this.#totals.assigned.push(variables);
  }

  /** All pending user texts with their extra lines, after the input rails. */
  get readTexts(): readonly string[] {
    return this.readsExtras ? withExtras(this.userTexts, this.extras) : this.userTexts;
  }

  now(): number {
    return this.#clock.now();
  }

  get config(): RunnableConfig | undefined {
    return this.options.config;
  }

  /** @throws LimitError naming `events_per_turn` and the flow that cycles, if the trace shows it */
  countEvent(event: GuardrailsEvent, flows: ReadonlyMap<string, { readonly tier: string }>): void {
    this.#totals.events += 1;
    if (this.#totals.events <= this.limits.eventsPerTurn) return;
    const steps = this.trace.flatMap((entry) => (entry.type === "decided" ? [entry.winner.flow] : []));
    // The pipeline takes most steps, so another flow is named first.
    const flow = steps.findLast((id) => flows.get(id)?.tier !== "system") ?? steps.at(-1);
    const cause = flow === undefined ? "" : `; flow \`${flow}\` keeps taking steps`;
    throw new LimitError(
      `a turn may produce ${this.limits.eventsPerTurn} events, and \`${event.type}\` is one too many${cause}`,
      { limit: "events_per_turn", maximum: this.limits.eventsPerTurn },
    );
  }

  /**
   * Counts events that the engine would have made; negative, those that it is going to make after all.
   *
   * @returns false if the limit has no room for them; then none is counted, and the engine reports the place
   */
  countUnmade(events: number): boolean {
    const total = this.#totals.events + events;
    if (total > this.limits.eventsPerTurn) return false;
    this.#totals.events = total;
    return true;
  }

  /** @throws LimitError naming `llm_calls_per_turn` */
  countModelCall(): void {
    this.#totals.modelCalls += 1;
    if (this.#totals.modelCalls > this.limits.llmCallsPerTurn) {
      throw new LimitError(`a turn may make ${this.limits.llmCallsPerTurn} model calls`, {
        limit: "llm_calls_per_turn",
        maximum: this.limits.llmCallsPerTurn,
      });
    }
  }

  /** Milliseconds that the rails of the turn may still take, added up. */
  get railTimeLeft(): number {
    const { railBudget } = this.limits;
    return (railBudget?.milliseconds ?? Number.POSITIVE_INFINITY) - (this.#totals.spending?.milliseconds ?? 0);
  }

  /** Adds to the costs of rails. */
  spend({ calls = 0, tokens = 0, milliseconds = 0 }: Partial<RailBudget>): void {
    const { spending } = this.#totals;
    if (spending === undefined) return;
    spending.calls += calls;
    spending.tokens += tokens;
    spending.milliseconds += milliseconds;
  }

  /**
   * Counts a model call of a rail.
   *
   * @throws LimitError naming `llm_calls_per_turn` or the part of `rails.budget` that is exhausted
   */
  countRailCall(): void {
    const { spending } = this.#totals;
    const { railBudget } = this.limits;
    if (spending !== undefined && railBudget !== undefined) {
      if (spending.calls >= railBudget.calls) throw exhausted("calls", railBudget);
      if (spending.tokens >= railBudget.tokens) throw exhausted("tokens", railBudget);
      spending.calls += 1;
    }
    this.countModelCall();
  }

  /** Numbers of events and model calls so far, as the limits of the call count them. */
  get counts(): TurnCounts {
    const { events, modelCalls } = this.#totals;
    return { events, modelCalls };
  }

  /** Corrects the counts where the same work was done in several parts. */
  recount({ events, modelCalls }: TurnCounts): void {
    Object.assign(this.#totals, { events, modelCalls });
  }

  /** @throws the error of a rail that rejects the call (`onError: "throw"`) */
  throwIfRejected(): void {
    if (this.rejection !== undefined) throw this.rejection.error;
  }

  /** Calls a function when the turn is over. */
  atEnd(end: () => void): void {
    this.#endings.push(end);
  }

  /** Releases the caller's signal, and ends model calls without a waiting caller. */
  close(): void {
    for (const end of this.#endings.splice(0)) end();
    this.speculation?.close();
    if (this.span !== undefined && this.#root === this) {
      const { cancellation, hidden, pseudonyms: table } = this;
      this.span.close({
        isAborted: cancellation.aborted,
        hidden,
        hide: table === undefined ? undefined : (text) => table.hide(text),
      });
    }
    this.cancellation.release();
  }

  /** Notes the response of the wrapped chain or model. */
  answered(answer: GeneratedAnswer, reviewsReasoning: boolean): void {
    this.generated = answer;
    const { reasoning = "" } = answer;
    this.reasoning = reviewsReasoning && reasoning !== "" ? { text: reasoning } : undefined;
  }

  /** Notes a text before and after a rail. */
  review(stage: RailsStage, before: unknown, after: unknown): void {
    if (typeof before === "string") this.reviewed[stage].push(before);
    if (before === after || typeof after !== "string") return;
    this.reviewed[stage].push(after);
    if (typeof before === "string") this.rewrites.push({ from: before, to: after });
  }

  /** Returns a text after all rewrites. */
  rewritesTo(text: string): string {
    let result = text;
    for (const { from, to } of this.rewrites) if (result === from) result = to;
    return result;
  }

  /** For concurrent decisions: `close` sorts those made since into the order of their rails. */
  openOrder(): { close(rails: readonly string[]): void } {
    const from = this.decisions.length;
    const order = this.activity?.openOrder();
    return {
      close: (rails) => {
        const made = this.decisions.splice(from);
        this.decisions.push(...made.sort((a, b) => rails.indexOf(a.rail) - rails.indexOf(b.rail)));
        order?.close(rails);
      },
    };
  }

  decide(decision: RailDecision): void {
    this.decisions.push(decision);
    this.notify(decision);
  }

  /** INVARIANT: a listener that fails changes no verdict. */
  notify(decision: RailDecision): void {
    try {
      this.#onDecision?.(decision);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      this.problems.push({ code: "RL-104", message: `\`onDecision\` failed: ${why}`, cause });
    }
  }
}

/** Returns the reviewed reasoning. INVARIANT: unreviewed reasoning is not part of a result. */
export function reasoningOf({ reasoning }: Pick<Turn, "reasoning">): { readonly reasoning?: string } {
  return reasoning?.reviewed === undefined ? {} : { reasoning: reasoning.reviewed };
}

function threadOf(config: RunnableConfig | undefined): string | undefined {
  const { thread_id: thread } = (config?.configurable ?? {}) as { readonly thread_id?: unknown };
  return typeof thread === "string" ? thread : undefined;
}
