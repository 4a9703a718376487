import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { quietHandler } from "./quarantine.js";

/**
 * What a quarantine took from these handlers: those that live from tokens as they are, and of the others that listen to
 * tokens only that part of them.
 */
export function releasedListeners(handlers: readonly BaseCallbackHandler[]): BaseCallbackHandler[] {
  return handlers.flatMap((handler) => {
    const quiet = quietHandler(handler);
    if (quiet === undefined) return [handler];
    return quiet === handler ? [] : [new TokenListener(handler)];
  });
}

const TOKEN_METHODS = ["handleLLMNewToken", "handleChatModelStreamEvent"] as const;

class TokenListener extends BaseCallbackHandler {
  readonly name: string;

  constructor(handler: BaseCallbackHandler) {
    super({ ignoreChain: true, ignoreAgent: true, ignoreRetriever: true, _awaitHandler: handler.awaitHandlers });
    this.name = handler.name;
    for (const method of TOKEN_METHODS) {
      const original: unknown = (handler as unknown as Record<string, unknown>)[method];
      if (typeof original === "function") Object.assign(this, { [method]: original.bind(handler) as unknown });
    }
  }
}
