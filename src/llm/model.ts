import type { AIMessage, BaseMessage, UsageMetadata } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { PromptMessage } from "../config/settings.js";

/** A model's prompt: text, rendered messages, or the caller's own LangChain messages unchanged. */
export type ModelPrompt =
  | ({ readonly kind: "text"; readonly text: string } & WithImages)
  | ({ readonly kind: "messages"; readonly messages: readonly PromptMessage[] } & WithImages)
  | { readonly kind: "native"; readonly messages: readonly BaseMessage[] };

/** Images after the text of the last user message, as blocks of LangChain content. Default: none. */
interface WithImages {
  readonly images?: readonly Readonly<Record<string, unknown>>[];
}

/** Format of a reply, for models with structured output. */
export interface ReplyFormat {
  readonly name: string;
  /** JSON Schema of an object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Per-call parameters, passed as call options; a model object is never changed. */
export interface ModelParameters {
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  /** Only for models with `structuredOutput`; the text of the completion is then JSON. */
  readonly format?: ReplyFormat;
  /** `llm_params` of the call, passed through by name. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Environment of a call: its parent run, and its cancellation. */
export interface ModelCallScope {
  /** Child config of the caller: callbacks, tags, metadata, configurable. */
  readonly config?: RunnableConfig | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly runName?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** True for a judge's call, whose completion must report its defects. */
  readonly findDefects?: boolean | undefined;
}

/**
 * A reason why the text of a completion is not the whole reply: the provider filtered it, it hit a token limit, or the
 * model refused, called tools, gave a second choice or non-text content, or did not finish.
 */
export type CompletionDefect =
  | "filtered"
  | "truncated"
  | "refused"
  | "tool-calls"
  | "several-choices"
  | "other-content"
  | "unfinished";

export interface ModelCompletion {
  readonly text: string;
  readonly usage?: UsageMetadata | undefined;
  /** The model's own message, for a chat model: tool calls, ids, metadata. */
  readonly message?: AIMessage | undefined;
  readonly modelName?: string | undefined;
  /** Set if the call requests it; absent or empty for a complete completion. */
  readonly defects?: readonly CompletionDefect[] | undefined;
}

/**
 * A piece of a streamed completion. `message` is the message received so far, so that a stream can be left early; usage
 * comes with one piece, usually the last.
 */
export type ModelPiece = ModelCompletion;

/**
 * A language model as tasks use it. The adapter over LangChain models is `langchain/models/chat-model.ts`; tests bring
 * their own. Failures of the provider are thrown as `ModelError` with the cause; an abort rejects with the signal's
 * reason.
 */
export interface LanguageModel {
  /** Used for prompt selection, such as `openai`. */
  readonly engine: string;
  /** Such as `gpt-4o-mini`; `unknown` if the model has no name. */
  readonly name: string;
  /** Chat models take messages, text models a string. */
  readonly family: "chat" | "text";
  /** True if the model's profile supports structured output. */
  readonly structuredOutput?: boolean;
  /** True if the model accepts images. */
  readonly readsImages?: boolean;
  /** Parameters that the model itself has, for traces; those of a call replace them. */
  readonly defaults?: Pick<ModelParameters, "temperature" | "maxTokens">;
  /** The LangChain object, for user code. */
  readonly native: unknown;
  /** Counts the tokens of a text; absent if unsupported. */
  countTokens?(text: string): Promise<number>;
  generate(prompt: ModelPrompt, parameters: ModelParameters, scope: ModelCallScope): Promise<ModelCompletion>;
  /** Streams the completion; absent if unsupported. Leaving the loop, or the signal, ends the call. */
  stream?(prompt: ModelPrompt, parameters: ModelParameters, scope: ModelCallScope): AsyncIterable<ModelPiece>;
}

/** The models of a configuration by `type`; `main` is the default of every task. */
export interface ModelSet {
  readonly main?: LanguageModel | undefined;
  readonly byType: Readonly<Record<string, LanguageModel>>;
}

/** Returns the model of a task: the one registered under the task's name, otherwise `main`. */
export function modelForTask(models: ModelSet, task: string): LanguageModel | undefined {
  return Object.hasOwn(models.byType, task) ? models.byType[task] : models.main;
}

/** Returns the model of a type, including `main`. */
export function modelOfType({ main, byType }: ModelSet, type: string): LanguageModel | undefined {
  return Object.hasOwn(byType, type) ? byType[type] : type === "main" ? main : undefined;
}
