import type { BaseCallbackHandler, BaseCallbackHandlerInput } from "@langchain/core/callbacks/base";

/** What a handler in the place of another takes over from it: which runs it ignores, and how it is called. */
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
