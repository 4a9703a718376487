import type { AIMessage, BaseMessage, UsageMetadata } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { PromptMessage } from "../config/settings.js";

/** The prompt of a model: text, rendered messages, or the caller's own LangChain messages unchanged. */
export type ModelPrompt =
  | ({ readonly kind: "text"; readonly text: string } & WithImages)
  | ({ readonly kind: "messages"; readonly messages: readonly PromptMessage[] } & WithImages)
  | { readonly kind: "native"; readonly messages: readonly BaseMessage[] };

/** Pictures that stand behind the text of the last user message, as blocks of LangChain content; default: none. */
interface WithImages {
  readonly images?: readonly Readonly<Record<string, unknown>>[];
}

/** The form of a reply, for models that keep to a schema. */
export interface ReplyFormat {
  readonly name: string;
  /** JSON Schema of an object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Per-call parameters. They travel as call options; a model object is never changed. */
export interface ModelParameters {
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  /** Only for models with `structuredOutput`; the text of the completion is then JSON. */
  readonly format?: ReplyFormat;
  /** `llm_params` of the call, passed through by name. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The environment of a call: the parent of its run, and its cancellation. */
export interface ModelCallScope {
  /** The child config of the caller: callbacks, tags, metadata, configurable. */
  readonly config?: RunnableConfig | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly runName?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** True for a judge's call: the completion states its defects. */
  readonly findDefects?: boolean | undefined;
}

/**
 * A reason why the text of a completion is not the whole reply: the provider filtered it, a limit of tokens
 * ended it, the model refused, called tools, gave a second choice, content other than text, or did not finish.
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
  /** The model's own message when it is a chat model: tool calls, ids, metadata. */
  readonly message?: AIMessage | undefined;
  readonly modelName?: string | undefined;
  /** Present if the call asks for it; absent or empty for a whole completion. */
  readonly defects?: readonly CompletionDefect[] | undefined;
}

/**
 * A piece of a streamed completion. `message` is the message received so far, so that a stream can be left;
 * usage comes with one piece, usually the last.
 */
export type ModelPiece = ModelCompletion;

/**
 * A language model as tasks use it. The adapter over LangChain models lives in `langchain/chat-model.ts`; tests
 * bring their own. Failures of the provider are thrown as `ModelError` with the cause; an abort rejects with the
 * signal's reason.
 */
export interface LanguageModel {
  /** For prompt selection, e.g. `openai`. */
  readonly engine: string;
  /** e.g. `gpt-4o-mini`; `unknown` if the model has no name. */
  readonly name: string;
  /** Chat models take messages, text models a string. */
  readonly family: "chat" | "text";
  /** True where the model's profile has structured output. */
  readonly structuredOutput?: boolean;
  /** True for a model that looks at pictures. */
  readonly readsImages?: boolean;
  /** The LangChain object, for user code. */
  readonly native: unknown;
  /** Counts the tokens of a text; absent for a model that cannot. */
  countTokens?(text: string): Promise<number>;
  generate(prompt: ModelPrompt, parameters: ModelParameters, scope: ModelCallScope): Promise<ModelCompletion>;
  /** Streams the completion; absent for a model that cannot. Leaving the loop, or the signal, ends the call. */
  stream?(prompt: ModelPrompt, parameters: ModelParameters, scope: ModelCallScope): AsyncIterable<ModelPiece>;
}

/** The models of a configuration by `type`; `main` is the default of every task. */
export interface ModelSet {
  readonly main?: LanguageModel | undefined;
  readonly byType: Readonly<Record<string, LanguageModel>>;
}

/** The model of a task: one registered under the task's name, else `main`. */
export function modelForTask(models: ModelSet, task: string): LanguageModel | undefined {
  return Object.hasOwn(models.byType, task) ? models.byType[task] : models.main;
}

/** The model of a type; `main` is one of them. */
export function modelOfType({ main, byType }: ModelSet, type: string): LanguageModel | undefined {
  return Object.hasOwn(byType, type) ? byType[type] : type === "main" ? main : undefined;
}
