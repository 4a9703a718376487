import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager, type Callbacks } from "@langchain/core/callbacks/manager";
import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { Host } from "../host.js";
import { redactHandler } from "./redacted-handler.js";

/**
 * The config with all listeners redacted: those of the call, those of a run around it that LangChain knows of, and the
 * tracer that the environment switches on.
 */
export function redactConfig<Config extends RunnableConfig>(given: Config | undefined): Config {
  const config = ensureConfig(given);
  const callbacks = redactCallbacks(config.callbacks);
  return callbacks === undefined ? config : { ...config, callbacks };
}

/** The listeners as a host lets them listen. */
export function callbacksFor({ redactTraces }: Pick<Host, "redactTraces">, callbacks: Callbacks): Callbacks {
  return (redactTraces === true ? redactCallbacks(callbacks) : undefined) ?? callbacks;
}

function redactCallbacks(callbacks: Callbacks | undefined): CallbackManager | undefined {
  // INVARIANT: this is where LangChain adds the environment's tracer, so that it does not add another one later.
  const manager = CallbackManager._configureSync(callbacks);
  if (manager === undefined) return undefined;
  const copy = manager.copy();
  copy.handlers = each(manager.handlers);
  copy.inheritableHandlers = each(manager.inheritableHandlers);
  return copy;
}

function each(handlers: readonly BaseCallbackHandler[]): BaseCallbackHandler[] {
  return handlers.map(redactHandler);
}
