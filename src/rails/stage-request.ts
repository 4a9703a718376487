import type { RunnableConfig } from "@langchain/core/runnables";
import type { GuardrailsEvent } from "../engine/events.js";
import type { Cancellation } from "../engine/async.js";
import type { Turn } from "../turn/turn.js";
import type { RailDecision, RailsStage, ToolStage, Entry } from "../turn/decision.js";

/** Request to the rails of a stage. */
export interface StageRequest {
  readonly turn: Turn;
  readonly stage: RailsStage;
  readonly context: Readonly<Record<string, unknown>>;
  readonly config: RunnableConfig;
  readonly cancellation: Cancellation;
  /** Returns the events of earlier turns, for prompts and actions. */
  readonly past: () => readonly GuardrailsEvent[];
  /** Set where the output rails look at the reasoning of the model, or at what another rail says. */
  readonly about?: "reasoning" | "refusal" | undefined;
  /**
   * Called with the variables once the rails that may change the text are through, when there are others left: unless one
   * of these blocks, this is the text that the turn goes on with.
   */
  readonly onFinalText?: ((context: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Called as soon as it is certain that the stage blocks, which may be before it is known which rail does. */
  readonly onBlock?: (() => void) | undefined;
}

/** Request to one rail. */
export interface RailRequest extends Omit<StageRequest, "stage"> {
  readonly stage: RailsStage | ToolStage;
  /** As configured, with parameters: `content safety check $model=guard`. */
  readonly rail: string;
  /** Rails whose utterances are under review; they do not review their own. */
  readonly speakers?: readonly string[] | undefined;
}

/** Outcome of one rail. */
export interface RailOutcome {
  readonly reference: string;
  readonly flow: string;
  readonly blocked: boolean;
  readonly contextUpdates: Readonly<Record<string, unknown>>;
  readonly entries: readonly Entry[];
  readonly refusal?: string;
  readonly exception?: GuardrailsEvent;
  readonly decision: RailDecision;
}
