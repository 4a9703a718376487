import type { SpanEnd, SpanStart } from "../engine/span.js";
import type { AttributeValue } from "./interaction.js";

export type Attributes = Record<string, AttributeValue>;

/** GenAI semantic convention names of providers, by engine name. */
const PROVIDERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    azure: "azure.ai.openai",
    azure_openai: "azure.ai.openai",
    bedrock: "aws.bedrock",
    amazon_bedrock: "aws.bedrock",
    google_genai: "gcp.gemini",
    "google-genai": "gcp.gemini",
    gemini: "gcp.gemini",
    vertexai: "gcp.vertex_ai",
    google_vertexai: "gcp.vertex_ai",
    "google-vertexai": "gcp.vertex_ai",
    mistral: "mistral_ai",
    mistralai: "mistral_ai",
    xai: "x_ai",
  }),
);

/** Pattern of short identifiers, which contain no user text. */
const NAME = /^[\w.:/@+-]{1,80}$/;

/** Pattern of names in the configuration: rails with their parameters, flows, tasks. */
const CONFIGURED = /^[\p{L}\p{N}\p{P}\p{S} ]{1,200}$/u;

const UNNAMED = "unnamed";

/** Returns the name, or a placeholder if it could be user text. */
function nameOf(value: string): string {
  return NAME.test(value) ? value : UNNAMED;
}

/** Returns a configured name; long ones are truncated. */
function configured(value: string): string {
  return CONFIGURED.test(value) ? value : UNNAMED;
}

/** Returns the name of a span. */
export function nameOfSpan(facts: SpanStart): string {
  switch (facts.kind) {
    case "rail":
      return "guardrails.rail";
    case "action":
      return "guardrails.action";
    case "model":
      return facts.model === undefined ? "chat" : `chat ${nameOf(facts.model)}`;
  }
}

/** Returns the attributes of a call. */
export function rootAttributes(thread: string | undefined): Attributes {
  const attributes: Attributes = { "gen_ai.operation.name": "guardrails" };
  if (thread !== undefined && NAME.test(thread)) attributes["gen_ai.conversation.id"] = thread;
  return attributes;
}

/** Returns the attributes known when work starts. */
export function startAttributes(facts: SpanStart): Attributes {
  switch (facts.kind) {
    case "rail": {
      const attributes: Attributes = {
        "rail.type": facts.stage,
        "rail.name": configured(facts.rail),
        "rail.flow": configured(facts.flow),
      };
      if (facts.about !== undefined) attributes["rail.about"] = facts.about;
      if (facts.isShadow === true) attributes["rail.shadow"] = true;
      return attributes;
    }
    case "action":
      return { "action.name": nameOf(facts.action) };
    case "model":
      return modelAttributes(facts);
  }
}

function modelAttributes(facts: SpanStart & { readonly kind: "model" }): Attributes {
  const attributes: Attributes = { "gen_ai.operation.name": "chat", "guardrails.task": configured(facts.task) };
  const { provider, model, parameters = {} } = facts;
  if (provider !== undefined) attributes["gen_ai.provider.name"] = PROVIDERS.get(provider) ?? nameOf(provider);
  if (model !== undefined) attributes["gen_ai.request.model"] = nameOf(model);
  const { temperature, max_tokens, maxTokens = max_tokens } = parameters;
  if (typeof temperature === "number") attributes["gen_ai.request.temperature"] = temperature;
  if (typeof maxTokens === "number") attributes["gen_ai.request.max_tokens"] = maxTokens;
  return attributes;
}

/** Returns the attributes known when work ends. Labels written by a judge are included only with content. */
export function endAttributes(
  start: SpanStart,
  end: SpanEnd,
  redact: ((text: string) => string) | undefined,
): Attributes {
  return start.kind === "rail" ? railEnd(end, redact) : start.kind === "model" ? modelEnd(start, end) : {};
}

function railEnd(end: SpanEnd, redact: ((text: string) => string) | undefined): Attributes {
  const { status, reason, categories, score, threshold, usage } = end;
  const attributes: Attributes = {};
  if (status !== undefined) {
    attributes["rail.status"] = status;
    attributes["rail.stop"] = status === "blocked" || status === "error";
  }
  if (score !== undefined) attributes["rail.score"] = score;
  if (threshold !== undefined) attributes["rail.threshold"] = threshold;
  if (end.isCached === true) attributes["llm.cache.hit"] = true;
  const named = categories?.filter((category) => NAME.test(category)) ?? [];
  if (named.length > 0) attributes["rail.categories"] = named;
  // The reason for a failure is an error message, which may quote anything.
  if (reason !== undefined && redact !== undefined && status !== "error")
    attributes["guardrails.rail.reason"] = redact(reason);
  if (usage !== undefined) Object.assign(attributes, usageAttributes(usage));
  return attributes;
}

function modelEnd(start: SpanStart & { readonly kind: "model" }, end: SpanEnd): Attributes {
  const attributes: Attributes = {};
  const message = fields(end.message);
  const metadata = fields(message["response_metadata"]);
  // A chain's value is read only if it is a model message.
  const { id, usage_metadata } = fields(message["response_metadata"] === undefined ? undefined : message);
  const named = (value: unknown): string | undefined =>
    typeof value === "string" && NAME.test(value) ? value : undefined;
  const model = end.model ?? named(metadata["model_name"]) ?? named(metadata["model"]);
  if (model !== undefined) attributes["gen_ai.response.model"] = nameOf(model);
  const provider = named(metadata["model_provider"]);
  if (start.provider === undefined && provider !== undefined) {
    attributes["gen_ai.provider.name"] = PROVIDERS.get(provider) ?? provider;
  }
  const responseId = named(metadata["id"]) ?? named(id);
  if (responseId !== undefined) attributes["gen_ai.response.id"] = responseId;
  const reason = named(metadata["finish_reason"]) ?? named(metadata["stop_reason"]);
  if (reason !== undefined) attributes["gen_ai.response.finish_reasons"] = [reason];
  return Object.assign(attributes, usageAttributes(end.usage ?? fields(usage_metadata)));
}

function usageAttributes(usage: object): Attributes {
  const { input_tokens: input, output_tokens: output } = usage as Readonly<Record<string, unknown>>;
  const attributes: Attributes = {};
  if (typeof input === "number") attributes["gen_ai.usage.input_tokens"] = input;
  if (typeof output === "number") attributes["gen_ai.usage.output_tokens"] = output;
  return attributes;
}

/** Returns the kind and code of an error. INVARIANT: error messages may quote content. */
export function errorAttributes(error: unknown): Attributes {
  const { name, code } = fields(error);
  const attributes: Attributes = { "error.type": typeof name === "string" && NAME.test(name) ? name : "Error" };
  if (typeof code === "string" && NAME.test(code)) attributes["guardrails.error.code"] = code;
  return attributes;
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
