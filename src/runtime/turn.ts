import type { RunnableConfig } from "@langchain/core/runnables";
import { LimitError } from "../diagnostics/errors.js";
import type { Clock } from "../engine/clock.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { EngineLimits } from "../engine/limits.js";
import type { TraceEvent } from "../engine/trace.js";
import type { LlmCallRecord } from "../llm/record.js";
import { Cancellation } from "./cancellation.js";
import type { RailDecision } from "./decision.js";
import type { GeneratedAnswer, TurnOptions } from "./options.js";
import type { ActivatedRail, ExecutedAction, TurnProblem } from "./result.js";

/**
 * Everything that is counted and collected while one call runs, across the main run and the nested runs of its rails.
 * INVARIANT: a turn belongs to one call; two calls never share one.
 */
export class Turn {
  readonly options: TurnOptions;
  readonly limits: EngineLimits;
  readonly startedAt: number;
  /** Follows the caller's signal until the turn is closed. */
  readonly cancellation: Cancellation;
  readonly decisions: RailDecision[] = [];
  readonly llmCalls: LlmCallRecord[] = [];
  readonly actions: ExecutedAction[] = [];
  readonly rails: ActivatedRail[] = [];
  readonly problems: TurnProblem[] = [];
  readonly trace: TraceEvent[] = [];
  /** What the wrapped chain or model answered, if it was asked. */
  generated: GeneratedAnswer | undefined;
  /** All unseen user texts as the input rails left them, the last one being the utterance. */
  userTexts: string[];
  readonly #clock: Clock;
  readonly #onDecision: ((decision: RailDecision) => void) | undefined;
  #events = 0;
  #modelCalls = 0;

  constructor(input: {
    readonly options: TurnOptions;
    readonly limits: EngineLimits;
    readonly clock: Clock;
    readonly userTexts: readonly string[];
    readonly onDecision?: ((decision: RailDecision) => void) | undefined;
  }) {
    this.options = input.options;
    this.limits = input.limits;
    this.#clock = input.clock;
    this.#onDecision = input.onDecision;
    this.startedAt = input.clock.now();
    this.cancellation = Cancellation.following(input.options.config?.signal);
    this.userTexts = [...input.userTexts];
  }

  now(): number {
    return this.#clock.now();
  }

  get config(): RunnableConfig | undefined {
    return this.options.config;
  }

  /** @throws LimitError naming `events_per_turn`, with the last flow that took a step, which is the likely cycle */
  countEvent(event: GuardrailsEvent): void {
    this.#events += 1;
    if (this.#events <= this.limits.eventsPerTurn) return;
    const decided = this.trace.findLast((entry) => entry.type === "decided");
    const flow = decided?.type === "decided" ? `; the last step was taken by flow \`${decided.winner.flow}\`` : "";
    throw new LimitError(
      `a turn may produce ${this.limits.eventsPerTurn} events, and \`${event.type}\` is one too many${flow}`,
      { limit: "events_per_turn", maximum: this.limits.eventsPerTurn },
    );
  }

  /** @throws LimitError naming `llm_calls_per_turn` */
  countModelCall(): void {
    this.#modelCalls += 1;
    if (this.#modelCalls > this.limits.llmCallsPerTurn) {
      throw new LimitError(`a turn may make ${this.limits.llmCallsPerTurn} model calls`, {
        limit: "llm_calls_per_turn",
        maximum: this.limits.llmCallsPerTurn,
      });
    }
  }

  /** Lets go of the caller's signal. */
  close(): void {
    this.cancellation.release();
  }

  decide(decision: RailDecision): void {
    this.decisions.push(decision);
    this.#onDecision?.(decision);
  }
}
