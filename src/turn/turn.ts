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
import type { GeneratedResponse, TurnOptions } from "./options.js";
import { ActivityLog } from "./activity-log.js";
import type { TurnProblem } from "./result.js";
import type { CallAccess } from "./response.js";

/** The review in parts of a streamed response. */
export interface ReviewedResponse {
  /** Applies the reviewed reasoning to the turn; returns false if the review has not seen all of it. */
  finishReasoning(): boolean;
  /** Returns the outcome of the output rails for the complete text, if they have seen it in parts. */
  outcomeFor(text: unknown): StageOutcome | undefined;
}

export interface TurnInit {
  readonly options: TurnOptions;
  readonly limits: EngineLimits;
  readonly clock: Clock;
  readonly userTexts?: readonly string[];
  readonly instructions?: readonly string[];
  readonly onDecision?: ((decision: RailDecision) => void) | undefined;
  /** Traces the call; all parts belong to the same trace. */
  readonly tracer?: CallTracer | undefined;
}

const NO_IMAGES: readonly ImageBlock[] = [];

/**
 * Counts and records of one call, across the main run and the nested runs of its rails. A call with several stages has
 * a part for each; the parts share limits, variables and cancellation.
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
  /** Kept only on the caller's request. */
  readonly activity: ActivityLog | undefined;
  readonly problems: TurnProblem[] = [];
  readonly trace: TraceEvent[] = [];
  /** Milliseconds spent by the rails of each stage, concurrent or not. */
  readonly spent: Record<RailsStage, number> = { input: 0, output: 0, retrieval: 0 };
  /** Raw output of the last dialog model call, on the caller's request. */
  llmOutput: unknown = null;
  /** Response of the wrapped chain or model, if it was invoked. */
  generated: GeneratedResponse | undefined;
  /** Reasoning of the wrapped model, if output rails review it, and its reviewed form. */
  reasoning: { readonly text: string; reviewed?: string } | undefined;
  /** The review in parts of a streamed response. */
  responseReview: ReviewedResponse | undefined;
  /** Access to models and the wrapped runnable, if calls start before the input verdict. */
  speculation: CallAccess | undefined;
  /** All pending user texts as the input rails left them; the last one is the utterance. */
  userTexts: string[];
  /** Lines that input rails read with these texts, as the rails left them. */
  extras: ExtraTexts = NO_EXTRAS;
  /** True once the input rails also run over these lines; unreviewed lines are not passed on. */
  readsExtras = false;
  /** Extra texts that rails removed or rewrote. */
  readonly hidden: HiddenText[] = [];
  /** Texts of system messages, for prompts of the dialog. */
  instructions: readonly string[];
  /** Every text that rails reviewed, in every form; may contain duplicates. */
  readonly reviewed: Readonly<Record<RailsStage, string[]>> = { input: [], output: [], retrieval: [] };
  /** Texts of exceptions that output rails passed. */
  readonly passedTexts: string[] = [];
  /** Rewrites by rails, in order. */
  readonly rewrites: { readonly from: string; readonly to: string }[] = [];
  /** Error of a rail with `onError: "throw"`: it rejects the call, whatever the result of the turn. */
  rejection: { readonly error: unknown } | undefined;
  /** Dialect state of the turn; a weak map would cost each call more than everything it holds. */
  slot: unknown;
  /** Set if rails review earlier messages, where a block hides the message and not the call. */
  about: "history" | undefined;
  /** Span of the call, shared by all its parts; undefined if it is not traced. */
  readonly span: CallSpan | undefined;
  /** Turn of the whole call. */
  readonly #root: Turn;
  #pseudonyms: PseudonymTable | undefined;
  #images: readonly ImageBlock[] = NO_IMAGES;
  readonly #endings: (() => void)[] = [];
  /** Numbers of entries that a fork started with. */
  #inherited = { rewrites: 0, passedTexts: 0 };
  readonly #clock: Clock;
  readonly #onDecision: ((decision: RailDecision) => void) | undefined;
  readonly #totals: CallTotals;

  constructor(init: TurnInit, parent?: Turn, totals = parent ? parent.#totals : newTotals(init.limits)) {
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
   * Creates a part of the call with its own decisions, trace and texts.
   *
   * @param options - options of the part. Default: those of the call
   */
  part(options: TurnOptions = this.options): Turn {
    return new Turn({ options, limits: this.limits, clock: this.#clock, onDecision: this.#onDecision }, this);
  }

  /**
   * Creates a part with its own limits and variables, for work that grows with the conversation.
   *
   * @param isObserved - false for work that was already reported. Default: true
   */
  apart(options: TurnOptions, isObserved = true): Turn {
    const { limits } = this;
    const onDecision = isObserved ? this.#onDecision : undefined;
    const turn = new Turn({ options, limits, clock: this.#clock, onDecision }, this, newTotals(limits));
    turn.assign(this.variables);
    return turn;
  }

  /**
   * Copies the turn for concurrent work that may become superfluous. Its records are dropped unless `join` adds them.
   *
   * @param counts - counts from which its limits continue
   * @param sharesBudget - false for rails with their own budget. Default: true
   */
  fork(counts: TurnCounts, sharesBudget = true): Turn {
    const { options, limits, userTexts, instructions } = this;
    const forkTotals = newTotals(limits);
    const spending = sharesBudget ? this.#totals.spending : forkTotals.spending;
    const totals = { ...forkTotals, ...counts, variables: this.variables, spending };
    const fork = new Turn({ options, limits, clock: this.#clock, userTexts, instructions }, this, totals);
    fork.extras = this.extras;
    fork.readsExtras = this.readsExtras;
    fork.generated = this.generated;
    fork.rewrites.push(...this.rewrites);
    fork.passedTexts.push(...this.passedTexts);
    fork.#inherited = { rewrites: this.rewrites.length, passedTexts: this.passedTexts.length };
    return fork;
  }

  /** Adds the records of a fork. INVARIANT: `onDecision` is called in the order in which forks join. */
  join(fork: Turn): void {
    for (const decision of fork.decisions) this.recordDecision(decision);
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

  /** Pseudonyms of the call, shared by all its parts; undefined until a rail needs them. */
  get pseudonyms(): PseudonymTable | undefined {
    return this.#root.#pseudonyms;
  }

  set pseudonyms(table: PseudonymTable | undefined) {
    this.#root.#pseudonyms = table;
  }

  /** Images that rails of the call are currently checking. */
  get images(): readonly ImageBlock[] {
    return this.#root.#images;
  }

  set images(images: readonly ImageBlock[]) {
    this.#root.#images = images;
  }

  /** Context variables set so far by rails and flows of the call. */
  get variables(): Readonly<Record<string, unknown>> {
    const totals = this.#totals;
    if (totals.assigned.length === 0) return totals.variables;
    const variables: Record<string, unknown> = { ...totals.variables };
    for (const [name, value] of totals.assigned.splice(0).flatMap((assignments) => Object.entries(assignments))) {
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

  /** @throws LimitError naming `events_per_turn` and the flow in a cycle, if the trace shows it */
  countEvent(event: GuardrailsEvent, flows: ReadonlyMap<string, { readonly tier: string }>): void {
    this.#totals.events += 1;
    if (this.#totals.events <= this.limits.eventsPerTurn) return;
    const steps = this.trace.flatMap((entry) => (entry.type === "decided" ? [entry.winner.flow] : []));
    // The pipeline takes most steps, so another flow is named first.
    const flow = steps.findLast((id) => flows.get(id)?.tier !== "system") ?? steps.at(-1);
    const cause = flow === undefined ? "" : `; flow \`${flow}\` keeps taking steps`;
    throw new LimitError(
      `expected at most ${this.limits.eventsPerTurn} events per turn, exceeded at \`${event.type}\`${cause}`,
      { limit: "events_per_turn", maximum: this.limits.eventsPerTurn },
    );
  }

  /**
   * Counts events that the engine would have created; negative for those that it will create after all.
   *
   * @returns false if the limit would be exceeded; then none is counted, and the engine reports the location
   */
  countSkippedEvents(events: number): boolean {
    const total = this.#totals.events + events;
    if (total > this.limits.eventsPerTurn) return false;
    this.#totals.events = total;
    return true;
  }

  /** @throws LimitError naming `llm_calls_per_turn` */
  countModelCall(): void {
    this.#totals.modelCalls += 1;
    if (this.#totals.modelCalls > this.limits.llmCallsPerTurn) {
      throw new LimitError(`expected at most ${this.limits.llmCallsPerTurn} model calls per turn`, {
        limit: "llm_calls_per_turn",
        maximum: this.limits.llmCallsPerTurn,
      });
    }
  }

  /** Remaining milliseconds for all rails of the turn together. */
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
   * @throws LimitError naming `llm_calls_per_turn` or the exhausted part of `rails.budget`
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

  /** Numbers of events and model calls so far, as counted for the limits of the call. */
  get counts(): TurnCounts {
    const { events, modelCalls } = this.#totals;
    return { events, modelCalls };
  }

  /** Corrects the counts if the same work was done in several parts. */
  recount({ events, modelCalls }: TurnCounts): void {
    Object.assign(this.#totals, { events, modelCalls });
  }

  /** @throws the error of a rail that rejects the call (`onError: "throw"`) */
  throwIfRejected(): void {
    if (this.rejection !== undefined) throw this.rejection.error;
  }

  /** Registers a function to call at the end of the turn. */
  atEnd(end: () => void): void {
    this.#endings.push(end);
  }

  /** Detaches from the caller's signal, and cancels model calls that no caller awaits. */
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

  /** Records the response of the wrapped chain or model. */
  recordResponse(response: GeneratedResponse, reviewsReasoning: boolean): void {
    this.generated = response;
    const { reasoning = "" } = response;
    this.reasoning = reviewsReasoning && reasoning !== "" ? { text: reasoning } : undefined;
  }

  /** Records a text before and after a rail. */
  recordReview(stage: RailsStage, before: unknown, after: unknown): void {
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

  /** For concurrent decisions: `close` sorts those made since then into the order of their rails. */
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

  recordDecision(decision: RailDecision): void {
    this.decisions.push(decision);
    this.notify(decision);
  }

  /** INVARIANT: a failing listener changes no verdict. */
  notify(decision: RailDecision): void {
    try {
      this.#onDecision?.(decision);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      this.problems.push({ code: "RL-104", message: `\`onDecision\` failed: ${why}`, cause });
    }
  }
}

/** Returns the reviewed reasoning. INVARIANT: unreviewed reasoning is never part of a result. */
export function reasoningOf({ reasoning }: Pick<Turn, "reasoning">): { readonly reasoning?: string } {
  return reasoning?.reviewed === undefined ? {} : { reasoning: reasoning.reviewed };
}

function threadOf(config: RunnableConfig | undefined): string | undefined {
  const { thread_id: thread } = (config?.configurable ?? {}) as { readonly thread_id?: unknown };
  return typeof thread === "string" ? thread : undefined;
}
