import { describe, expect, it } from "@jest/globals";
import type { ActionContext } from "../../src/actions/action.js";
import { Guardrails } from "../../src/index.js";
import { createGuardrailsApp } from "../../src/server/index.js";
import { answering, guardedServer } from "../support/server/guarded-server.js";
import { serverOfFile } from "../support/server/server-of-file.js";

const KEY = "key-of-the-tests-0123";
const OPERATOR = "key-of-the-operator-1";

/** Values of a variable that rails saw. */
const cities: unknown[] = [];

const server = serverOfFile({
  onCheck: (_text, given) => cities.push((given as ActionContext).context["city"]),
  keys: [
    { id: "tests", key: KEY },
    { id: "operator", key: OPERATOR, permissions: ["context", "state", "rails", "log", "events"] },
    { id: "elsewhere", key: "key-for-another-config", configs: ["other"] },
  ],
  models: ["gpt-other"],
  reply: answering("Hello!"),
  corsOrigins: ["https://bikes.example"],
  metrics: () => ({ contentType: "text/plain; version=0.0.4", body: "requests_total 7\n" }),
});

const get = (path: string, key = KEY): Promise<Response> =>
  server.send(path, { headers: { authorization: `Bearer ${key}` } });
const post = (path: string, json: unknown, key = KEY): Promise<Response> =>
  server.send(path, { json, headers: { authorization: `Bearer ${key}` } });
const user = { role: "user", content: "hi" };
const callOf = (text: string) => ({
  id: "call_1",
  type: "function",
  function: { name: "find", arguments: JSON.stringify({ text }) },
});

describe("lists", () => {
  it("name the configurations and the models that requests may name", async () => {
    const { object, data } = (await (await get("/v1/models")).json()) as { object: string; data: { id: string }[] };
    expect([object, data.map(({ id }) => id)]).toEqual(["list", ["demo", "gpt-test", "gpt-other"]]);
    expect(await (await get("/v1/models/gpt-test")).json()).toMatchObject({ id: "gpt-test", object: "model" });
    expect((await get("/v1/models/nothing")).status).toBe(404);
    expect((await get("/v1/models/%E0%A4%A")).status).toBe(404);
  });

  it("name the configurations", async () => {
    expect(await (await get("/v1/rails/configs")).json()).toEqual([{ id: "demo" }]);
    expect(await (await get("/v1/rails/configs", "key-for-another-config")).json()).toEqual([]);
  });
});

describe("POST /v1/checks", () => {
  it.each([
    ["a user message that passes", [user], {}, { status: "passed", content: "hi" }],
    [
      "a user message that is blocked",
      [{ role: "user", content: "bad" }],
      {},
      { status: "blocked", content: "REFUSED", rail: "check words" },
    ],
    [
      "a user message that is rewritten",
      [{ role: "user", content: "room 12" }],
      {},
      { status: "modified", content: "room **" },
    ],
    [
      "a blocked response",
      [user, { role: "assistant", content: "bad" }],
      {},
      { status: "blocked", content: "REFUSED", rail: "check answer" },
    ],
    [
      "a response as input",
      [user, { role: "assistant", content: "bad" }],
      { rail_types: ["input"] },
      { status: "blocked", rail: "check words" },
    ],
    [
      "a call of a tool with a word that the rails block",
      [user, { role: "assistant", content: "Fine.", tool_calls: [callOf("bad")] }],
      {},
      { status: "blocked", content: "REFUSED", rail: "check answer" },
    ],
    [
      "a call that the rails would rewrite",
      [user, { role: "assistant", content: null, tool_calls: [callOf("room 12")] }],
      { rail_types: ["input"] },
      { status: "blocked", rail: "hide digits" },
    ],
    [
      "a call that passes",
      [user, { role: "assistant", content: null, tool_calls: [callOf("bread")] }],
      {},
      { status: "passed", content: "" },
    ],
    ["a configuration by its id", [user], { guardrails: { config_id: "demo" } }, { status: "passed" }],
  ])("reports %s", async (_name, messages, fields, expected) => {
    const response = await post("/v1/checks", { messages, ...fields });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject(expected);
    expect(response.headers.get("x-guardrails-status")).toBe(expected.status);
  });

  it("runs the rails of a stage on the text that the previous stage rewrote", async () => {
    const flows = ["mask sensitive data on input"];
    const rails = {
      input: { flows },
      config: { sensitive_data_detection: { input: { entities: ["EMAIL_ADDRESS"] } } },
    };
    const app = await createGuardrailsApp({
      configs: { mask: await Guardrails.fromConfig({ config: { rails } }) },
      logger: false,
    });
    const body = { messages: [{ role: "user", content: "ann@bikes.example" }], rail_types: ["input", "output"] };
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await app.fetch(new Request("http://localhost/v1/checks", request));
    expect(await response.json()).toMatchObject({ status: "modified", content: "<EMAIL_ADDRESS>" });
    await app.close(0);
  });

  it.each([
    ["no messages", {}, 400],
    ["an unknown type of rail", { messages: [user], rail_types: ["dialog"] }, 400],
    ["an unknown configuration", { messages: [user], guardrails: { config_id: "nothing" } }, 404],
  ])("refuses %s", async (_name, body, status) => {
    expect((await post("/v1/checks", body)).status).toBe(status);
  });
});

describe("POST /nemo/v1/chat/completions", () => {
  const path = "/nemo/v1/chat/completions";

  it("returns one new message", async () => {
    const response = await post(path, { config_id: "demo", messages: [user] });
    expect(await response.json()).toEqual({ messages: [{ role: "assistant", content: "Hello!" }] });
    expect(response.headers.get("x-guardrails-status")).toBe("passed");
  });

  it("refuses a blocked message", async () => {
    const response = await post(path, { messages: [{ role: "user", content: "bad" }] });
    expect(await response.json()).toEqual({ messages: [{ role: "assistant", content: "REFUSED" }] });
  });

  it("streams text", async () => {
    const response = await post(path, { messages: [user], stream: true });
    expect(response.headers.get("content-type")).toContain("text/plain");
    expect(await response.text()).toBe("Hello!");
  });

  it("names the rail that blocks before a stream begins", async () => {
    const response = await post(path, { messages: [{ role: "user", content: "bad" }], stream: true });
    expect([response.headers.get("x-guardrails-status"), response.headers.get("x-guardrails-rail")]).toEqual([
      "blocked",
      "check words",
    ]);
    expect(await response.text()).toBe("REFUSED");
  });

  it("accepts variables, options and states of callers who may send them", async () => {
    const body = {
      messages: [user],
      context: { city: "Bern" },
      state: {},
      options: { output_vars: ["city"], log: { activated_rails: true }, rails: ["input"] },
    };
    const response = await post(path, body, OPERATOR);
    const answer = (await response.json()) as Record<string, unknown>;
    expect(answer).toMatchObject({
      output_data: { city: "Bern" },
      state: expect.anything(),
      log: { activated_rails: expect.anything() },
    });
    for (const field of ["context", "state", "options"] as const) {
      expect((await post(path, { messages: [user], [field]: body[field] })).status).toBe(403);
    }
  });
});

describe("POST /v1/chat/completions with fields of NeMo Guardrails", () => {
  const ask = (text: string, fields: object): Promise<Response> =>
    post(
      "/v1/chat/completions",
      { model: "gpt-test", messages: [{ role: "user", content: text }], ...fields },
      OPERATOR,
    );
  const places = (fields: object) => [
    ["", fields],
    ["guardrails.", { guardrails: fields }],
  ];

  it.each([
    ["state", { state: {} }],
    ["options.log", { options: { log: { activated_rails: true } } }],
    ["options.output_vars", { options: { rails: ["input"], output_vars: true } }],
    ["options.llm_params", { options: { llm_params: { temperature: 0 } } }],
    ["options.unknown", { options: { unknown: 1 } }],
  ])("refuses `%s`, which would have no effect", async (name, fields) => {
    for (const [prefix, given] of places(fields)) {
      for (const stream of [false, true]) {
        const response = await ask("hi", { ...(given as object), stream });
        expect([response.status, await response.json()]).toEqual([
          400,
          { error: expect.objectContaining({ param: `${prefix as string}${name}`, code: "unsupported_parameter" }) },
        ]);
      }
    }
  });

  it("gives variables to the rails", async () => {
    for (const [, given] of places({ context: { city: "Bern" } })) {
      for (const stream of [false, true]) {
        cities.length = 0;
        expect(await (await ask("hi", { ...(given as object), stream })).text()).toContain("Hello!");
        expect(new Set(cities)).toEqual(new Set(["Bern"]));
        cities.length = 0;
        await (await ask("hi", { stream })).text();
        expect(new Set(cities)).toEqual(new Set([undefined]));
      }
    }
  });

  it.each<[string, unknown, string]>([
    ["all rails", {}, "REFUSED"],
    ["no input rails", { input: false }, "Hello!"],
    ["one input rail", { input: ["hide digits"] }, "Hello!"],
    ["no input rails, by a list", ["dialog", "output"], "Hello!"],
    ["input rails alone", ["input"], "REFUSED"],
  ])("runs %s if they are selected", async (_name, rails, answer) => {
    for (const [, given] of places({ options: { rails } })) {
      for (const stream of [false, true]) {
        const response = await ask("bad", { ...(given as object), stream });
        expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(answer)]);
      }
    }
  });

  it.each([
    ["no stage", { inputs: false }],
    ["a list with no stage", ["inputs"]],
    ["a text", "input"],
  ])("refuses a selection of rails that is %s", async (_name, rails) => {
    expect((await ask("hi", { guardrails: { options: { rails } } })).status).toBe(400);
  });
});

describe.each(["1.0", "2.x"] as const)("a malformed `state` in Colang %s", (version) => {
  const stated = serverOfFile({
    keys: [{ id: "operator", key: OPERATOR, permissions: ["state"] }],
    reply: answering("Hello!"),
    version,
  });
  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });

  it.each<[string, unknown]>([
    ["of unknown keys", { version: 99, data: "x" }],
    ["of an unknown version", { version: "1.0", state: {}, events: [] }],
    ["with a list in place of events", { state: [], events: [1, "a", null] }],
    ["with text in place of the state", { version: version === "1.0" ? "1.0" : "2.x", state: "{broken" }],
    ["that is too deep", deep(300)],
    ["with keys of prototypes", JSON.parse('{"__proto__": {"a": 1}, "constructor": {"b": 2}}')],
    ["that is a text", "state"],
    ["that is a list", []],
    ["that is a number", 7],
  ])("%s is the caller's error", async (_name, state) => {
    const headers = { authorization: `Bearer ${OPERATOR}` };
    const response = await stated.send("/nemo/v1/chat/completions", { json: { messages: [user], state }, headers });
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect([response.status, error["param"], error["type"], Object.keys(error).sort()]).toEqual([
      400,
      "state",
      "invalid_request_error",
      ["code", "message", "param", "type"],
    ]);
  });
});

describe("routes for operators", () => {
  it("need no key for the state of the server", async () => {
    for (const path of ["/healthz", "/readyz", "/v1/health"]) {
      const response = await server.send(path);
      expect([response.status, await response.json()]).toEqual([200, { status: "pass" }]);
    }
  });

  it("need a key for metrics", async () => {
    expect((await server.send("/metrics")).status).toBe(401);
    const response = await get("/metrics");
    expect([response.headers.get("content-type"), await response.text()]).toEqual([
      "text/plain; version=0.0.4",
      "requests_total 7\n",
    ]);
  });

  it("describe themselves", async () => {
    const document = (await (await server.send("/openapi.json")).json()) as {
      openapi: string;
      paths: object;
      components: { schemas: object };
      security: object[];
    };
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(["/v1/chat/completions", "/v1/checks", "/v1/models"]),
    );
    expect(JSON.stringify(document.components.schemas)).toContain("max_completion_tokens");
    expect(document.security).toEqual([{ key: [] }]);
    expect(document.paths).toMatchObject({ "/healthz": { get: { security: [] } } });
    await using open = await guardedServer();
    expect(await (await open.send("/openapi.json")).json()).not.toHaveProperty("security");
  });
});

describe("pages of other origins", () => {
  it.each(["*", "shop.example", "https://shop.example/", "https://shop.example/page"])(
    "are refused under a name that no browser sends: %s",
    async (origin) => {
      const created = createGuardrailsApp({ configs: {}, corsOrigins: [origin] });
      await expect(created).rejects.toMatchObject({
        code: "CF-104",
        message: expect.stringContaining("is not the origin of a page"),
      });
    },
  );

  it.each([
    ["https://bikes.example", "https://bikes.example"],
    ["https://evil.example", null],
  ])("from %s", async (origin, allowed) => {
    const headers = { origin, "access-control-request-method": "POST" };
    const preflight = await server.send("/v1/chat/completions", { method: "OPTIONS", headers });
    expect(preflight.headers.get("access-control-allow-origin")).toBe(allowed);
    const response = await server.send("/v1/models", { headers: { origin, authorization: `Bearer ${KEY}` } });
    expect(response.headers.get("access-control-allow-origin")).toBe(allowed);
  });
});

describe("malformed `options` in the format of NeMo Guardrails", () => {
  it.each<[string, object]>([
    ["options.rails[0]", { rails: ["nope"] }],
    ["options.rails.input[0]", { rails: { input: [7] } }],
    ["options.log.a", { log: { a: 1 } }],
  ])("are an error that names %s", async (param, options) => {
    const response = await post("/nemo/v1/chat/completions", { messages: [user], options }, OPERATOR);
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: expect.objectContaining({ param, type: "invalid_request_error" }) },
    ]);
  });
});
