import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { openApiDocument } from "../../src/server/routes/openapi.js";
import { propertyRuns } from "../support/property-runs.js";
import { answering, type GuardedServer, guardedServer } from "../support/server/guarded-server.js";

type Schema = Readonly<Record<string, unknown>>;

interface Document {
  readonly paths: Readonly<Record<string, { readonly post?: { readonly responses: object } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = openApiDocument() as Document;
const POSTS = Object.entries(document.paths).flatMap(([path, { post }]) =>
  post === undefined ? [] : [[path, post] as const],
);

let server: GuardedServer;

beforeAll(async () => {
  server = await guardedServer({ reply: answering("Hello!") });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** Values that fit a schema, and now and then some that do not. */
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
  // Few of the optional fields at a time, so that requests get past the first check.
  const optional = Object.keys(fields).filter((name) => !required.includes(name));
  const chosen = fc.subarray(optional, { maxLength: Math.min(2, optional.length) });
  return chosen.chain((names) =>
    fc.record(Object.fromEntries([...required, ...names].map((name) => [name, fields[name] ?? fc.constant(null)]))),
  );
}

describe("requests made from the OpenAPI document", () => {
  it.each(POSTS)("of %s get a status that it lists", async (path, { responses }) => {
    const schema = document.components.schemas[path.replaceAll(/[^a-z0-9]+/g, "_").replace(/^_/, "")] as Schema;
    await fc.assert(
      fc.asyncProperty(valuesOf(schema), async (json) => {
        const response = await server.send(path, { json: JSON.stringify(json) });
        const text = await response.text();
        expect(Object.keys(responses)).toContain(String(response.status));
        expect(response.status).not.toBe(500);
        expect(text).not.toContain("upstream-secret-key");
        if (response.status !== 200) {
          const { error } = JSON.parse(text) as { error: object };
          expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
        }
      }),
      { numRuns: propertyRuns(80) },
    );
    expect((await server.chat("hi")).status).toBe(200);
  });
});
