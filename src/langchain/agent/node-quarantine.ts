import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { CallbackManager } from "@langchain/core/callbacks/manager";
import type { RunnableConfig } from "@langchain/core/runnables";
import { quarantineConfig } from "../callbacks.js";
import type { Host } from "../host.js";
import { quietHandler } from "../quarantine.js";
import { callbacksFor } from "../redaction/redact-config.js";
import { nodeConfig } from "./agent-call.js";
import { releasedListeners } from "./released-listeners.js";

export interface NodeQuarantine {
  /** What the quarantine took from the node's listeners, for what was reviewed. */
  readonly listeners: BaseCallbackHandler[];
  /** Tells only those who live from streams about runs whose end was reviewed. */
  readonly manager?: CallbackManager;
  restore(): void;
}

/**
 * INVARIANT: a middleware inside may ask a model of its own, and a tool ends its run before anybody has looked at its
 * result. So while either runs, the node's listeners see no token and no such end; they are told what was released. The
 * config is the node's own: LangGraph makes one for every run of a node.
 */
export function quarantineNode(host: Host): NodeQuarantine {
  const config = nodeConfig() as { callbacks?: RunnableConfig["callbacks"] } | undefined;
  const before = config?.callbacks;
  const nothing: NodeQuarantine = { listeners: [], restore: () => undefined };
  if (config === undefined || before === undefined) return nothing;
  const quiet = callbacksFor(host, quarantineConfig({ callbacks: before }, host.rawTokens).callbacks ?? []);
  if (quiet === before) return nothing;
  config.callbacks = quiet;
  const restore = (): void => {
    config.callbacks = before;
  };
  if (host.rawTokens === "allow") return { listeners: [], restore };
  if (Array.isArray(before)) return { listeners: releasedListeners(before as BaseCallbackHandler[]), restore };
  const all = before as CallbackManager;
  const manager = all.copy();
  manager.handlers = all.handlers.filter((handler) => quietHandler(handler) === undefined);
  manager.inheritableHandlers = [];
  return { listeners: releasedListeners(all.handlers), manager, restore };
}
