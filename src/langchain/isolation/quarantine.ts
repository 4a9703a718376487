import { BaseCallbackHandler, type BaseCallbackHandlerInput } from "@langchain/core/callbacks/base";

const METHODS = [
  "handleLLMStart",
  "handleLLMError",
  "handleLLMEnd",
  "handleChatModelStart",
  "handleChainStart",
  "handleChainError",
  "handleChainEnd",
  "handleToolStart",
  "handleToolError",
  "handleToolEnd",
  "handleText",
  "handleAgentAction",
  "handleAgentEnd",
  "handleRetrieverStart",
  "handleRetrieverEnd",
  "handleRetrieverError",
  "handleCustomEvent",
] as const;

interface StreamingPreferences {
  readonly lc_prefer_streaming?: boolean;
  readonly lc_prefer_chat_model_stream_events?: boolean;
  readonly handleLLMNewToken?: unknown;
  readonly handleChatModelStreamEvent?: unknown;
  readonly _addRunToRunMap?: unknown;
}

const quieted = new WeakMap<BaseCallbackHandler, BaseCallbackHandler>();

/**
 * A handler that sees the runs but not the tokens; undefined for one that only lives from tokens. Tracers, which record
 * runs without showing them to users, stay unchanged.
 */
export function quietHandler(handler: BaseCallbackHandler): BaseCallbackHandler | undefined {
  const preferences = handler as StreamingPreferences;
  if (preferences.lc_prefer_streaming || preferences.lc_prefer_chat_model_stream_events) return undefined;
  if (typeof preferences._addRunToRunMap === "function") return handler;
  const listens = preferences.handleLLMNewToken !== undefined || preferences.handleChatModelStreamEvent !== undefined;
  if (!listens) return handler;
  const known = quieted.get(handler);
  if (known !== undefined) return known;
  const wrapped = new QuietHandler(handler);
  quieted.set(handler, wrapped);
  return wrapped;
}

/** Hands every callback but the token ones on to the handler behind it. */
class QuietHandler extends BaseCallbackHandler {
  readonly name: string;

  constructor(handler: BaseCallbackHandler) {
    super(handlerTraits(handler));
    this.name = handler.name;
    for (const method of METHODS) {
      const original: unknown = handler[method];
      if (typeof original === "function") Object.assign(this, { [method]: original.bind(handler) as unknown });
    }
  }
}

/** Settings that a replacement handler takes over: the runs it ignores, and how it is called. */
export function handlerTraits(handler: BaseCallbackHandler): BaseCallbackHandlerInput {
  return {
    ignoreLLM: handler.ignoreLLM,
    ignoreChain: handler.ignoreChain,
    ignoreAgent: handler.ignoreAgent,
    ignoreRetriever: handler.ignoreRetriever,
    ignoreCustomEvent: handler.ignoreCustomEvent,
    raiseError: handler.raiseError,
    _awaitHandler: handler.awaitHandlers,
  };
}
