import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { CallbackManager } from "@langchain/core/callbacks/manager";
import type { RunnableConfig } from "@langchain/core/runnables";
import { quarantineConfig } from "../callbacks.js";
import type { Host } from "../host.js";
import { quietHandler } from "./quarantine.js";
import { callbacksFor } from "../redaction/redact-config.js";
import { nodeConfig } from "../agent/agent-call.js";

export interface NodeQuarantine {
  /** Handlers that receive reviewed output in place of the node's own. */
  readonly handlers: BaseCallbackHandler[];
  /** Notifies stream consumers alone of runs whose end was reviewed. */
  readonly manager?: CallbackManager;
  restore(): void;
}

/**
 * INVARIANT: a middleware inside may ask a model of its own, and a tool ends its run before any rail has reviewed its
 * result. So while either runs, the handlers of the node see no token and no such end; they receive what was released. The
 * config is the node's own: LangGraph makes one for every run of a node.
 */
export function quarantineNode(host: Host): NodeQuarantine {
  const config = nodeConfig() as MutableConfig | undefined;
  if (config === undefined) return { handlers: [], restore: () => undefined };
  const before = { callbacks: config.callbacks, configurable: config.configurable, writer: config.writer };
  const quiet = quarantineConfig(config as RunnableConfig, host.rawTokens) as MutableConfig;
  const { callbacks } = before;
  const shown = callbacks === undefined ? undefined : callbacksFor(host, quiet.callbacks ?? []);
  const restore = (): void => assignKnown(config, before);
  assignKnown(config, { ...quiet, callbacks: shown });
  if (callbacks === undefined || shown === callbacks || host.rawTokens === "allow") return { handlers: [], restore };
  if (Array.isArray(callbacks)) return { handlers: releasedHandlers(callbacks as BaseCallbackHandler[]), restore };
  const all = callbacks as CallbackManager;
  const manager = all.copy();
  manager.handlers = all.handlers.filter((handler) => quietHandler(handler) === undefined);
  manager.inheritableHandlers = [];
  return { handlers: releasedHandlers(all.handlers), manager, restore };
}

/** The parts of a node's config through which something is shown. */
interface MutableConfig {
  callbacks?: RunnableConfig["callbacks"];
  configurable?: RunnableConfig["configurable"];
  writer?: unknown;
}

function assignKnown(config: MutableConfig, { callbacks, configurable, writer }: MutableConfig): void {
  if (config.callbacks !== callbacks) config.callbacks = callbacks;
  if (config.configurable !== configurable) config.configurable = configurable;
  if (config.writer !== writer) config.writer = writer;
}

/**
 * Handlers that receive what a quarantine holds back: stream consumers as they are, and of the others that observe
 * tokens only that part of them.
 */
function releasedHandlers(handlers: readonly BaseCallbackHandler[]): BaseCallbackHandler[] {
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
