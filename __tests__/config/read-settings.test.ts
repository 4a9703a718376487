import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { BOOLEAN_WORDS, type Description, type Field, type Shape } from "../../src/config/schema/fields.js";
import { readField } from "../../src/config/schema/read-settings.js";
import { settingsField } from "../../src/config/schema/settings-schema.js";
import { settingsSchema } from "../../src/config/schema/zod-schema.js";

/** Values that some field refuses or reads in a special way. */
const BLANK: readonly unknown[] = [null, undefined, "", " ", NaN, [], [null], {}, Object.create(null)];
const ODD: readonly unknown[] = [
  "yes",
  "off",
  "Yes!",
  0,
  -1,
  0.5,
  1e9,
  2 ** 60,
  Infinity,
  1n,
  true,
  [1],
  ["x"],
  { "": 1 },
  { x: {} },
  new Map(),
  new Date(0),
  () => 1,
  ...BLANK,
];

/** Mostly a value that a field accepts, and sometimes an unusual one. */
function valueOf({ kind }: Field<unknown>, odd: number): fc.Arbitrary<unknown> {
  const right = rightValue(kind, odd);
  return fc.oneof({ weight: 100 - odd, arbitrary: right }, { weight: odd, arbitrary: fc.constantFrom(...ODD) });
}

function rightValue(kind: Description, odd: number): fc.Arbitrary<unknown> {
  switch (kind.name) {
    case "text":
      return fc.constantFrom(...["main", "a b", "x_1", ""].filter((text) => kind.pattern?.test(text) ?? true));
    case "flag":
      return fc.constantFrom(true, false, ...BOOLEAN_WORDS);
    case "number":
      return fc.constantFrom(kind.least ?? 1, kind.greatest ?? 7, 1);
    case "choice":
      return fc.constantFrom(...kind.values);
    case "literal":
      return fc.constant(kind.value);
    case "anything":
      return fc.constantFrom(1, "x", { nested: [1] }, null);
    case "list":
      return fc.array(valueOf(kind.items, odd), { maxLength: 2 });
    case "map":
      return fc.dictionary(fc.constantFrom("a", "b c", "constructor"), valueOf(kind.values, odd), { maxKeys: 2 });
    case "entry":
      return shapeOf(kind.shape, odd, kind.isOpen);
    case "union":
      return fc.oneof(...kind.options.map((option) => valueOf(option, odd)));
    case "rewritten":
      return valueOf(kind.field, odd);
    case "optional":
      return fc.oneof(valueOf(kind.field, odd), fc.constant(null));
    case "section":
      return shapeOf(kind.shape, odd, false);
    case "late":
      return valueOf(kind.field(), odd);
  }
}

function shapeOf(shape: Shape, odd: number, isOpen: boolean): fc.Arbitrary<unknown> {
  const keys = Object.entries(shape);
  const needed = keys
    .filter(([, { kind }]) => !["optional", "section", "late"].includes(kind.name))
    .map(([key]) => key);
  const others = fc.subarray(
    keys.map(([key]) => key),
    { maxLength: Math.min(4, keys.length) },
  );
  return others.chain((chosen) => {
    const model: Record<string, fc.Arbitrary<unknown>> = {};
    for (const key of [...needed, ...chosen]) model[key] = fc.memo(() => valueOf(shape[key] as Field<unknown>, odd))();
    if (isOpen) model["other"] = fc.constantFrom(1, { x: 1 });
    return fc.record(model);
  });
}

describe("reading settings by their description", () => {
  it.each([
    ["right", 0],
    ["mostly right", 3],
    ["often wrong", 30],
  ])("agrees with the schema on %s settings", (_, odd) => {
    fc.assert(
      fc.property(valueOf(settingsField(), odd), (settings) => {
        const parsed = settingsSchema().safeParse(settings, { jitless: true });
        const read = readField(settingsField(), settings);
        if (read !== undefined) expect(parsed).toEqual({ success: true, data: read });
        if (odd === 0) expect(read).toBeDefined();
      }),
      { numRuns: 150, seed: 20261123 },
    );
  });

  it("returns the keys in the order of the schema, and maps without a prototype", () => {
    const settings = { rails: { input: { flows: ["check"] } }, custom_data: { b: 1, a: 2 }, colang_version: "2.x" };
    const read = readField(settingsField(), settings);
    expect(JSON.stringify(read)).toBe(JSON.stringify(settingsSchema().parse(settings)));
    expect(Object.getPrototypeOf(read?.custom_data)).toBeNull();
  });

  it.each([
    ["an unknown key", { modeled: [] }],
    ["a key that reaches a prototype", JSON.parse('{"custom_data": {"__proto__": {"x": 1}}}') as unknown],
    ["an object of a class", { custom_data: new Map() }],
    ["a list in place of keys", []],
    ["a number that is not finite", { lowest_temperature: Infinity }],
  ])("leaves %s to the schema", (_, settings) => {
    expect(readField(settingsField(), settings)).toBeUndefined();
  });
});
