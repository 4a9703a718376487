import type { RunnableConfig } from "@langchain/core/runnables";
import type { GuardrailsEvent } from "../engine/events.js";
import type { Cancellation } from "./cancellation.js";
import type { Turn } from "./turn.js";

export type RailsStage = "input" | "output" | "retrieval";

/** Where rails of the stage `execution` stand, as the configuration names it: on calls of tools and on their results. */
export type ToolStage = "tool_output" | "tool_input";

export function isToolStage(stage: RailsStage | ToolStage): stage is ToolStage {
  return stage === "tool_output" || stage === "tool_input";
}

/** What the rails of a stage start from. */
export interface StageRequest {
  readonly turn: Turn;
  readonly stage: RailsStage;
  readonly context: Readonly<Record<string, unknown>>;
  readonly config: RunnableConfig;
  readonly cancellation: Cancellation;
  /** What happened before, for prompts and actions. */
  readonly past: () => readonly GuardrailsEvent[];
  /** Set where the output rails look at what the model thought. */
  readonly about?: "reasoning" | undefined;
  /**
   * Called with the variables once the rails that may change the text are through, when there are others left: unless one
   * of these blocks, this is the text that the turn goes on with.
   */
  readonly onSettledText?: ((context: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Called as soon as it is certain that the stage blocks, which may be before it is known which rail does. */
  readonly onBlock?: (() => void) | undefined;
}
