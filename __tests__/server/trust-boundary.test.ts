import { describe, expect, it } from "@jest/globals";
import { answering, guardedServer } from "../support/server/guarded-server.js";
import { serverOfFile } from "../support/server/server-of-file.js";

const KEY = "key-of-the-tests-0123";
const TRUSTED = "key-of-the-application";

const keys = [
  { id: "remote", key: KEY },
  { id: "application", key: TRUSTED, permissions: ["history"] as const },
  { id: "elsewhere", key: "key-for-another-config", configs: ["other"] },
];
const server = serverOfFile({ keys, reply: answering("Fine.") });

const ask = async (messages: readonly object[], fields: object = {}, key = KEY) => {
  const before = server.upstream.requests.length;
  const response = await server.chat("", { messages, ...fields }, { authorization: `Bearer ${key}` });
  const text = await response.text();
  const sent = server.upstream.requests
    .slice(before)
    .map(({ body }) => body["messages"] as { role: string; content: unknown }[]);
  return { response, text, sent: sent[0] };
};

const user = { role: "user", content: "hi" };
const call = (args: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c", type: "function", function: { name: "find", arguments: args } }],
});
const tool = (fields: object) => ({ tools: [{ type: "function", function: { name: "find", ...fields } }] });

describe("texts of a remote caller", () => {
  it.each<readonly [string, readonly object[], object]>([
    ["a system message", [{ role: "system", content: "You are bad." }, user], {}],
    ["a developer message", [{ role: "developer", content: "You are bad." }, user], {}],
    ["a system message at the end", [user, { role: "system", content: "You are bad." }], {}],
    ["a description of a tool", [user], tool({ description: "finds bad things" })],
    [
      "a property of a tool",
      [user],
      tool({ parameters: { type: "object", properties: { "a bad name": { type: "string" } } } }),
    ],
    ["a value in the schema of a tool", [user], tool({ parameters: { type: "object", enum: ["bad"] } })],
    [
      "a schema of the response",
      [user],
      { response_format: { type: "json_schema", json_schema: { name: "x", schema: { description: "bad" } } } },
    ],
    ["a prediction", [user], { prediction: { type: "content", content: "bad words" } }],
    ["a name of a user", [{ ...user, name: "bad" }], {}],
  ])("that are %s block the request", async (_name, messages, fields) => {
    for (const stream of [false, true]) {
      const { response, text, sent } = await ask(messages, { ...fields, stream });
      expect(response.status).toBe(200);
      expect(text).toContain('"content_filter"');
      expect(text).toContain("REFUSED");
      expect(text).toContain('"rail":"check words"');
      expect(text).not.toMatch(/\bbad\b/);
      expect(sent).toBeUndefined();
    }
  });

  it.each([true, false])("block a request in NeMo's format, streamed: %s", async (stream) => {
    const json = { messages: [{ role: "system", content: "You are bad." }, user], stream };
    const headers = { authorization: `Bearer ${KEY}` };
    const response = await server.send("/nemo/v1/chat/completions", { json, headers });
    const text = await response.text();
    expect(response.headers.get("x-guardrails-rail")).toBe("check words");
    expect(stream ? text : (JSON.parse(text) as object)).toEqual(
      stream ? "REFUSED" : { messages: [{ role: "assistant", content: "REFUSED" }] },
    );
  });

  it.each<readonly [string, readonly object[]]>([
    [
      "an earlier user message",
      [{ role: "user", content: "bad words" }, { role: "assistant", content: "Fine." }, user],
    ],
    ["an earlier response", [user, { role: "assistant", content: "Here are bad words." }, user]],
    [
      "arguments of an earlier call",
      [
        user,
        call('{"q":"bad"}'),
        { role: "tool", content: "none", tool_call_id: "c" },
        { role: "assistant", content: "None." },
        user,
      ],
    ],
    [
      "a name of an earlier call",
      [
        user,
        { ...call(""), tool_calls: [{ id: "c", type: "function", function: { name: "bad", arguments: "{}" } }] },
        { role: "tool", content: "none", tool_call_id: "c" },
        { role: "assistant", content: "None." },
        user,
      ],
    ],
    [
      "arguments of a call that cannot be read",
      [
        user,
        call("bad {"),
        { role: "tool", content: "none", tool_call_id: "c" },
        { role: "assistant", content: "None." },
        user,
      ],
    ],
    [
      "a result of an earlier call",
      [
        user,
        call("{}"),
        { role: "tool", content: "bad", tool_call_id: "c" },
        { role: "assistant", content: "None." },
        user,
      ],
    ],
  ])("that are %s are hidden from the model", async (_name, messages) => {
    const { response, text, sent } = await ask(messages, tool({}));
    expect(response.status).toBe(200);
    expect(text).toContain("Fine.");
    expect(JSON.stringify(sent)).not.toMatch(/\bbad\b/);
    expect(sent).toHaveLength(messages.length);
  });

  it("are rewritten if a rail rewrites them", async () => {
    const messages = [{ role: "system", content: "Room 12" }, user, { role: "assistant", content: "Call 555" }, user];
    const { sent } = await ask(messages);
    expect(sent?.map(({ content }) => content)).toEqual(["Room **", "hi", "Call ***", "hi"]);
  });

  it("are trusted like the application's if the key permits it", async () => {
    const messages = [{ role: "system", content: "Never say bad words." }, user];
    const { sent } = await ask(messages, {}, TRUSTED);
    expect(sent).toEqual(messages);
  });
});

describe("keys", () => {
  it("do not reveal configurations that they may not use", async () => {
    for (const fields of [{ model: "demo" }, { model: "nothing" }]) {
      const { response } = await ask([user], fields, "key-for-another-config");
      expect([403, 404]).toContain(response.status);
    }
  });

  it.each([
    ["a misspelt restriction", { config: ["bakery"] }, "unknown option `config` of `keys`"],
    ["a text for a list", { configs: "bakery" }, "expected a list of names for the option `configs`"],
    ["a text for a number", { perMinute: "60" }, "expected a number for the option `perMinute`"],
    ["no requests", { concurrent: 0 }, "expected a number from 1 for `concurrent`, got 0"],
    ["an unknown permission", { permissions: ["contexts"] }, "unknown permission `contexts`"],
  ])("of %s are refused, without quoting a key", async (_title, more, message) => {
    const failing = guardedServer({ keys: [{ id: "a", key: KEY, ...more }] as never });
    const error: Error = await failing.then(
      () => new Error("nothing was refused"),
      (thrown: Error) => thrown,
    );
    expect(error.message).toContain(message);
    expect(error.message).not.toContain(KEY);
  });

  it.each([
    ["a short key", { keys: [{ id: "a", key: "short" }] }],
    ["a key without an id", { keys: [{ id: "", key: KEY }] }],
    [
      "the same key twice",
      {
        keys: [
          { id: "a", key: KEY },
          { id: "b", key: KEY },
        ],
      },
    ],
    ["keys and a hook", { keys: [{ id: "a", key: KEY }], authenticate: () => undefined }],
    ["an unknown default configuration", { defaultConfig: "nothing" }],
    ["an unknown option", { key: KEY }],
  ])("are refused: %s", async (_name, options) => {
    await expect(guardedServer(options as object)).rejects.toMatchObject({ name: "ConfigError" });
  });

  it.each([
    ["demp", "did you mean `demo`?"],
    ["nothing", "it takes `demo`"],
    ["", "it takes `demo`"],
  ])("name the configurations for an unknown default `%s`", async (defaultConfig, hint) => {
    await expect(guardedServer({ defaultConfig })).rejects.toMatchObject({ diagnostics: [{ code: "CF-104", hint }] });
  });
});
