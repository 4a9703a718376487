import { type Runnable, RunnableBinding, type RunnableConfig } from "@langchain/core/runnables";
import { isTextModel } from "./model-traits.js";
import { isObject } from "../values/message-kinds.js";

const MAX_BINDINGS = 16;

/** The model inside plain bindings, as `withConfig` and `bindTools` make them; any other runnable as it is. */
export function unbound(native: unknown): unknown {
  let model = native;
  for (let depth = 0; depth < MAX_BINDINGS && isPlainBinding(model); depth += 1) model = model.bound;
  return model;
}

/** Returns true for a model, also inside plain bindings. */
export function isModel(native: unknown): native is Runnable {
  const model = unbound(native);
  return isObject(model) && "_streamResponseChunks" in model;
}

/** Returns true for a chat model, also inside plain bindings. */
export function isChatModel(native: unknown): native is Runnable {
  return isModel(native) && !isTextModel(unbound(native));
}

/** Options that bindings give to each call of the model, the outer ones winning. */
export function boundOptions(native: unknown): Readonly<Record<string, unknown>> {
  if (!isPlainBinding(native)) return {};
  return { ...boundOptions(native.bound), ...native.kwargs };
}

/** The same bindings around another model. */
export function rebind(native: Runnable, change: (model: Runnable) => Runnable): Runnable {
  if (!isPlainBinding(native)) return change(native);
  const { bound, config, kwargs, configFactories } = native;
  return new RunnableBinding({
    bound: rebind(bound, change),
    config: config as RunnableConfig,
    ...(kwargs === undefined ? {} : { kwargs }),
    ...(configFactories === undefined ? {} : { configFactories }),
  });
}

/** Retries, histories and other subclasses do more than hand options on. */
function isPlainBinding(native: unknown): native is RunnableBinding<unknown, unknown> {
  if (!isObject(native) || !RunnableBinding.isRunnableBinding(native)) return false;
  return (native.constructor as { lc_name?: () => string }).lc_name?.() === "RunnableBinding";
}
