import { describe, expect, it } from "@jest/globals";
import { type AddressInfo, connect } from "node:net";
import { Validator } from "@cfworker/json-schema";
import * as fc from "fast-check";
import { openApiDocument } from "../../src/server/routes/openapi.js";
import { propertyRuns } from "../support/property-runs.js";
import { answering, readEvents } from "../support/server/guarded-server.js";
import { serverOfFile } from "../support/server/server-of-file.js";

type Schema = Readonly<Record<string, unknown>>;

type Responses = Readonly<Record<string, { readonly content: { readonly "application/json": { schema: Schema } } }>>;

interface Document {
  readonly paths: Readonly<Record<string, { readonly post?: { readonly responses: Responses } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = openApiDocument({ hasKeys: false }) as Document;
const POSTS = Object.entries(document.paths).flatMap(([path, { post }]) =>
  post === undefined ? [] : [[path, post] as const],
);

const server = serverOfFile({ reply: answering("Hello!") });

/** Values that match a schema, and occasionally some that do not. */
function valuesOf(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const fitting = fittingValues(schema, depth);
  return fc.oneof({ weight: 12, arbitrary: fitting }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
}

function fittingValues(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  const options = (schema["anyOf"] ?? schema["oneOf"]) as readonly Schema[] | undefined;
  if (options !== undefined) return fc.oneof(...options.map((option) => valuesOf(option, depth)));
  switch (schema["type"]) {
    case "string":
      return fc.oneof(fc.constantFrom("gpt-test", "demo", "hi", "bad", "room 12", "thread-0000000001"), fc.string());
    case "integer":
      return fc.integer({ min: -2, max: 130 });
    case "number":
      return fc.double({ min: -3, max: 3, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valuesOf((schema["items"] ?? {}) as Schema, depth + 1), { maxLength: 3 });
    case "object":
      return objectsOf(schema, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectsOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] };
  if (depth > 6) return fc.constant({});
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, valuesOf(each, depth + 1)]),
  );
  // Few optional fields at a time, so that requests pass the first check.
  const optional = Object.keys(fields).filter((name) => !required.includes(name));
  const chosen = fc.subarray(optional, { maxLength: Math.min(2, optional.length) });
  return chosen.chain((names) =>
    fc.record(Object.fromEntries([...required, ...names].map((name) => [name, fields[name] ?? fc.constant(null)]))),
  );
}

describe("requests made from the OpenAPI document", () => {
  it.each(POSTS)("of %s get a status that it lists, and a body that it describes", async (path, { responses }) => {
    const schema = document.components.schemas[path.replaceAll(/[^a-z0-9]+/g, "_").replace(/^_/, "")] as Schema;
    const passed = new Validator(responses["200"]?.content["application/json"].schema ?? {}, "2020-12");
    await fc.assert(
      fc.asyncProperty(valuesOf(schema), async (json) => {
        const response = await server.send(path, { json: JSON.stringify(json) });
        const text = await response.text();
        expect(Object.keys(responses)).toContain(String(response.status));
        expect(response.status).not.toBe(500);
        expect(text).not.toContain("upstream-secret-key");
        if (response.headers.get("content-type")?.startsWith("application/json") && response.status === 200) {
          expect(passed.validate(JSON.parse(text)).errors).toEqual([]);
        }
        if (response.status !== 200) {
          const { error } = JSON.parse(text) as { error: object };
          expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
        }
      }),
      { numRuns: propertyRuns(80) },
    );
    expect((await server.chat("hi")).status).toBe(200);
  });

  it("of streams get events that are complete, or one error", async () => {
    const path = "/v1/chat/completions";
    const { responses = {} } = document.paths[path]?.post ?? {};
    const schema = document.components.schemas["v1_chat_completions"] as Schema;
    await fc.assert(
      fc.asyncProperty(objectsOf(schema, 0), async (json) => {
        const response = await server.send(path, { json: { ...(json as object), stream: true } });
        const text = await response.text();
        expect(Object.keys(responses)).toContain(String(response.status));
        if (response.status !== 200) {
          expect(Object.keys((JSON.parse(text) as { error: object }).error)).toHaveLength(4);
          return;
        }
        const events = readEvents(text);
        expect(events.at(-1)).toBe("[DONE]");
        const reasons = (events.slice(0, -1) as { choices: { finish_reason: unknown }[] }[]).flatMap(({ choices }) =>
          choices.map((choice) => choice.finish_reason).filter((reason) => reason !== null),
        );
        expect(reasons).toHaveLength(1);
      }),
      { numRuns: propertyRuns(30) },
    );
  });
});

/** Sends bytes on a separate connection, and reads everything until it is closed. */
async function sendRaw(bytes: string): Promise<string> {
  const { port } = server.running.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => (text += part));
  socket.on("error", () => undefined);
  socket.write(bytes);
  await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

const BODY = JSON.stringify({ model: "gpt-test", messages: [{ role: "user", content: "hi" }] });
const LINES = ["host: localhost", "connection: close", "content-type: application/json"];
const request = (line: string, ...more: readonly string[]): string =>
  [line, ...LINES, `content-length: ${BODY.length}`, ...more, "", BODY].join("\r\n");

describe("requests with tricks in their lines", () => {
  const paths = [
    "//v1/chat/completions",
    "/v1//chat/completions",
    "/v1/chat/completions/",
    "/V1/chat/completions",
    "/v1/chat/completions%2f",
    "/v1/chat%2fcompletions",
    "/%76%31/models/..%2f..%2fmetrics",
    "/v1/models/%00",
    "/v1/models/%ff",
    "/v1/models/%",
    "/v1/models/__proto__",
    "/v1/models/constructor",
    "/v1/../metrics/../v1/x",
    "/..",
    "/\\evil.example/v1",
    "http://evil.example/v1/x",
    "*",
    `/${"a".repeat(9000)}`,
  ];

  it.each(paths)("get no route that they do not name: %s", async (path) => {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const text = await sendRaw(request(`${method} ${path} HTTP/1.1`));
      expect(text).toMatch(/^HTTP\/1\.1 (?:400|404|405|431) /);
      expect(text).not.toMatch(/ at |node:|\/work|upstream-secret-key/);
      expect(text).toContain('"error":{');
    }
  });

  it.each([
    ["two lengths", ["content-length: 3"]],
    ["a length and chunks", ["transfer-encoding: chunked"]],
    ["an unknown encoding of the transfer", ["transfer-encoding: xyz"]],
    ["a header without a name", [": x"]],
    ["a header that continues in the next line", ["x-a: b", " c"]],
    ["a bare line feed", ["x-a: b\nx-b: c\r"]],
    ["a null byte", ["x-a: b\0c"]],
    ["an upgrade", ["upgrade: h2c", "http2-settings: AAMAAABkAAQAAP__"]],
  ])("get at most one response: %s", async (_title, more) => {
    const text = await sendRaw(request("POST /v1/chat/completions HTTP/1.1", ...more));
    expect(text.match(/^HTTP\/1\.1 /gm) ?? []).toHaveLength(1);
    expect(text).toMatch(/^HTTP\/1\.1 (?:200|400) /);
  });

  it.each([
    ["an id with a line break", "x-request-id: a%0d%0aset-cookie: x"],
    ["an id that is too long", `x-request-id: ${"a".repeat(500)}`],
  ])("do not get their text back: %s", async (_title, line) => {
    const text = await sendRaw(request("POST /v1/chat/completions HTTP/1.1", line));
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toMatch(/\r\nx-request-id: req_\w+\r\n/i);
    expect(text).not.toMatch(/set-cookie|a{200}/);
  });
});

describe("ids of configurations", () => {
  const tricks =
    "..|../demo|demo/../demo|/etc/passwd|C:\\x|demo\0|__proto__|constructor|toString||%2e%2e|demo | demo|démo|";

  it.each([...tricks.split("|"), "a".repeat(200), "file:///etc", "demo\n", ".demo", "-demo"])(
    "that name none are refused: %j",
    async (id) => {
      for (const fields of [
        { guardrails: { config_id: id } },
        { guardrails: { config_ids: ["demo", id] } },
        { config_id: id },
      ]) {
        for (const path of ["/v1/chat/completions", "/v1/checks", "/nemo/v1/chat/completions"]) {
          const json = { messages: [{ role: "user", content: "hi" }], model: "gpt-test", ...fields };
          const response = await server.send(path, { json });
          const { error } = (await response.json()) as { error: { message: string } };
          expect([400, 404]).toContain(response.status);
          expect(error.message).not.toContain("passwd'");
        }
      }
    },
  );
});
