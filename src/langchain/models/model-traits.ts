import type { MaybePromise } from "../../engine/async.js";
import { omitUndefined } from "../../engine/plain-data.js";
import type { ModelParameters } from "../../llm/model.js";
import { isObject } from "../values/message-kinds.js";
import { type Runnable, RunnableBinding, type RunnableConfig } from "@langchain/core/runnables";

/** Properties of a LangChain model, read from its fields. */
export interface ModelTraits {
  readonly engine: string;
  readonly name: string;
  readonly family: "chat" | "text";
  /** True if the model accepts images. Default: derived from its profile and name. */
  readonly images?: boolean | undefined;
}

const UNKNOWN = "unknown";
const MAX_WRAPPERS = 16;

/** Configuration engine names that differ from LangChain's `_llmType`. */
const ENGINE_NAMES: Readonly<Record<string, string>> = {
  "openai-chat": "openai",
  googlegenerativeai: "google_genai",
  chat_google: "google_genai",
  mistral_ai: "mistralai",
  amazon_bedrock: "bedrock",
};

/** Engine, name and kind of a model; for a bound or configured model, those of the inner model. */
export function traitsOf(native: unknown): ModelTraits {
  const model = unwrap(native, isWrapper);
  const configurable: unknown = isObject(model) ? model["_defaultConfig"] : undefined;
  if (isObject(configurable)) {
    const engine = firstString(configurable, ["modelProvider"]);
    return { engine: engine ?? UNKNOWN, name: firstString(configurable, ["model"]) ?? UNKNOWN, family: "chat" };
  }
  const name = firstString(model, ["model", "modelName", "model_name", "modelId", "deploymentName"]);
  return { engine: engineOf(model), name: name ?? UNKNOWN, family: isTextModel(model) ? "text" : "chat" };
}

/** Returns true for a text model (LangChain's `BaseLLM`). */
export function isTextModel(native: unknown): boolean {
  return callString(native, "_modelType") === "base_llm";
}

/** Vision-capable guard models, whose providers often have no profile for them. */
const SEEING = /llama-?guard-?(?:4|3-11b)|llama-4|vision|-vl\b|gpt-4o|gpt-4\.1|pixtral/i;

/** Returns true if a model's profile or name says that it accepts images. */
export function hasImageInputs(native: unknown, name: string): boolean {
  try {
    const profile: unknown = isObject(native) ? native["profile"] : undefined;
    const stated = isObject(profile) ? profile["imageInputs"] : undefined;
    return typeof stated === "boolean" ? stated : SEEING.test(name);
  } catch {
    return false;
  }
}

/** Reasoning models reject a temperature and stop sequences. */
export function refusedParameters(traits: ModelTraits): ReadonlySet<string> {
  const name = traits.name.slice(traits.name.lastIndexOf("/") + 1).toLowerCase();
  const reasons = /^o\d/.test(name) || (name.startsWith("gpt-5") && !name.startsWith("gpt-5-chat"));
  return new Set(reasons ? ["temperature", "stop"] : []);
}

/** Returns true for a wrapper: `withConfig` and `bindTools` keep the inner runnable in `bound`. */
function isWrapper(model: unknown): model is Model & { readonly bound: Model } {
  return isObject(model) && isObject(model["bound"]) && model["bound"]["lc_runnable"] === true;
}

function unwrap(native: unknown, isLayer: (model: unknown) => model is { readonly bound: unknown }): unknown {
  let model = native;
  for (let depth = 0; depth < MAX_WRAPPERS && isLayer(model); depth += 1) model = model.bound;
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

/** Returns the model inside plain bindings (`withConfig`, `bindTools`); any other runnable unchanged. */
export function unbound(native: unknown): unknown {
  return unwrap(native, isPlainBinding);
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

/** Options that bindings add to each call; outer bindings win. */
export function boundOptions(native: unknown): Readonly<Record<string, unknown>> {
  if (!isPlainBinding(native)) return {};
  return { ...boundOptions(native.bound), ...native.kwargs };
}

/** Rebuilds the same bindings around another model. */
export function rebind(native: Runnable, change: (model: Runnable) => Runnable): Runnable {
  if (!isPlainBinding(native)) return change(native);
  return bindingAround(native, rebind(native.bound, change));
}

/** Copies a binding around another runnable. Default config: that of the binding. */
export function bindingAround(
  { config, kwargs, configFactories }: RunnableBinding<unknown, unknown>,
  bound: Runnable,
  changed: RunnableConfig = config,
): Runnable {
  return new RunnableBinding({ bound, config: changed, ...omitUndefined({ kwargs, configFactories }) });
}

/** Retries, histories and other subclasses do more than pass options on. */
function isPlainBinding(native: unknown): native is RunnableBinding<unknown, unknown> {
  if (!isObject(native) || !RunnableBinding.isRunnableBinding(native)) return false;
  return (native.constructor as { lc_name?: () => string }).lc_name?.() === "RunnableBinding";
}

/** Parameters that most providers accept only in the constructor. */
type DerivedParameters = Pick<ModelParameters, "temperature" | "maxTokens">;

/** A model and the options to call it with. */
interface DerivedModel {
  readonly model: Runnable;
  readonly options: Readonly<Record<string, unknown>>;
}

type Model = Runnable & Readonly<Record<string, unknown>>;

/** Fields in which models keep the maximum response length. */
export const TOKEN_KEYS = ["maxTokens", "maxOutputTokens", "numPredict", "max_tokens", "maxCompletionTokens"] as const;

const MAX_VARIANTS = 64;

const variants = new WeakMap<object, Map<string, DerivedModel>>();

/**
 * The same model with other parameters. Providers take temperature and length in the constructor, so that a second model
 * is built from the first one's own constructor arguments and kept for the next call.
 * INVARIANT: the given model is never changed, so that two calls at once cannot mix.
 */
export function deriveModel(
  model: Runnable,
  parameters: DerivedParameters,
  config?: RunnableConfig,
): MaybePromise<DerivedModel> {
  if (parameters.temperature === undefined && parameters.maxTokens === undefined) return { model, options: {} };
  // `initChatModel` gives a model that makes the real one on demand.
  const { _getModelInstance: resolve } = model as {
    _getModelInstance?: (config?: RunnableConfig) => Promise<Runnable>;
  };
  if (typeof resolve !== "function") return knownVariant(model as Model, parameters);
  return resolve.call(model, config).then((resolved) => knownVariant((resolved ?? model) as Model, parameters));
}

function knownVariant(model: Model, parameters: DerivedParameters): DerivedModel {
  const known = variants.get(model) ?? new Map<string, DerivedModel>();
  const key = `${parameters.temperature} ${parameters.maxTokens}`;
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const derived = derive(model, parameters);
  if (known.size >= MAX_VARIANTS) known.clear();
  known.set(key, derived);
  variants.set(model, known);
  return derived;
}

function derive(model: Model, parameters: DerivedParameters): DerivedModel {
  if (isWrapper(model)) {
    const { bound, kwargs, config, configFactories } = model;
    const derived = derive(bound, parameters);
    if (derived.model === bound) return { model, options: derived.options };
    const rebuilt = construct(model, { bound: derived.model, kwargs, config, configFactories });
    return rebuilt === undefined ? { model, options: { ...parameters } } : { ...derived, model: rebuilt };
  }
  const { temperature, maxTokens } = parameters;
  const tokenKey = TOKEN_KEYS.find((key) => key in model);
  const fields = omitUndefined({
    temperature: "temperature" in model ? temperature : undefined,
    [tokenKey ?? ""]: tokenKey === undefined ? undefined : maxTokens,
  });
  const rebuilt = Object.keys(fields).length > 0 ? rebuild(model, fields) : undefined;
  if (rebuilt === undefined) return { model, options: { ...parameters } };
  const options = omitUndefined({
    temperature: "temperature" in model ? undefined : temperature,
    maxTokens: tokenKey === undefined ? maxTokens : undefined,
  });
  return { model: rebuilt, options };
}

/**
 * The same model with other constructor arguments; undefined if it cannot be rebuilt. Only for models that follow LangChain's
 * convention of one object of serialisable arguments.
 */
export function rebuild(native: Runnable, fields: Readonly<Record<string, unknown>>): Runnable | undefined {
  const model = native as Model;
  const given = model["lc_kwargs"];
  if (model["lc_serializable"] !== true || !isObject(given)) return undefined;
  const { completions: _completions, responses: _responses, ...kwargs } = given;
  const rebuilt = construct(model, { ...kwargs, ...fields });
  if (rebuilt === undefined || !Object.entries(fields).every(([key, value]) => (rebuilt as Model)[key] === value)) {
    return undefined;
  }
  // `withConfig` of some providers keeps bound tools and options here instead of in a binding.
  return "defaultOptions" in model ? Object.assign(rebuilt, { defaultOptions: model["defaultOptions"] }) : rebuilt;
}

function construct(model: Model, fields: Readonly<Record<string, unknown>>): Runnable | undefined {
  try {
    const Constructor = model.constructor as new (fields: unknown) => Runnable;
    return new Constructor(fields);
  } catch {
    return undefined;
  }
}
