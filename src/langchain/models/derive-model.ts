import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import { isObject } from "../values/message-kinds.js";

/** Parameters that most providers only take in the constructor. */
export interface DerivedParameters {
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/** A model and the options to call it with. */
export interface DerivedModel {
  readonly model: Runnable;
  readonly options: Readonly<Record<string, unknown>>;
}

type Model = Runnable & Readonly<Record<string, unknown>>;

const TOKEN_KEYS = ["maxTokens", "maxOutputTokens", "numPredict", "max_tokens", "maxCompletionTokens"] as const;
const MAX_VARIANTS = 64;

const variants = new WeakMap<object, Map<string, DerivedModel>>();

/**
 * The same model with other parameters. Providers take temperature and length in the constructor, so that a second model
 * is built from the first one's own constructor arguments and kept for the next call.
 * INVARIANT: the given model is never changed, so that two calls at once cannot mix.
 */
export async function deriveModel(
  model: Runnable,
  parameters: DerivedParameters,
  config?: RunnableConfig,
): Promise<DerivedModel> {
  if (parameters.temperature === undefined && parameters.maxTokens === undefined) return { model, options: {} };
  const resolved = (await resolveConfigurable(model, config)) as Model;
  const known = variants.get(resolved) ?? new Map<string, DerivedModel>();
  const key = JSON.stringify([parameters.temperature, parameters.maxTokens]);
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const derived = derive(resolved, parameters);
  if (known.size >= MAX_VARIANTS) known.clear();
  known.set(key, derived);
  variants.set(resolved, known);
  return derived;
}

function derive(model: Model, parameters: DerivedParameters): DerivedModel {
  const inner = model["bound"];
  if (isObject(inner) && inner["lc_runnable"] === true)
    return deriveBinding(model, inner as unknown as Model, parameters);
  const fields = constructorFields(model, parameters);
  const rebuilt = Object.keys(fields).length > 0 ? rebuild(model, fields) : undefined;
  if (rebuilt !== undefined) return { model: rebuilt, options: callOptions(model, parameters, fields) };
  return { model, options: callOptions(model, parameters, {}) };
}

function deriveBinding(binding: Model, inner: Model, parameters: DerivedParameters): DerivedModel {
  const derived = derive(inner, parameters);
  if (derived.model === inner) return { model: binding, options: derived.options };
  const rebuilt = construct(binding, {
    bound: derived.model,
    kwargs: binding["kwargs"],
    config: binding["config"],
    configFactories: binding["configFactories"],
  });
  return rebuilt === undefined
    ? { model: binding, options: { ...parameters } }
    : { model: rebuilt, options: derived.options };
}

/** The parameters this model knows as fields, under its own names. */
function constructorFields(model: Model, parameters: DerivedParameters): Readonly<Record<string, number>> {
  const fields: Record<string, number> = {};
  if (parameters.temperature !== undefined && "temperature" in model) fields["temperature"] = parameters.temperature;
  const tokenKey = TOKEN_KEYS.find((key) => key in model);
  if (parameters.maxTokens !== undefined && tokenKey !== undefined) fields[tokenKey] = parameters.maxTokens;
  return fields;
}

function callOptions(
  model: Model,
  parameters: DerivedParameters,
  fields: Readonly<Record<string, number>>,
): Readonly<Record<string, unknown>> {
  const byCall: Record<string, unknown> = {};
  if (parameters.temperature !== undefined && !("temperature" in fields))
    byCall["temperature"] = parameters.temperature;
  const tokensTaken = TOKEN_KEYS.some((key) => key in fields && key in model);
  if (parameters.maxTokens !== undefined && !tokensTaken) byCall["maxTokens"] = parameters.maxTokens;
  return byCall;
}

/** The same model with other callback handlers; undefined if it cannot be rebuilt. */
export function withCallbacks(model: Runnable, callbacks: readonly unknown[]): Runnable | undefined {
  return rebuild(model as Model, { callbacks });
}

/** Only for models that follow LangChain's convention of one object of serialisable constructor arguments. */
function rebuild(model: Model, fields: Readonly<Record<string, unknown>>): Runnable | undefined {
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

/** `initChatModel` gives a model that makes the real one on demand. */
async function resolveConfigurable(model: Runnable, config: RunnableConfig | undefined): Promise<Runnable> {
  const resolve = (model as { _getModelInstance?: unknown })._getModelInstance;
  if (typeof resolve !== "function") return model;
  return (await (resolve as (config?: RunnableConfig) => Promise<Runnable>).call(model, config)) ?? model;
}
