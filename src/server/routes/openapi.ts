import * as z from "zod/v4";
import { chatRequestSchema } from "../openai-format/request.js";
import { checkRequestSchema } from "./checks.js";
import { nemoRequestSchema } from "./nemo.js";

const error = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});
const verdict = z.object({
  config_id: z.string(),
  status: z.enum(["passed", "modified", "blocked"]),
  rail: z.string().optional(),
  stage: z.string().optional(),
  replaces: z.literal(true).optional(),
  decisions: z
    .array(z.object({ stage: z.string(), rail: z.string(), status: z.string(), duration_ms: z.number() }))
    .optional(),
});
const completion = z.object({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.literal(0),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        refusal: z.string().nullable(),
        tool_calls: z.array(z.object({ id: z.string(), type: z.string() })).optional(),
      }),
      logprobs: z.object({}).nullable(),
      finish_reason: z.enum(["stop", "length", "tool_calls", "content_filter"]),
    }),
  ),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
  guardrails: verdict.optional(),
});
const check = z.object({
  status: z.enum(["passed", "modified", "blocked"]),
  content: z.string(),
  rail: z.string().optional(),
  guardrails: verdict.optional(),
});
const nemoReply = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  llm_output: z.unknown().optional(),
  output_data: z.object({}).optional(),
  log: z.object({}).optional(),
  state: z.object({}).optional(),
});
const model = z.object({ id: z.string(), object: z.literal("model"), created: z.int(), owned_by: z.string() });
const status = z.object({ status: z.enum(["pass", "fail"]) });

/** Descriptions of error statuses. */
const ERRORS: Readonly<Record<string, string>> = {
  "400": "The request is malformed, or its parameters do not fit.",
  "401": "The key is missing or wrong.",
  "403": "The caller may not do this.",
  "404": "The model, configuration or route does not exist.",
  "408": "The body took too long.",
  "409": "Another request has changed the thread meanwhile.",
  "413": "The body is too large.",
  "415": "The body is not JSON, or compressed.",
  "422": "The idempotency key was used for another request of the thread.",
  "429": "The key or the upstream model is at its limit; `Retry-After` says for how long.",
  "500": "The server failed.",
  "502": "The upstream model failed or cannot be reached.",
  "503": "The server is full or stopping; `Retry-After` says for how long.",
  "504": "The request took too long.",
};

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description: "Takes a turn of a thread once, however often its request comes.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
} as const;

/** Returns a server's OpenAPI document, generated from its request schemas; `hasKeys`: callers need a key. */
export function openApiDocument({ hasKeys }: { readonly hasKeys: boolean }): object {
  const { paths, schemas } = new DocumentBuilder()
    .post("/v1/chat/completions", "One guarded turn in OpenAI's protocol", chatRequestSchema, completion)
    .post("/v1/checks", "Rails over the last message, without a call of the model", checkRequestSchema, check)
    .post("/nemo/v1/chat/completions", "One guarded turn in the shape of NeMo Guardrails", nemoRequestSchema, nemoReply)
    .get("/v1/models", "Configurations and models", z.object({ object: z.literal("list"), data: z.array(model) }))
    .get("/v1/rails/configs", "Configurations", z.array(z.object({ id: z.string() })))
    .open("/healthz", "The process is running", status)
    .open("/readyz", "The server takes requests", status);
  return {
    openapi: "3.1.0",
    info: {
      title: "langchain-guardrails",
      version: "1",
      description: "Guarded chat completions in OpenAI's protocol.",
    },
    ...(hasKeys ? { security: [{ key: [] }] } : {}),
    paths,
    components: { schemas, ...(hasKeys ? { securitySchemes: { key: { type: "http", scheme: "bearer" } } } : {}) },
  };
}

class DocumentBuilder {
  readonly paths: Record<string, object> = {};
  readonly schemas: Record<string, object> = { Error: toJsonSchema(error) };

  get(path: string, summary: string, answer: z.ZodType): this {
    this.paths[path] = { get: { summary, responses: this.#responses(answer, Object.keys(ERRORS)) } };
    return this;
  }

  /** Adds a route that needs no key and reads no body. */
  open(path: string, summary: string, answer: z.ZodType): this {
    this.paths[path] = { get: { summary, security: [], responses: this.#responses(answer, ["503"]) } };
    return this;
  }

  post(path: string, summary: string, body: z.ZodType, answer: z.ZodType): this {
    const name = path.replaceAll(/[^a-z0-9]+/g, "_").replace(/^_/, "");
    this.schemas[name] = toJsonSchema(body);
    const requestBody = { required: true, content: json({ $ref: `#/components/schemas/${name}` }) };
    const responses = this.#responses(answer, Object.keys(ERRORS), path === "/v1/chat/completions");
    // Checks have no effects that an idempotency key could protect.
    const parameters = path.endsWith("/chat/completions") ? [IDEMPOTENCY_KEY] : [];
    this.paths[path] = { post: { summary, parameters, requestBody, responses } };
    return this;
  }

  #responses(answer: z.ZodType, errors: readonly string[], streams = false): object {
    const stream = streams ? { "text/event-stream": { schema: { type: "string" } } } : {};
    const refused = errors.map((code) => {
      const description = ERRORS[code] ?? "";
      return [code, { description, content: json({ $ref: "#/components/schemas/Error" }) }] as const;
    });
    const passed = { description: "Done", content: { ...json(toJsonSchema(answer)), ...stream } };
    return { "200": passed, ...Object.fromEntries(refused) };
  }
}

function json(schema: object): object {
  return { "application/json": { schema } };
}

/** Responses may contain further keys, such as those of the upstream model. Only request objects are strict. */
function toJsonSchema(schema: z.ZodType): object {
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return made;
}
