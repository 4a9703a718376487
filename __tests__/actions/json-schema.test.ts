import { format } from "@cfworker/json-schema";
import { describe, expect, it } from "@jest/globals";
import { compileJsonSchema, type JsonSchemaOptions, matchesJsonSchema } from "../../src/actions/json-schema.js";
import { searchPattern, compilePattern } from "../../src/expressions/values/pattern.js";

const options: JsonSchemaOptions = {
  anyValue: true,
  compilePattern: (source) => {
    const pattern = compilePattern(source);
    return (text) => searchPattern(pattern, text);
  },
};

function checkValue(schema: unknown, value: unknown): unknown {
  const compiled = compileJsonSchema(schema, options);
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join("; "));
  const result = compiled.check(value);
  return result.matches ? "matches" : result.at;
}

describe("a value", () => {
  const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["next"] };
  it.each<[string, unknown, unknown, string]>([
    ["any value and `true`", true, { a: 1 }, "matches"],
    ["any value and `false`", false, 1, ""],
    ["a property that is required and not described", { required: ["b"] }, { a: 1 }, "/required"],
    ["a number that is too large", { properties: { a: { maximum: 5 } } }, { a: 6 }, "/properties/a/maximum"],
    ["a number that is not finite", { type: "number" }, Number.POSITIVE_INFINITY, ""],
    ["a function", true, () => 1, ""],
    ["an unknown name", { additionalProperties: false }, { secret: 1 }, "/additionalProperties"],
    ["none of several schemas", { anyOf: [{ type: "string" }, { type: "null" }] }, 1, "/anyOf"],
    ["two of several schemas", { oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, "/oneOf"],
    ["a text that contains the pattern", { pattern: "b+" }, "abc", "matches"],
    ["a text without the pattern", { items: { pattern: "^b+$" } }, ["b", "abc"], "/items/pattern"],
    ["a pattern inside `not`", { not: { pattern: "secret" } }, "a secret", "/not"],
    ["a text in another format, which is an annotation", { format: "email" }, "no address", "matches"],
    ["a list with a wrong item", { items: { enum: [1, "b", null] } }, [1, "c"], "/items/enum"],
    ["a type out of several", { type: ["integer", "null"] }, 1.5, "/type"],
    [
      "a reference",
      { $defs: { node: { type: "null" } }, properties: { a: { $ref: "#/$defs/node" } } },
      { a: null },
      "matches",
    ],
    ["a reference to itself that never ends", { $ref: "#" }, 1, ""],
    [
      "a nested reference",
      { $defs: { node }, $ref: "#/$defs/node" },
      { next: {} },
      "/$ref/properties/next/$ref/required",
    ],
  ])("that is %s", (_, schema, value, expected) => {
    expect(checkValue(schema, value)).toBe(expected);
  });

  it("is checked in linear time against a pattern that makes backtracking engines hang", () => {
    expect(checkValue({ pattern: "^(a+)+$" }, `${"a".repeat(50_000)}!`)).toBe("/pattern");
  });
});

describe("a schema", () => {
  const deep = (levels: number): unknown => (levels === 0 ? true : { not: deep(levels - 1) });
  it.each<[string, unknown, string, string]>([
    ["text", "string", "", "expected a JSON Schema, got a string"],
    ["an unknown keyword", { items: { maximun: 1 } }, "items.maximun", "the keyword `maximun` is not supported"],
    ["a keyword that can be slow", { uniqueItems: true }, "uniqueItems", "the keyword `uniqueItems` is not supported"],
    [
      "an unknown type",
      { type: "text" },
      "type",
      "expected `type` to be the name of a JSON type or an array of them, got a string",
    ],
    [
      "a bound of draft 4",
      { exclusiveMinimum: true },
      "exclusiveMinimum",
      "expected `exclusiveMinimum` to be a number, got a boolean",
    ],
    [
      "names that are not a list",
      { required: "a" },
      "required",
      "expected `required` to be an array of strings, got a string",
    ],
    ["an empty choice", { anyOf: [] }, "anyOf", "expected `anyOf` to be a non-empty array of schemas, got an array"],
    ["lookaround", { pattern: "(?=a)" }, "pattern", "lookaround in patterns are not supported"],
    ["a reference to nothing", { $ref: "#/$defs/a" }, "$ref", "the schema has no part `#/$defs/a`"],
    [
      "too many levels",
      deep(70),
      Array.from({ length: 65 }, () => "not").join("."),
      "the schema is nested deeper than 64 keys",
    ],
    [
      "a forbidden name",
      JSON.parse('{"properties":{"__proto__":true}}'),
      "properties.__proto__",
      "the name `__proto__` is not allowed",
    ],
  ])("with %s is refused", (_, schema, path, message) => {
    const compiled = compileJsonSchema(schema, options);
    const problems = compiled.ok ? [] : compiled.problems.map((problem) => [problem.path.join("."), problem.message]);
    expect(problems).toEqual([[path, message]]);
  });

  it("is not changed by the check", () => {
    const schema = Object.freeze({ $ref: "#/$defs/a", $defs: Object.freeze({ a: Object.freeze({ pattern: "a" }) }) });
    const before = JSON.stringify(schema);
    expect(checkValue(schema, "a")).toBe("matches");
    expect(JSON.stringify(schema)).toBe(before);
  });
});

describe("the patterns of a schema", () => {
  it("belong to their schema and leave no formats in the table of the process", async () => {
    const before = Object.keys(format);
    const schema = { type: "string", pattern: "^a$" };
    const [never, always] = [() => false, () => true].map((matches) =>
      compileJsonSchema(schema, { anyValue: true, compilePattern: () => matches }),
    );
    const judge = (compiled: typeof never): unknown => compiled?.ok && compiled.check("a").matches;
    expect([judge(always), judge(never), judge(always)]).toEqual([true, false, true]);
    expect(await matchesJsonSchema(schema, "a")).toBe(true);
    expect(await matchesJsonSchema({ $ref: "#/$defs/gone", pattern: "^b$" }, "b").catch(() => "an error")).toBe(
      "an error",
    );
    expect(Object.keys(format)).toEqual(before);
  });
});

describe("a schema of a tool", () => {
  it.each<[string, object, unknown, boolean]>([
    ["a text that fits a pattern", { pattern: "^[a-z/]+$" }, "a/b", true],
    ["a text that does not", { properties: { a: { pattern: "^\\d+$" } } }, { a: "x1" }, false],
    ["a property called `pattern`", { properties: { pattern: { type: "number" } } }, { pattern: "x" }, false],
    ["a text that a lookahead refuses", { pattern: "^(?!no)" }, "nothing", false],
    ["a text that a lookahead takes", { pattern: "^(?!no)" }, "all", true],
    ["a pattern next to a format", { pattern: "^a", format: "email" }, "a text", false],
    ["a pattern next to `allOf`", { pattern: "^a", allOf: [{ pattern: "b$" }] }, "ac", false],
    ["items that are the same", { uniqueItems: true }, [1, 1], false],
    ["a text of an enum that looks like a schema", { enum: [{ pattern: "a" }] }, { pattern: "a" }, true],
    ["keywords of other vocabularies", { type: "string", nullable: true, "x-order": 1 }, "a", true],
  ])("checks %s", async (_, schema, value, expected) => {
    expect(await matchesJsonSchema(schema, value)).toBe(expected);
  });

  it.each(["a", "default", "enum", "examples", "const"])(
    "takes linear time for a property `%s` with a text that makes backtracking engines hang",
    async (name) => {
      const schema = { properties: { [name]: { pattern: "^(a+)+$" } } };
      expect(await matchesJsonSchema(schema, { [name]: `${"a".repeat(50_000)}!` })).toBe(false);
    },
  );
});
