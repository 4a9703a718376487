import { isObject } from "../values/message-kinds.js";
import { type Runnable, RunnableBinding, type RunnableConfig } from "@langchain/core/runnables";

/** Properties of a LangChain model, read from its fields. */
export interface ModelTraits {
  readonly engine: string;
  readonly name: string;
  readonly family: "chat" | "text";
}

const UNKNOWN = "unknown";
const MAX_WRAPPERS = 16;

/** LangChain's `_llmType` names to the engine names of configurations. */
const ENGINE_NAMES: Readonly<Record<string, string>> = {
  "openai-chat": "openai",
  azure_openai: "azure_openai",
  google_genai: "google_genai",
  googlegenerativeai: "google_genai",
  chat_google: "google_genai",
  vertexai: "vertexai",
  mistral_ai: "mistralai",
  amazon_bedrock: "bedrock",
};

/** Engine, name and kind of a model; for a bound or configured model, those of the inner model. */
export function traitsOf(native: unknown): ModelTraits {
  const model = innermost(native);
  const configurable: unknown = isObject(model) ? model["_defaultConfig"] : undefined;
  if (isObject(configurable)) {
    const engine = firstString(configurable, ["modelProvider"]);
    return { engine: engine ?? UNKNOWN, name: firstString(configurable, ["model"]) ?? UNKNOWN, family: "chat" };
  }
  const name = firstString(model, ["model", "modelName", "model_name", "modelId", "deploymentName"]);
  return { engine: engineOf(model), name: name ?? UNKNOWN, family: isTextModel(model) ? "text" : "chat" };
}

/** Returns true for a model of texts, LangChain's `BaseLLM`. */
export function isTextModel(native: unknown): boolean {
  return callString(native, "_modelType") === "base_llm";
}

/** Reasoning models refuse a temperature and stop sequences. */
export function refusedParameters(traits: ModelTraits): ReadonlySet<string> {
  const name = traits.name.slice(traits.name.lastIndexOf("/") + 1).toLowerCase();
  const reasons = /^o\d/.test(name) || (name.startsWith("gpt-5") && !name.startsWith("gpt-5-chat"));
  return new Set(reasons ? ["temperature", "stop"] : []);
}

/** `bound` is where LangChain keeps the runnable behind `withConfig` and `bindTools`. */
function innermost(native: unknown): unknown {
  let model = native;
  for (let depth = 0; depth < MAX_WRAPPERS; depth += 1) {
    const { bound } = (typeof model === "object" && model !== null ? model : {}) as { bound?: unknown };
    if (!isObject(bound) || bound["lc_runnable"] !== true) return model;
    model = bound;
  }
  return model;
}

function engineOf(model: unknown): string {
  const type = callString(model, "_llmType");
  if (type !== undefined) return Object.hasOwn(ENGINE_NAMES, type) ? (ENGINE_NAMES[type] ?? type) : type;
  const namespace: unknown = isObject(model) ? model["lc_namespace"] : undefined;
  const last: unknown = Array.isArray(namespace) ? namespace.at(-1) : undefined;
  return typeof last === "string" && last !== "" ? last : UNKNOWN;
}

function firstString(model: unknown, keys: readonly string[]): string | undefined {
  if (!isObject(model)) return undefined;
  const found = keys.map((key) => model[key]).find((value) => typeof value === "string" && value !== "");
  return found as string | undefined;
}

function callString(model: unknown, method: string): string | undefined {
  if (!isObject(model)) return undefined;
  const fn = model[method];
  if (typeof fn !== "function") return undefined;
  const value: unknown = (fn as () => unknown).call(model);
  return typeof value === "string" ? value : undefined;
}

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
  return bindingAround(native, rebind(native.bound, change));
}

/** A copy of a binding around another runnable, with its own config unless another is given. */
export function bindingAround(
  { config, kwargs, configFactories }: RunnableBinding<unknown, unknown>,
  bound: Runnable,
  changed: RunnableConfig = config,
): Runnable {
  return new RunnableBinding({
    bound,
    config: changed,
    ...(kwargs === undefined ? {} : { kwargs }),
    ...(configFactories === undefined ? {} : { configFactories }),
  });
}

/** Retries, histories and other subclasses do more than hand options on. */
function isPlainBinding(native: unknown): native is RunnableBinding<unknown, unknown> {
  if (!isObject(native) || !RunnableBinding.isRunnableBinding(native)) return false;
  return (native.constructor as { lc_name?: () => string }).lc_name?.() === "RunnableBinding";
}
