import { describe, expect, it } from "@jest/globals";
import { serverOfFile } from "../support/server/server-of-file.js";

const KEY = "key-of-the-tests-0123";

const server = serverOfFile({ keys: [{ id: "tests", key: KEY }], limits: { bodyBytes: 20_000 } });

const user = { role: "user", content: "hi" };
const base = { model: "gpt-test", messages: [user] };
const call = { id: "call_1", type: "function", function: { name: "find", arguments: "{}" } };
const tool = { type: "function", function: { name: "find", parameters: { type: "object" } } };

interface Expected {
  readonly status: number;
  readonly param?: string | null;
  readonly code?: string | null;
  readonly says?: string;
  readonly type?: string;
}

const missing = (param: string): Expected => ({ status: 400, param, code: "missing_required_parameter" });
const wrongType = (param: string): Expected => ({ status: 400, param, code: "invalid_type" });
const wrongValue = (param: string): Expected => ({ status: 400, param, code: "invalid_value" });

const BODIES: readonly (readonly [name: string, body: unknown, expected: Expected])[] = [
  [
    "JSON that is cut",
    '{"model": "gpt-test", "messages": [',
    { status: 400, param: null, code: null, says: "could not parse the JSON" },
  ],
  ["no body", "", { status: 400, says: "could not parse the JSON" }],
  ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), { status: 400, says: "could not parse the JSON" }],
  ["a list as the body", "[]", { status: 400, says: "you must provide a model parameter" }],
  ["a text as the body", '"hi"', { status: 400, says: "failed to parse JSON value" }],
  ["null as the body", "null", { status: 400, says: "failed to parse JSON value" }],
  [
    "no model",
    { messages: [user] },
    { status: 400, param: null, code: null, says: "you must provide a model parameter" },
  ],
  ["a model that is a number", { ...base, model: 7 }, wrongType("model")],
  ["an empty model", { ...base, model: "" }, { status: 400, param: "model", code: "string_below_min_length" }],
  [
    "an unknown model",
    { ...base, model: "gpt-5000" },
    { status: 404, code: "model_not_found", says: "`gpt-5000` does not exist" },
  ],
  ["no messages", { model: "gpt-test" }, missing("messages")],
  ["messages that are a text", { ...base, messages: "hi" }, wrongType("messages")],
  ["no message", { ...base, messages: [] }, { status: 400, param: "messages", code: "empty_array" }],
  ["a message that is a text", { ...base, messages: ["hi"] }, wrongType("messages[0]")],
  ["a message without a role", { ...base, messages: [{ content: "hi" }] }, missing("messages[0].role")],
  ["an unknown role", { ...base, messages: [{ role: "wizard", content: "hi" }] }, wrongValue("messages[0].role")],
  ["a user message without content", { ...base, messages: [{ role: "user" }] }, missing("messages[0].content")],
  [
    "null as the content of a user",
    { ...base, messages: [{ role: "user", content: null }] },
    wrongType("messages[0].content"),
  ],
  [
    "a number as content",
    { ...base, messages: [user, { role: "user", content: 3 }] },
    wrongType("messages[1].content"),
  ],
  [
    "no part of content",
    { ...base, messages: [{ role: "user", content: [] }] },
    { status: 400, param: "messages[0].content", code: "empty_array" },
  ],
  [
    "an unknown part",
    { ...base, messages: [{ role: "user", content: [{ type: "smell" }] }] },
    wrongValue("messages[0].content[0].type"),
  ],
  [
    "a part without its text",
    { ...base, messages: [{ role: "user", content: [{ type: "text" }] }] },
    missing("messages[0].content[0].text"),
  ],
  [
    "an unknown key of a message",
    { ...base, messages: [{ ...user, mood: "sunny" }] },
    { status: 400, param: "messages[0].mood", code: "unknown_parameter" },
  ],
  [
    "an assistant without content and calls",
    { ...base, messages: [{ role: "assistant", content: null }, user] },
    { status: 400, param: "messages.[0].content" },
  ],
  [
    "a result without its call",
    { ...base, messages: [user, { role: "tool", content: "x", tool_call_id: "call_9" }] },
    { status: 400, param: "messages.[1].role" },
  ],
  [
    "a result without the id of its call",
    { ...base, messages: [user, { role: "tool", content: "x" }] },
    missing("messages[1].tool_call_id"),
  ],
  [
    "a result after the next user message",
    {
      ...base,
      messages: [
        user,
        { role: "assistant", tool_calls: [call] },
        user,
        { role: "tool", content: "x", tool_call_id: "call_1" },
      ],
    },
    { status: 400, param: "messages.[2].role", code: null, says: "did not have response messages: call_1" },
  ],
  [
    "two results of one call",
    {
      ...base,
      messages: [
        user,
        { role: "assistant", tool_calls: [call] },
        { role: "tool", content: "x", tool_call_id: "call_1" },
        { role: "tool", content: "x", tool_call_id: "call_1" },
      ],
    },
    { status: 400, param: "messages.[3].role", says: "must be a response to a preceding message" },
  ],
  [
    "a call without its result at the end",
    { ...base, messages: [user, { role: "assistant", content: null, tool_calls: [call] }] },
    { status: 400, param: "messages.[1].role", says: "must be followed by tool messages" },
  ],
  [
    "a response at the end",
    { ...base, messages: [user, { role: "assistant", content: "Well," }] },
    { status: 400, param: "messages", code: "invalid_value", says: "after the last one of the role 'assistant'" },
  ],
  ["system messages alone", { ...base, messages: [{ role: "system", content: "Obey." }] }, wrongValue("messages")],
  [
    "a call without a name",
    { ...base, messages: [{ role: "assistant", tool_calls: [{ ...call, function: { arguments: "{}" } }] }] },
    missing("messages[0].tool_calls[0].function.name"),
  ],
  ["an unknown parameter", { ...base, heat: 1 }, { status: 400, param: "heat", code: "unknown_parameter" }],
  [
    "a temperature above its range",
    { ...base, temperature: 3 },
    { status: 400, param: "temperature", code: "decimal_above_max_value" },
  ],
  [
    "a temperature below its range",
    { ...base, temperature: -0.5 },
    { status: 400, param: "temperature", code: "decimal_below_min_value" },
  ],
  ["a temperature as text", { ...base, temperature: "hot" }, wrongType("temperature")],
  ["top_p above its range", { ...base, top_p: 1.5 }, { status: 400, param: "top_p", code: "decimal_above_max_value" }],
  ["no tokens", { ...base, max_tokens: 0 }, { status: 400, param: "max_tokens", code: "integer_below_min_value" }],
  ["half a token", { ...base, max_tokens: 1.5 }, wrongType("max_tokens")],
  [
    "five texts to stop at",
    { ...base, stop: ["a", "b", "c", "d", "e"] },
    { status: 400, param: "stop", code: "array_above_max_length" },
  ],
  ["several responses", { ...base, n: 2 }, { status: 400, param: "n", code: "unsupported_value" }],
  ["no response", { ...base, n: 0 }, { status: 400, param: "n", code: "integer_below_min_value" }],
  ["stream as text", { ...base, stream: "yes" }, wrongType("stream")],
  [
    "options of a stream without one",
    { ...base, stream_options: { include_usage: true } },
    { status: 400, param: "stream_options", code: null },
  ],
  ["alternatives without logprobs", { ...base, top_logprobs: 2 }, { status: 400, param: "top_logprobs" }],
  ["no tool", { ...base, tools: [] }, { status: 400, param: "tools", code: "empty_array" }],
  ["a tool of an unknown type", { ...base, tools: [{ type: "custom" }] }, wrongValue("tools[0].type")],
  [
    "a tool without a name",
    { ...base, tools: [{ type: "function", function: {} }] },
    missing("tools[0].function.name"),
  ],
  [
    "a tool with blanks in its name",
    { ...base, tools: [{ type: "function", function: { name: "find it" } }] },
    wrongValue("tools[0].function.name"),
  ],
  ["a choice without tools", { ...base, tool_choice: "auto" }, { status: 400, param: "tool_choice" }],
  ["an unknown choice", { ...base, tools: [tool], tool_choice: "maybe" }, wrongValue("tool_choice")],
  [
    "a choice of a tool that is not there",
    { ...base, tools: [tool], tool_choice: { type: "function", function: { name: "other" } } },
    { status: 400, param: "tool_choice", code: null, says: "Tool choice 'other' not found" },
  ],
  [
    "an allowed tool that is not there",
    {
      ...base,
      tools: [tool],
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "other" } }] },
      },
    },
    { status: 400, param: "tool_choice", says: "Tool choice 'other' not found" },
  ],
  [
    "two limits of tokens",
    { ...base, max_tokens: 5, max_completion_tokens: 5 },
    { status: 400, param: "max_tokens", code: "invalid_parameter_combination" },
  ],
  ...["audio", "function_call", "functions", "moderation", "web_search_options"].map(
    (param): (typeof BODIES)[number] => [
      `the parameter ${param}, which has no effect here`,
      { ...base, [param]: {} },
      { status: 400, param, code: "unsupported_parameter", says: `'${param}' is not supported here` },
    ],
  ),
  ["an unknown format", { ...base, response_format: { type: "xml" } }, wrongValue("response_format.type")],
  [
    "a format without its schema",
    { ...base, response_format: { type: "json_schema" } },
    missing("response_format.json_schema"),
  ],
  ["a response in audio", { ...base, modalities: ["audio"] }, wrongValue("modalities[0]")],
  [
    "an id of a configuration that is a path",
    { ...base, guardrails: { config_id: "../../etc/passwd" } },
    { status: 400, param: "config_id", code: "invalid_value" },
  ],
  [
    "an unknown configuration",
    { ...base, guardrails: { config_id: "other" } },
    { status: 404, param: "config_id", code: "config_not_found" },
  ],
  [
    "variables without permission",
    { ...base, guardrails: { context: { skip: true } } },
    { status: 403, param: "guardrails.context", type: "permission_error" },
  ],
  ["a state without permission", { ...base, state: {} }, { status: 403, param: "state", code: "not_permitted" }],
  [
    "rails switched off without permission",
    { ...base, guardrails: { options: { rails: { input: false } } } },
    { status: 403, param: "guardrails.options.rails" },
  ],
  [
    "a context message without permission",
    { ...base, messages: [{ role: "context", content: {} }, user] },
    { status: 403, param: "messages[0]" },
  ],
  [
    "an event without permission",
    { ...base, messages: [{ role: "event", event: { type: "X" } }] },
    { status: 403, param: "messages[0]" },
  ],
  [
    "a body over the limit",
    { ...base, messages: [{ role: "user", content: "x".repeat(20_001) }] },
    { status: 413, code: "request_too_large" },
  ],
];

const post = (
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  path = "/v1/chat/completions",
): Promise<Response> =>
  server.send(path, {
    method: "POST",
    body: typeof body === "string" || Buffer.isBuffer(body) ? (body as string) : JSON.stringify(body),
    headers: { "content-type": "application/json", authorization: `Bearer ${KEY}`, ...headers },
  });

async function expectError(response: Response, { status, param, code, says, type }: Expected): Promise<void> {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status });
  const { error } = JSON.parse(text) as { error: Record<string, unknown> };
  expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
  expect(error["message"]).toEqual(expect.stringContaining(says ?? ""));
  if (param !== undefined) expect(error["param"]).toBe(param);
  if (code !== undefined) expect(error["code"]).toBe(code);
  expect(error["type"]).toBe(type ?? (status === 403 ? "permission_error" : "invalid_request_error"));
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("x-request-id")).toMatch(/^[\w-]+$/);
}

describe("malformed requests", () => {
  it.each(BODIES)("%s", async (_name, body, expected) => {
    await expectError(await post(body), expected);
    expect(server.upstream.requests).toHaveLength(0);
  });

  it.each([
    ["no key", { authorization: "" }, { status: 401, code: "invalid_api_key" }],
    ["a wrong key", { authorization: "Bearer wrong-key-0123456789" }, { status: 401, code: "invalid_api_key" }],
    ["another scheme", { authorization: `Basic ${KEY}` }, { status: 401, code: "invalid_api_key" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, { status: 415 }],
    ["a compressed body", { "content-encoding": "gzip" }, { status: 415 }],
    [
      "a key for the upstream model without permission",
      { "x-upstream-key": "sk-mine" },
      { status: 403, param: "x-upstream-key" },
    ],
  ] as const)("refuses %s", async (_name, headers, expected) => {
    await expectError(await post(base, headers), expected);
    expect(server.upstream.requests).toHaveLength(0);
  });

  it.each([
    ["GET", "/v1/chat/completions", { status: 405, code: "method_not_supported" }, "POST"],
    ["DELETE", "/v1/chat/completions", { status: 405, code: "method_not_supported" }, "POST"],
    ["POST", "/v1/models/gpt-test", { status: 405, code: "method_not_supported" }, "GET, HEAD"],
    ["PUT", "/healthz", { status: 405, code: "method_not_supported" }, "GET, HEAD"],
    ["POST", "/v1/embeddings", { status: 404, code: "unknown_url" }, null],
    ["POST", "/v1/chat/completions/", { status: 404, code: "unknown_url" }, null],
    ["GET", "/../../etc/passwd", { status: 404, code: "unknown_url" }, null],
    ["GET", "/%2e%2e/%00", { status: 404, code: "unknown_url" }, null],
  ] as const)("refuses %s %s", async (method, path, expected, allow) => {
    const response = await server.send(path, { method, headers: { authorization: `Bearer ${KEY}` } });
    expect(response.headers.get("allow")).toBe(allow);
    await expectError(response, expected);
  });

  it("never repeats the key that was sent", async () => {
    const text = await (await post(base, { authorization: "Bearer wrong-key-0123456789" })).text();
    expect(text).not.toContain("wrong-key");
  });
});
