import type { Runnable } from "@langchain/core/runnables";
import { LRUCache } from "lru-cache";
import { GuardedChatModel } from "../../langchain/guarded-chat-model.js";
import { rebind, rebuild, TOKEN_KEYS, unbound } from "../../langchain/models/model-traits.js";
import type { Served } from "../configs.js";
import { badRequest } from "../errors.js";

type Parameters = Readonly<Record<string, unknown>>;

/** Target of a request: the guarded model of the configuration, or a variant of it with parameters of the request. */
export interface Target {
  readonly target: Served["target"];
  /** Options of the call. */
  readonly options: Parameters;
}

/** Parameters of OpenAI's API, and the fields in which LangChain models keep them. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  temperature: ["temperature"],
  top_p: ["topP"],
  max_tokens: TOKEN_KEYS,
  max_completion_tokens: TOKEN_KEYS,
  frequency_penalty: ["frequencyPenalty"],
  presence_penalty: ["presencePenalty"],
  seed: ["seed"],
  logit_bias: ["logitBias"],
};

/** Parameters that LangChain models accept per call, or that do not change the response. */
const PASSED: ReadonlySet<string> = new Set([
  ..."tools tool_choice parallel_tool_calls stop response_format".split(" "),
  ..."stream_options user metadata safety_identifier store modalities".split(" "),
  ..."prompt_cache_key prompt_cache_options prompt_cache_retention".split(" "),
]);

/** Maximum number of cached variants of one model, and maximum length of their parameters in characters of JSON. */
const MAX_VARIANTS = 64;
const MAX_KEPT = 1024;

const variants = new WeakMap<Served, LRUCache<string, Promise<Target>>>();

/**
 * Finds the target of a request with these parameters. A LangChain model receives those that it supports. Most models keep them
 * in fields, so each combination is a separate model. Rails keep the model as configured. INVARIANT: a parameter that would have
 * no effect is an error, because silently dropping it would change the response.
 *
 * @throws ApiError 400 for a parameter that the model does not support
 */
export function targetFor(served: Served, parameters: Parameters): Target | Promise<Target> {
  const { target, forwards } = served;
  if (forwards) return { target, options: {} };
  const { tool_choice: choice } = parameters as { readonly tool_choice?: { readonly type?: unknown } };
  if (choice?.type === "allowed_tools") throw unsupported("tool_choice.allowed_tools");
  const sampling = Object.entries(parameters).filter(([name]) => !PASSED.has(name));
  if (sampling.length === 0) return { target, options: {} };
  const unknown = sampling.find(([name]) => !Object.hasOwn(FIELDS, name));
  if (unknown !== undefined) throw unsupported(unknown[0]);
  let known = variants.get(served);
  if (known === undefined) variants.set(served, (known = new LRUCache({ max: MAX_VARIANTS })));
  const key = JSON.stringify(sampling);
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const made = variantOf(served, sampling);
  if (key.length > MAX_KEPT) return made;
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}

async function variantOf({ target, host }: Served, sampling: readonly [string, unknown][]): Promise<Target> {
  const { main } = host.runtime;
  const [first] = sampling[0] ?? [""];
  if (main === undefined || !(target instanceof GuardedChatModel)) throw unsupported(first);
  const model = await resolved(main.native as Runnable);
  const inner = unbound(model) as Runnable & { readonly callKeys?: readonly string[] };
  const fields: Record<string, unknown> = {};
  const options: Record<string, unknown> = {};
  for (const [name, value] of sampling) {
    const names = FIELDS[name] ?? [];
    const field = names.find((candidate) => candidate in inner);
    const option = [name, ...names].find((candidate) => inner.callKeys?.includes(candidate) === true);
    if (option !== undefined) options[option] = value;
    else if (field !== undefined && rebuild(inner, { [field]: value }) !== undefined) fields[field] = value;
    else throw unsupported(name);
  }
  if (Object.keys(fields).length === 0) return { target, options };
  const variant = rebind(model, (bound) => rebuild(bound, fields) ?? bound);
  const guarded = new GuardedChatModel({ inner: variant as never, host, main, toolArgs: true, onBlocked: "refuse" });
  return { target: guarded, options };
}

/** Returns the model that a configurable model creates on demand. */
async function resolved(model: Runnable): Promise<Runnable> {
  const { _getModelInstance: make } = model as { readonly _getModelInstance?: () => Promise<Runnable> };
  return typeof make === "function" ? make.call(model) : model;
}

function unsupported(name: string): Error {
  const message = `Unsupported parameter: '${name}' is not supported with this model.`;
  return badRequest(message, name, "unsupported_parameter");
}
