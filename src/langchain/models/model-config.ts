import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import { type AIMessage, type BaseMessage, coerceMessageLikeToMessage, HumanMessage } from "@langchain/core/messages";
import { shapeError } from "../shape-error.js";
import { isPromptValue, cloneMessage, isMessage, isObject, copyOf } from "../values/message-kinds.js";
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { LLMResult } from "@langchain/core/outputs";
import { childManager, ForwardingHandler, type RawTokens, quietHandler } from "../callbacks.js";

/**
 * Builds the child config of a model run; of LangChain's run managers, only those of models lack `getChild`.
 *
 * @param caller - the config of the call, completed by LangChain
 */
export function childConfig(
  caller: RunnableConfig | undefined,
  runManager: CallbackManagerForLLMRun | undefined,
  signal: AbortSignal | undefined,
): RunnableConfig {
  const { callbacks: _replaced, runName: _ours, runId: _id, ...config }: RunnableConfig = caller ?? ensureConfig();
  if (signal !== undefined) config.signal = signal;
  if (runManager === undefined) return config;
  // A run has these parts, but their types are protected.
  return { ...config, callbacks: childManager(runManager.runId, runManager as never) };
}

/**
 * Splits call options into LangChain's completed config and the options of the model, as the base class does. The base
 * class deletes keys from a copy, which V8 then stores as a slow dictionary.
 */
export function separateOptions(
  options: object = {},
): [config: RunnableConfig, callOptions: Record<PropertyKey, unknown>] {
  const { callbacks, tags, metadata, runName, configurable, recursionLimit, maxConcurrency, ...others } =
    options as RunnableConfig & Record<PropertyKey, unknown>;
  const { runId, timeout, signal, ...callOptions } = others;
  const callConfig: RunnableConfig = {};
  if (callbacks !== undefined) callConfig.callbacks = callbacks;
  if (tags !== undefined) callConfig.tags = tags;
  if (metadata !== undefined) callConfig.metadata = metadata;
  if (runName !== undefined) callConfig.runName = runName;
  if (configurable !== undefined) callConfig.configurable = configurable;
  if (recursionLimit !== undefined) callConfig.recursionLimit = recursionLimit;
  if (maxConcurrency !== undefined) callConfig.maxConcurrency = maxConcurrency;
  if (runId !== undefined) callConfig.runId = runId;
  if (timeout !== undefined) callConfig.timeout = timeout;
  if (signal !== undefined) callConfig.signal = signal;
  const config = ensureConfig(callConfig);
  callOptions["signal"] = config.signal;
  return [config, callOptions];
}

/** Config with the keys that LangGraph adds for its nodes; the base class takes those for model options. */
export function callerConfig(config: RunnableConfig, options: object = {}): RunnableConfig {
  const { store, writer } = options as { readonly store?: unknown; readonly writer?: unknown };
  if (store === undefined && writer === undefined) return config;
  return { ...config, ...(store !== undefined && { store }), ...(writer !== undefined && { writer }) };
}

/**
 * Messages of a chat model's input.
 *
 * @throws InputShapeError for a value that no chat model accepts
 */
export function toMessages(input: BaseLanguageModelInput): BaseMessage[] {
  if (typeof input === "string") return [new HumanMessage(input)];
  if (Array.isArray(input)) return input.map(coerceMessageLikeToMessage);
  const given: unknown = input;
  if (isPromptValue(given)) return given.toChatMessages();
  throw shapeError("expected a model input", given, "pass a string, a list of messages or a prompt value");
}

const PASSED_ON = ["handleLLMError", "handleLLMNewToken", "handleChatModelStreamEvent", "handleText"];

/**
 * The runs of a guarded model and its inner model end with the same cost. Handlers that see both receive it only from
 * the inner run, so sums count it once; those that see only the guarded run keep it.
 */
export function countUsageOnce(run: CallbackManagerForLLMRun, rawTokens: RawTokens): void {
  const { inheritableHandlers } = run as unknown as { inheritableHandlers: readonly BaseCallbackHandler[] };
  const seesBoth = (handler: BaseCallbackHandler): boolean =>
    inheritableHandlers.includes(handler) && (rawTokens === "allow" || quietHandler(handler) !== undefined);
  if (!run.handlers.some(seesBoth)) return;
  // INVARIANT: the list is replaced, not mutated, since the manager of the whole call shares it.
  const handlers = run.handlers.map((handler) => (seesBoth(handler) ? costless(handler) : handler));
  Object.assign(run, { handlers });
}

const costlessHandlers = new WeakMap<BaseCallbackHandler, BaseCallbackHandler>();

function costless(handler: BaseCallbackHandler): BaseCallbackHandler {
  const known = costlessHandlers.get(handler);
  if (known !== undefined) return known;
  const made = new CostlessHandler(handler);
  costlessHandlers.set(handler, made);
  return made;
}

/** Forwards the end of a run without its usage. */
class CostlessHandler extends ForwardingHandler {
  readonly #handler: BaseCallbackHandler;

  constructor(handler: BaseCallbackHandler) {
    const { ignoreLLM, raiseError, awaitHandlers } = handler;
    super(handler, PASSED_ON, { ignoreLLM, raiseError, _awaitHandler: awaitHandlers });
    this.#handler = handler;
  }

  override handleLLMEnd(output: LLMResult, ...rest: [string, string?, string[]?, Record<string, unknown>?]): unknown {
    return this.#handler.handleLLMEnd?.(withoutUsage(output), ...rest);
  }
}

function withoutUsage({ llmOutput, generations, ...rest }: LLMResult): LLMResult {
  const { tokenUsage: _tokens, estimatedTokenUsage: _estimate, ...kept } = llmOutput ?? {};
  return {
    ...rest,
    ...(Object.keys(kept).length === 0 ? {} : { llmOutput: kept }),
    generations: generations.map((list) =>
      list.map((generation) => {
        const { message } = (isObject(generation) ? generation : {}) as { readonly message?: unknown };
        if (!isMessage(message) || (message as AIMessage).usage_metadata === undefined) return generation;
        return copyOf(generation, { message: cloneMessage(message, { usage_metadata: undefined }) });
      }),
    ),
  };
}
