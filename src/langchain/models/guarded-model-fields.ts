import type {
  BaseChatModel,
  BaseChatModelCallOptions,
  BaseChatModelParams,
} from "@langchain/core/language_models/chat_models";
import type { ModelProfile } from "@langchain/core/language_models/profile";
import type { Callbacks } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import type { AIMessageChunk } from "@langchain/core/messages";
import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import type { SerializableSchema } from "@langchain/core/utils/standard_schema";
import type { InteropZodType } from "@langchain/core/utils/types";
import type { PseudonymTable } from "../../actions/pseudonym-table.js";
import type { AbortSource } from "../../engine/async.js";
import type { LanguageModel } from "../../llm/model.js";
import type { Block } from "../../turn/decision.js";
import type { RailSelection } from "../../turn/options.js";
import type { OnBlocked } from "../blocked.js";
import type { Pseudonymised } from "../call.js";
import type { Host } from "../host.js";
import { ON_BLOCKED, type OptionTable } from "../../diagnostics/options.js";
import { callbacksFor } from "../redaction/redacted-handler.js";
import { UNSEEN_OPTIONS, type UnseenOptions } from "../values/unseen.js";

/** Key of the caller's config among the call options: LangChain passes models only part of the config. */
export const CALLER_CONFIG: unique symbol = Symbol("guardrails.callerConfig");
/** Key of the pseudonyms of a call among the call options. */
export const PSEUDONYMS: unique symbol = Symbol("guardrails.pseudonyms");
/** Key of the cancellation source of a call, used instead of an `AbortSignal`, which costs a tenth of a call. */
export const CANCELLATION: unique symbol = Symbol("guardrails.cancellation");

export interface GuardedModelCallOptions extends BaseChatModelCallOptions {
  rails?: RailSelection;
  [CALLER_CONFIG]?: RunnableConfig;
  [PSEUDONYMS]?: Pseudonymised;
  [CANCELLATION]?: AbortSource;
}

/** Any schema that a LangChain model accepts. */
export type StructuredSchema<Output extends Record<string, unknown>> =
  | InteropZodType<Output>
  | SerializableSchema<Output>
  | object;

export interface WrapModelOptions extends UnseenOptions {
  /** Effect of a block. Default: `refuse`, which returns the refusal as a message. */
  readonly onBlocked?: OnBlocked;
  /**
   * Tool calls whose arguments output rails read: all (`true`), those of the named tools, or none (`false`). Default: calls
   * that are the response itself, that is of tools that are only a schema, when the model must call one. Tool rails review
   * all other calls.
   */
  readonly toolArgs?: boolean | readonly string[];
}

export const WRAP_MODEL_OPTIONS: OptionTable<WrapModelOptions> = {
  ...UNSEEN_OPTIONS,
  onBlocked: ON_BLOCKED,
  toolArgs: "any",
};

export interface GuardedModelFields extends WrapModelOptions {
  readonly inner: Runnable<BaseLanguageModelInput>;
  readonly host: Host;
  /** Main model for rails: without tools, so that a judge never calls one. */
  readonly main?: LanguageModel;
  /** Bound tools whose calls are the response itself. */
  readonly responseTools?: readonly string[];
  /** Bound tools. */
  readonly tools?: readonly unknown[];
  /** Rails to run. Default: as the call selects. */
  readonly rails?: RailSelection | undefined;
  /** Replaces the refusal of the blocking rail. */
  readonly refusal?: string | undefined;
  /** Pseudonyms in the messages, which are restored in the response. */
  readonly pseudonyms?: PseudonymTable | undefined;
  /** Handlers of released text in addition to those of the call. */
  readonly callbacks?: Callbacks | undefined;
  /** Called with every block, before `onBlocked` is applied. */
  readonly onBlock?: ((block: Block) => void) | undefined;
  /** Called with every message when it is released. */
  readonly onReleased?: ((message: AIMessageChunk) => void) | undefined;
  /**
   * True if called by an agent that guards its tools: blocked calls stay in the response without their arguments and are
   * refused at execution; results were reviewed there too.
   */
  readonly ofAgent?: boolean;
  /** Context variables set by rails earlier in the same agent run. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Fields with their defaults. */
export type CompleteFields = GuardedModelFields &
  Required<Pick<GuardedModelFields, "main" | "onBlocked" | "tools" | "responseTools">>;

/** The wrapped model's members that the guarded model mirrors. */
export type InnerModel = Runnable &
  Partial<
    Pick<BaseChatModel, "bindTools" | "disableStreaming" | "getNumTokens" | "invocationParams" | "outputVersion">
  > & {
    readonly profile?: ModelProfile;
    readonly callKeys?: readonly string[];
  };

/** Arguments of the base class, set by name: a spread would give each object its own hidden class. */
export function baseParams(
  { outputVersion }: Pick<InnerModel, "outputVersion">,
  { host, callbacks }: GuardedModelFields,
): BaseChatModelParams {
  const params: BaseChatModelParams = {};
  if (outputVersion !== undefined) params.outputVersion = outputVersion;
  if (callbacks !== undefined) params.callbacks = callbacksFor(host, callbacks);
  return params;
}
