import { ALL_STAGES } from "../../turn/decision.js";
import * as z from "zod/v4";
import { visitParts } from "../../engine/walk.js";
import { badRequest, type ApiError } from "../errors.js";

const text = z.string();
const count = z.int().min(1);
const textPart = z.strictObject({ type: z.literal("text"), text });
const refusalPart = z.strictObject({ type: z.literal("refusal"), refusal: text });
const imagePart = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({ url: text, detail: z.enum(["auto", "low", "high"]).optional() }),
});
const audioPart = z.strictObject({
  type: z.literal("input_audio"),
  input_audio: z.strictObject({ data: text, format: z.enum(["wav", "mp3"]) }),
});
const filePart = z.strictObject({
  type: z.literal("file"),
  file: z.strictObject({ file_data: text.optional(), file_id: text.optional(), filename: text.optional() }),
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

/** A message of a conversation, or one of those by which NeMo Guardrails steers a turn. */
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

const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: text.min(1) }) }),
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

/** Rails that run in a turn: names of stages, or each with a boolean or the names of its rails. */
const railsSchema = z.union([
  z.array(z.enum(ALL_STAGES)),
  z.strictObject(
    Object.fromEntries(ALL_STAGES.map((stage) => [stage, z.union([z.boolean(), z.array(text)]).optional()])),
  ),
]);

/** Options of a turn, as NeMo Guardrails writes them. */
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

/** Fields of NeMo Guardrails, beside OpenAI's or in the object `guardrails`. */
export const extensionFields = {
  config_id: text.min(1).max(255).nullish(),
  config_ids: z.array(text.min(1).max(255)).min(1).max(16).nullish(),
  thread_id: text.min(16).max(255).nullish(),
  turn_id: text.min(1).max(255).nullish(),
  context: z.record(text, z.unknown()).nullish(),
  options: z.record(text, z.unknown()).nullish(),
  state: z.record(text, z.unknown()).nullish(),
};

/** Parameters that go to the upstream model as they came. */
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
  prompt_cache_retention: z.enum(["in-memory", "24h"]).nullish(),
  reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).nullish(),
  response_format: responseFormat.nullish(),
  safety_identifier: text.nullish(),
  seed: z.int().nullish(),
  service_tier: z.enum(["auto", "default", "flex", "scale", "priority"]).nullish(),
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

/** @throws ApiError with the first problem, in OpenAI's words */
export function readChatRequest(body: unknown): ChatRequest {
  if (typeof body === "object" && body !== null && !("model" in body)) {
    throw badRequest("you must provide a model parameter");
  }
  const request = parseBody(chatRequestSchema, body);
  const { stream, stream_options: streamOptions, n, top_logprobs: top, logprobs, tools } = request;
  if (streamOptions && stream !== true) {
    throw badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
  }
  if ((n ?? 1) > 1) {
    const message =
      "Unsupported value: 'n' does not support more than 1 here: rails review one answer for each request.";
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
  checkToolMessages(request.messages);
  refuseDeep(request);
  return request;
}

/** Levels and values of data that callers define themselves. */
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

/** Refuses results of tools that no message before them has asked for, as OpenAI does. */
function checkToolMessages(messages: readonly WireMessage[]): void {
  let asked = new Set<string>();
  for (const [index, each] of messages.entries()) {
    if (each.role === "assistant") {
      asked = new Set(each.tool_calls?.map(({ id }) => id));
      if (!each.content && !each.refusal && asked.size === 0) {
        const message = `Invalid value for 'content': expected a string, got null.`;
        if (each.content !== "") throw badRequest(message, `messages.[${index}].content`);
      }
    } else if (each.role === "tool" && !asked.has(each.tool_call_id)) {
      const message =
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      throw badRequest(message.replace("preceeding", "preceding"), `messages.[${index}].role`);
    }
  }
}

/** @throws ApiError with the first problem */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw toApiError(parsed.error.issues[0] as z.core.$ZodIssue, body);
}

type Issue = z.core.$ZodIssue;

const INTEGERS: ReadonlySet<string> = new Set(["max_completion_tokens", "max_tokens", "n", "seed", "top_logprobs"]);

const NAMES: Readonly<Record<string, string>> = {
  array: "an array",
  object: "an object",
  record: "an object",
  string: "a string",
  number: "a decimal",
  int: "an integer",
  boolean: "a boolean",
  null: "null",
};

function toApiError(issue: Issue, body: unknown): ApiError {
  const found = deepest(issue, []);
  const { path } = found;
  const param = path.length === 0 ? undefined : printPath(path);
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], body);
  if (param === undefined && found.issue.code === "invalid_type") {
    return badRequest("Invalid body: failed to parse JSON value. Please check the value to ensure it is valid JSON.");
  }
  const [message, code, of = param] = describe(found.issue, param ?? "body", value);
  return badRequest(message, of, code);
}

type Described = readonly [message: string, code: string | undefined, param?: string];

function describe(issue: Issue, param: string, value: unknown): Described {
  if (value === undefined && issue.code !== "unrecognized_keys") {
    return [`Missing required parameter: '${param}'.`, "missing_required_parameter"];
  }
  switch (issue.code) {
    case "unrecognized_keys": {
      const inside = param === "body" ? "" : `${param}.`;
      const name = `${inside}${(issue.keys[0] ?? "").slice(0, 100)}`;
      return [`Unknown parameter: '${name}'.`, "unknown_parameter", name];
    }
    case "invalid_value":
      return invalidValue(param, value, issue.values);
    case "invalid_union": {
      const { options } = issue as { readonly options?: readonly unknown[] };
      if (options !== undefined) return invalidValue(param, value, options);
      return [`Invalid type for '${param}': got ${kindOf(value)}, which is not one of its types.`, "invalid_type"];
    }
    case "too_small":
    case "too_big":
      return outOfRange(issue, param, value);
    case "invalid_type": {
      const expected = NAMES[issue.expected] ?? issue.expected;
      return [`Invalid type for '${param}': expected ${expected}, but got ${kindOf(value)} instead.`, "invalid_type"];
    }
    default:
      return [`Invalid '${param}': the value does not have the expected form.`, "invalid_value"];
  }
}

function invalidValue(param: string, value: unknown, values: readonly unknown[]): Described {
  if (typeof value !== "string") {
    return [
      `Invalid type for '${param}': expected one of ${quoted(values)}, but got ${kindOf(value)} instead.`,
      "invalid_type",
    ];
  }
  return [`Invalid value: '${value.slice(0, 100)}'. Supported values are: ${quoted(values)}.`, "invalid_value"];
}

function outOfRange(
  issue: Issue & { readonly code: "too_small" | "too_big" },
  param: string,
  value: unknown,
): Described {
  const isSmall = issue.code === "too_small";
  const bound = String("minimum" in issue ? issue.minimum : issue.maximum);
  if (Array.isArray(value)) {
    if (value.length === 0) {
      const message = `Invalid '${param}': empty array. Expected an array with minimum length ${bound}, but got an empty array instead.`;
      return [message, "empty_array"];
    }
    const message = `Invalid '${param}': array too long. Expected an array with maximum length ${bound}, but got an array with length ${value.length} instead.`;
    return [message, "array_above_max_length"];
  }
  if (typeof value === "string") {
    const message = `Invalid '${param}': string too ${isSmall ? "short" : "long"}. Expected a string with ${isSmall ? "minimum" : "maximum"} length ${bound}, but got a string with length ${value.length} instead.`;
    return [message, isSmall ? "string_below_min_length" : "string_above_max_length"];
  }
  const kind = INTEGERS.has(param) ? "integer" : "decimal";
  const message = `Invalid '${param}': ${kind} ${isSmall ? "below minimum" : "above maximum"} value. Expected a value ${isSmall ? ">=" : "<="} ${bound}, but got ${String(value)} instead.`;
  return [message, `${kind}_${isSmall ? "below_min" : "above_max"}_value`];
}

/** The issue inside a union that came furthest: clients want to read about the form that they meant. */
function deepest(issue: Issue, before: readonly PropertyKey[]): { issue: Issue; path: readonly PropertyKey[] } {
  const path = [...before, ...issue.path];
  if (issue.code !== "invalid_union") return { issue, path };
  const inner = issue.errors.flatMap((issues) => issues.slice(0, 1)).map((each) => deepest(each, path));
  const others = inner.filter(
    ({ issue: { code }, path: { length } }) => length > path.length || code !== "invalid_type",
  );
  const furthest = others.toSorted((left, right) => right.path.length - left.path.length)[0];
  return furthest ?? { issue, path };
}

function printPath(path: readonly PropertyKey[]): string {
  const printed = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key).slice(0, 100)}`)).join("");
  return printed.replace(/^\./, "").slice(0, 300);
}

function quoted(values: readonly unknown[]): string {
  return values.map((value) => `'${String(value)}'`).join(", ");
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
