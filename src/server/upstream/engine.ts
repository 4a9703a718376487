import { processEnvironment, variable } from "../../config/environment.js";
import type { ModelSettings } from "../../config/settings.js";
import { ENGINES } from "../../langchain/models/engine-table.js";
import { UpstreamClient, type UpstreamPools } from "./client.js";
import { ForwardingChatModel } from "./forwarding-model.js";

/** Engines that implement OpenAI's API, with the address of the first. */
const OPENAI_URL = "https://api.openai.com/v1";
const COMPATIBLE: ReadonlySet<string> = new Set(["openai", "nim", "nvidia_ai_endpoints", "vllm_openai", "lm_studio"]);

/** Parameters of a configuration that configure the client. */
const CLIENT_PARAMETERS: ReadonlySet<string> = new Set([
  "base_url",
  "openai_api_base",
  "api_key",
  "openai_api_key",
  "timeout",
  "request_timeout",
  "max_retries",
  "streaming",
]);

/** Parameters that a call passes on under the same names. */
const CALL_PARAMETERS: ReadonlySet<string> = new Set([
  ..."temperature top_p max_tokens max_completion_tokens frequency_penalty presence_penalty seed stop".split(" "),
  ..."reasoning_effort service_tier verbosity user logit_bias".split(" "),
]);

/**
 * Creates the forwarding model of a model entry in the configuration; undefined if the entry needs LangChain's class: another
 * engine, a text model, a cache, or parameters that are not part of OpenAI's API.
 */
export function forwardingModel(settings: ModelSettings, pools: UpstreamPools): ForwardingChatModel | undefined {
  const { engine, model, mode, parameters, cache } = settings;
  if (!COMPATIBLE.has(engine) || model === null || mode !== "chat" || cache.enabled) return undefined;
  const names = Object.keys(parameters);
  if (!names.every((name) => CLIENT_PARAMETERS.has(name) || CALL_PARAMETERS.has(name))) return undefined;
  const baseUrl = baseUrlOf(settings);
  const apiKey = keyOf(settings);
  // Without its own key and address, LangChain's client reports what is missing.
  if (baseUrl === undefined || (apiKey === undefined && baseUrl === OPENAI_URL)) return undefined;
  const timeout = parameters["request_timeout"] ?? parameters["timeout"];
  const client = new UpstreamClient(pools, {
    baseUrl,
    apiKey,
    ...(typeof timeout === "number" ? { timeoutMs: timeout } : {}),
  });
  const sent = Object.entries(parameters).filter(([name]) => CALL_PARAMETERS.has(name));
  return new ForwardingChatModel({ client, model, parameters: Object.fromEntries(sent) });
}

function baseUrlOf({ engine, parameters }: ModelSettings): string | undefined {
  const given = parameters["base_url"] ?? parameters["openai_api_base"];
  if (typeof given === "string") return URL.canParse(given) ? given : undefined;
  const defaultUrl = ENGINES[engine]?.baseURL;
  return (
    defaultUrl ?? (engine === "openai" ? (variable(processEnvironment(), "OPENAI_BASE_URL") ?? OPENAI_URL) : undefined)
  );
}

function keyOf({ engine, parameters, api_key_env_var: name }: ModelSettings): string | undefined {
  const given = parameters["api_key"] ?? parameters["openai_api_key"];
  if (typeof given === "string") return given;
  const env = processEnvironment();
  const { apiKeyEnvVar = "OPENAI_API_KEY" } = ENGINES[engine] ?? {};
  return variable(env, name ?? apiKeyEnvVar);
}
