import type { MaybePromise } from "../../engine/async.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import type { ModelCompletion, ModelParameters, ModelPrompt } from "../model.js";
import type { GradualParser } from "../parsers/registry.js";
import type { ModelCall } from "./call-model.js";
import type { RunningCall, RunningCallInput } from "./running-call.js";

/** Events of a conversation, or a function that returns them. */
export type TaskHistory = readonly GuardrailsEvent[] | (() => readonly GuardrailsEvent[]);

/** Entry of a reply in a cache. */
export interface ReplyPlace {
  /** The reply of an earlier call; undefined if there is none. */
  readonly text: string | undefined;
  /** Stores the reply of this call for later ones. */
  keep(text: string): Promise<void>;
}

/** Cached model replies, for calls that would get the same reply. */
export interface ReplyCache {
  /** Returns the entry of a reply; undefined for a call whose reply may depend on more than the cache key. */
  find(
    call: ModelCall & { readonly prompt: ModelPrompt; readonly parameters: ModelParameters },
  ): Promise<ReplyPlace | undefined>;
}

export interface TaskRequest extends ModelCall {
  /** The conversation so far, for `history`; a function is called by prompts that show it. */
  readonly events: TaskHistory;
  /** Context variables that the template may read. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Variables of this task; override context variables. */
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly parameters?: ModelParameters;
  /** Images for the model besides the prompt. Default: none. */
  readonly images?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** A request appended to the rendered prompt within its limits: the format of the reply. */
  readonly followUp?: string;
  /** Cached replies that may replace a model call. Default: the model is always called. */
  readonly replies?: ReplyCache | undefined;
}

/** A rendered prompt with its own parameters. */
export interface RenderedTask {
  readonly prompt: ModelPrompt;
  readonly stop?: readonly string[] | undefined;
  readonly maxTokens?: number | undefined;
  readonly outputParser?: string | undefined;
}

export interface TaskResult {
  /** The completion after the prompt's output parser, still in Colang history form. */
  readonly text: string;
  /** Result of the output parser, for example a verdict; equal to `text` for parsers of text. */
  readonly parsed: unknown;
  readonly completion: ModelCompletion;
  readonly prompt: ModelPrompt;
  /** True for a prompt of the configuration, false for a built-in one. */
  readonly isConfigured: boolean;
  /** Name of the selected prompt's output parser, if any. */
  readonly outputParser?: string | undefined;
  /** Cache entry of the reply, if the request has a cache. */
  readonly place?: ReplyPlace | undefined;
}

/** A task whose completion is read while it is streamed. */
export interface RunningTask {
  readonly call: RunningCall;
  readonly prompt: ModelPrompt;
  /** The prompt's output parser, for a completion or its start. */
  readonly parse: (completion: string) => string;
  /** The same for a completion forwarded in pieces, if that parser supports it. */
  readonly gradual: GradualParser;
}

/** Renders and runs tasks: select the prompt, render it, call the model, parse the completion. */
export interface LlmTasks {
  has(task: string): boolean;
  /** Loads the template engine. `run` does so by itself; `render` needs it before. */
  load(): MaybePromise<void>;
  render(request: Omit<TaskRequest, "scope" | "parameters">): RenderedTask;
  run(request: TaskRequest): Promise<TaskResult>;
  /** Starts a task; resolves while the model may still be writing. */
  start(
    request: TaskRequest,
    options: Pick<RunningCallInput, "streaming" | "byPieces" | "endless">,
  ): Promise<RunningTask>;
}
