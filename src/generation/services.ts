import type { RunnableConfig } from "@langchain/core/runnables";
import type { RailsSettings } from "../config/settings.js";
import type { Clock } from "../engine/clock.js";
import type { ModelSet } from "../llm/model.js";
import type { LlmTasks, TaskScope } from "../llm/task/task.js";
import type { Generator, Tell } from "../turn/answer.js";
import type { Lookup } from "./indexes.js";

/** Parts of a generation action that belong to one call. An action finds them as `context.services.call`. */
export interface GenerationCall {
  readonly generator?: Generator | undefined;
  readonly llmParams?: Readonly<Record<string, unknown>> | undefined;
  /** Set if the turn is read as a stream and the next text may be released part by part. */
  readonly tell?: Tell | undefined;
  /** Calls a function when the turn is over. */
  readonly atEnd?: ((end: () => void) => void) | undefined;
  /** Absent where searches need no special treatment. */
  readonly lookup?: Lookup | undefined;
}

/** Dependencies of asking for an answer, for both dialects. */
export interface CallServices {
  readonly settings: RailsSettings;
  readonly clock: Clock;
  readonly tasks: LlmTasks;
  readonly models: ModelSet;
  readonly scope: TaskScope;
  readonly signal: AbortSignal;
  readonly config: RunnableConfig;
  readonly kb: unknown;
  readonly call: GenerationCall;
}
