import { ALL_STAGES } from "../../turn/decision.js";
import * as z from "zod/v4";
import { visitParts } from "../../engine/walk.js";
import { badRequest } from "../errors.js";
import { parseBody } from "./parse-body.js";

const text = z.string();
const count = z.int().min(1);
/** Marks the end of the cached part of a prompt. */
const caching = {
  prompt_cache_breakpoint: z
    .strictObject({ mode: z.literal("explicit"), ttl: z.enum(["30m", "12h"]).optional() })
    .optional(),
};
const textPart = z.strictObject({ type: z.literal("text"), text, ...caching });
const refusalPart = z.strictObject({ type: z.literal("refusal"), refusal: text });
const imagePart = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({ url: text, detail: z.enum(["auto", "low", "high"]).optional() }),
  ...caching,
});
const audioPart = z.strictObject({
  type: z.literal("input_audio"),
  input_audio: z.strictObject({ data: text, format: z.enum(["wav", "mp3"]) }),
  ...caching,
});
const filePart = z.strictObject({
  type: z.literal("file"),
  file: z.strictObject({ file_data: text.optional(), file_id: text.optional(), filename: text.optional() }),
  ...caching,
});
const texts = z.array(textPart).min(1);
const toolCall = z.strictObject({
  id: text.min(1),
  type: z.literal("function"),
  function: z.strictObject({ name: text.min(1).max(256), arguments: text }),
});
const systemMessage = { content: z.union([text, texts]), name: text.optional() };

const conversation = [
  z.strictObject({ role: z.literal("system"), ...systemMessage }),
  z.strictObject({ role: z.literal("developer"), ...systemMessage }),
  z.strictObject({
    role: z.literal("user"),
    content: z.union([text, z.array(z.discriminatedUnion("type", [textPart, imagePart, audioPart, filePart])).min(1)]),
    name: text.optional(),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([text, z.array(z.discriminatedUnion("type", [textPart, refusalPart])).min(1)]).nullish(),
    name: text.optional(),
    refusal: text.nullish(),
    tool_calls: z.array(toolCall).min(1).nullish(),
    // Clients send messages back as they received them.
    audio: z.null().optional(),
    function_call: z.null().optional(),
    annotations: z.array(z.unknown()).nullish(),
  }),
  z.strictObject({ role: z.literal("tool"), content: z.union([text, texts]), tool_call_id: text.min(1) }),
] as const;

/** A message of a conversation. */
export const conversationMessage = z.discriminatedUnion("role", conversation);

/** A message of a conversation, or a message that steers a turn as in NeMo Guardrails. */
export const messageSchema = z.discriminatedUnion("role", [
  ...conversation,
  z.strictObject({ role: z.literal("context"), content: z.record(text, z.unknown()) }),
  z.strictObject({ role: z.literal("event"), event: z.looseObject({ type: text }) }),
]);

const functionTool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: text.regex(/^[\w-]{1,64}$/),
    description: text.optional(),
    parameters: z.record(text, z.unknown()).optional(),
    strict: z.boolean().nullish(),
  }),
});

const namedTool = z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: text.min(1) }) });

const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.discriminatedUnion("type", [
    namedTool,
    z.strictObject({
      type: z.literal("allowed_tools"),
      allowed_tools: z.strictObject({ mode: z.enum(["auto", "required"]), tools: z.array(namedTool).min(1).max(128) }),
    }),
  ]),
]);

const responseFormat = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name: text.regex(/^[\w-]{1,64}$/),
      description: text.optional(),
      schema: z.record(text, z.unknown()).optional(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

/** Rails to run in a turn: names of stages, or stages with a boolean or the names of their rails. */
const railsSchema = z.union([
  z.array(z.enum(ALL_STAGES)),
  z.strictObject(
    Object.fromEntries(ALL_STAGES.map((stage) => [stage, z.union([z.boolean(), z.array(text)]).optional()])),
  ),
]);

/** Options of a turn in the format of NeMo Guardrails. */
export const optionsSchema = z.strictObject({
  rails: railsSchema.optional(),
  llm_params: z.record(z.string(), z.unknown()).optional(),
  llm_output: z.boolean().optional(),
  output_vars: z.union([z.boolean(), z.array(z.string())]).optional(),
  log: z
    .strictObject({
      activated_rails: z.boolean().optional(),
      llm_calls: z.boolean().optional(),
      internal_events: z.boolean().optional(),
      colang_history: z.boolean().optional(),
    })
    .optional(),
});

/** Fields of NeMo Guardrails, next to OpenAI's or in the object `guardrails`. */
export const extensionFields = {
  config_id: text.min(1).max(255).nullish(),
  config_ids: z.array(text.min(1).max(255)).min(1).max(16).nullish(),
  thread_id: text.min(16).max(255).nullish(),
  turn_id: text.min(1).max(255).nullish(),
  context: z.record(text, z.unknown()).nullish(),
  options: z.record(text, z.unknown()).nullish(),
  state: z.record(text, z.unknown()).nullish(),
};

/** Parameters that are forwarded to the upstream model unchanged. */
const forwarded = {
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  logit_bias: z.record(text, z.number().min(-100).max(100)).nullish(),
  logprobs: z.boolean().nullish(),
  max_completion_tokens: count.nullish(),
  max_tokens: count.nullish(),
  metadata: z.record(text.max(64), text.max(512)).nullish(),
  modalities: z.array(z.literal("text")).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  prediction: z.strictObject({ type: z.literal("content"), content: z.union([text, texts]) }).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  prompt_cache_key: text.nullish(),
  prompt_cache_options: z
    .strictObject({ mode: z.enum(["implicit", "explicit"]).optional(), ttl: z.literal("30m").optional() })
    .nullish(),
  // Older OpenAI clients write it with a hyphen.
  prompt_cache_retention: z.enum(["in_memory", "in-memory", "24h"]).nullish(),
  reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).nullish(),
  response_format: responseFormat.nullish(),
  safety_identifier: text.nullish(),
  seed: z.int().nullish(),
  service_tier: z.enum(["auto", "default", "flex", "scale", "priority", "fast"]).nullish(),
  stop: z.union([text, z.array(text).min(1).max(4)]).nullish(),
  store: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  tool_choice: toolChoice.nullish(),
  tools: z.array(functionTool).min(1).max(128).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  user: text.nullish(),
  verbosity: z.enum(["low", "medium", "high"]).nullish(),
};

/** Body of `POST /v1/chat/completions`. */
export const chatRequestSchema = z.strictObject({
  model: text.min(1).max(255),
  messages: z.array(messageSchema).min(1).max(2048),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
    .nullish(),
  n: z.int().min(1).max(128).nullish(),
  ...forwarded,
  ...extensionFields,
  guardrails: z.strictObject(extensionFields).nullish(),
});

export type ChatRequest = z.infer<typeof chatRequestSchema>;
export type WireMessage = ChatRequest["messages"][number];

const FORWARDED = Object.keys(forwarded) as readonly (keyof typeof forwarded)[];

/** Returns the parameters for the upstream model that the request sets. */
export function forwardedParameters(request: ChatRequest): Readonly<Record<string, unknown>> {
  const parameters: Record<string, unknown> = {};
  for (const name of FORWARDED) {
    const value = request[name];
    if (value !== undefined && value !== null) parameters[name] = value;
  }
  if (request.stream === true && request.stream_options) parameters["stream_options"] = request.stream_options;
  return parameters;
}

/** OpenAI parameters without an effect here. Clients may send them as null. */
const UNSUPPORTED_PARAMETERS: Readonly<Record<string, string>> = {
  audio: "rails review texts",
  function_call: "use 'tool_choice' instead",
  functions: "use 'tools' instead",
  moderation: "use rails of the configuration instead",
  web_search_options: "rails do not see what is found",
};

/** Returns the body without unsupported parameters. @throws ApiError 400 if one is set */
function refuseUnsupported(body: object): object {
  const names = Object.keys(UNSUPPORTED_PARAMETERS).filter((name) => Object.hasOwn(body, name));
  if (names.length === 0) return body;
  const kept: Record<string, unknown> = { ...body };
  for (const name of names) {
    if (kept[name] !== null) {
      const message = `Unsupported parameter: '${name}' is not supported here: ${UNSUPPORTED_PARAMETERS[name]}.`;
      throw badRequest(message, name, "unsupported_parameter");
    }
    delete kept[name];
  }
  return kept;
}

/** @throws ApiError with the first problem, in OpenAI's wording */
export function readChatRequest(body: unknown): ChatRequest {
  const isObject = typeof body === "object" && body !== null;
  if (isObject && !Object.hasOwn(body, "model")) throw badRequest("you must provide a model parameter");
  const request = parseBody(chatRequestSchema, isObject ? refuseUnsupported(body) : body);
  checkCombinations(request);
  refuseDeep(request);
  return request;
}

/** @throws ApiError 400 for parameters that exclude or require each other */
function checkCombinations(request: ChatRequest): void {
  const { stream, stream_options: streamOptions, n, top_logprobs: top, logprobs, tools } = request;
  if (streamOptions && stream !== true) {
    throw badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
  }
  if ((n ?? 1) > 1) {
    const message =
      "Unsupported value: 'n' does not support more than 1 here: rails review one response for each request.";
    throw badRequest(message, "n", "unsupported_value");
  }
  if (typeof top === "number" && logprobs !== true) {
    throw badRequest("The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.", "top_logprobs");
  }
  for (const name of ["tool_choice", "parallel_tool_calls"] as const) {
    if (request[name] !== undefined && request[name] !== null && !tools && request[name] !== "none") {
      throw badRequest(`Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`, name);
    }
  }
  const unknown = chosenTools(request).find((name) => tools?.some((tool) => tool.function.name === name) !== true);
  if (unknown !== undefined) {
    throw badRequest(`Tool choice '${unknown.slice(0, 100)}' not found in 'tools' parameter.`, "tool_choice");
  }
  if (isSet(request.max_tokens) && isSet(request.max_completion_tokens)) {
    const message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    throw badRequest(message, "max_tokens", "invalid_parameter_combination");
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Returns the names of the tools that the request selects. */
function chosenTools({ tool_choice: choice }: ChatRequest): readonly string[] {
  if (typeof choice !== "object" || choice === null) return [];
  const chosen = choice.type === "function" ? [choice] : choice.allowed_tools.tools;
  return chosen.map((tool) => tool.function.name);
}

/** Maximum depth and number of values of data that callers define. */
const DATA_LIMITS = { depth: 64, values: 50_000 };

/** Fields with data that callers define. */
const DATA_FIELDS = ["tools", "response_format", "context", "options", "state", "guardrails"] as const;

function refuseDeep(request: ChatRequest): void {
  for (const param of DATA_FIELDS) {
    const value = request[param];
    if (value === undefined || value === null || visitParts(value, () => true, DATA_LIMITS)) continue;
    const { depth, values } = DATA_LIMITS;
    throw badRequest(
      `Invalid '${param}': expected at most ${depth} levels and ${values} values.`,
      param,
      "invalid_value",
    );
  }
}
