import { describe, expect, it } from "@jest/globals";
import { InputShapeError } from "../../src/diagnostics/errors.js";
import { mapParts, type Mapper, visitParts, WALK_LIMITS } from "../../src/engine/walk.js";

const nested = (levels: number, inner: unknown = "x"): unknown => {
  let value = inner;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { key: value };
  return value;
};
const cyclic = (): Record<string, unknown> => {
  const value: Record<string, unknown> = { text: "x" };
  value["self"] = value;
  return value;
};
const failing = {
  text: "x",
  get broken(): string {
    throw new Error("no value");
  },
};

describe("a visit of parts", () => {
  const visited = (value: unknown, limits = WALK_LIMITS): readonly [readonly unknown[], boolean] => {
    const found: unknown[] = [];
    const isWhole = visitParts(
      value,
      (part, key) => {
        if (typeof part !== "object") found.push(key === undefined ? part : `${key}=${String(part)}`);
      },
      limits,
    );
    return [found, isWhole];
  };

  it.each<[string, unknown, readonly unknown[], boolean]>([
    ["a text", "x", ["x"], true],
    ["parts in order", { a: [1, { b: 2 }], c: 3 }, [1, "b=2", "c=3"], true],
    ["as many levels as the limit", nested(WALK_LIMITS.depth), ["x"], true],
    ["more levels", nested(WALK_LIMITS.depth + 1), [], false],
    ["levels without end", nested(50_000), [], false],
    ["a cycle", cyclic(), ["text=x"], true],
    ["a getter that fails", failing, ["text=x"], false],
  ])("sees %s", (_title, value, found, isWhole) => {
    expect(visited(value)).toEqual([found, isWhole]);
  });

  it("ends at the number of values", () => {
    expect(visited(["a", "b", "c"], { depth: 2, values: 3 })).toEqual([[], false]);
    expect(visited(["a", "b"], { depth: 2, values: 3 })).toEqual([["a", "b"], true]);
  });

  it("leaves out parts that the visitor does not want", () => {
    const found: unknown[] = [];
    visitParts([{ skip: 1 }, "x"], (part) => (found.push(part), Array.isArray(part)));
    expect(found).toEqual([[{ skip: 1 }, "x"], { skip: 1 }, "x"]);
  });
});

describe("a map of parts", () => {
  const upper: Mapper = { leaf: (leaf) => (leaf === "x" ? "X" : leaf === "-" ? undefined : leaf) };

  it.each<[string, unknown, unknown]>([
    ["a text", "x", "X"],
    ["texts", { a: ["x", "y"], b: 1 }, { a: ["X", "y"], b: 1 }],
    ["what is removed", { a: "-", b: ["-", "x"] }, { b: ["X"] }],
    ["as many levels as the limit", nested(WALK_LIMITS.depth), nested(WALK_LIMITS.depth, "X")],
  ])("changes %s", (_title, value, expected) => {
    expect(mapParts(value, upper)).toEqual(expected);
  });

  it("gives the value itself if nothing changes, also at entries without a value", () => {
    const value = { a: ["y", undefined], b: { c: undefined } };
    expect(mapParts(value, upper)).toBe(value);
  });

  it("keeps the class and own keys such as `__proto__`", () => {
    class Point {
      label = "x";
    }
    const after = mapParts(new Point(), upper) as Point;
    expect([after, after instanceof Point]).toEqual([{ label: "X" }, true]);
    const mapped = mapParts(JSON.parse('{ "__proto__": "x" }'), upper) as object;
    expect(Object.entries(mapped)).toEqual([["__proto__", "X"]]);
  });

  it.each<[string, unknown]>([
    ["more levels than the limit", nested(WALK_LIMITS.depth + 1)],
    ["levels without end", nested(50_000)],
    ["a cycle", cyclic()],
    ["a getter that fails", failing],
  ])("fails at %s with an error of ours, unless a rule says otherwise", (_title, value) => {
    expect(() => mapParts(value, upper)).toThrow(InputShapeError);
    expect(() => mapParts(value, { ...upper, beyond: () => null })).not.toThrow();
  });

  it("maps a part that stands in two places once", () => {
    const shared = { a: "x" };
    const { one, two } = mapParts({ one: shared, two: shared }, upper) as { one: unknown; two: unknown };
    expect(one).toBe(two);
  });

  it("reads many places of few objects in little time", () => {
    let value: unknown = "x";
    for (let level = 0; level < 30; level += 1) value = [value, value];
    expect(JSON.stringify(mapParts([value], { leaf: (leaf) => leaf, whole: () => "seen" }))).toBe('"seen"');
    let after = mapParts(value, upper);
    while (Array.isArray(after)) [after] = after as unknown[];
    expect(after).toBe("X");
  });

  it("copies getters, hidden properties and cycles where configured", () => {
    const value = Object.defineProperty(cyclic(), "hidden", { value: "secret", enumerable: false });
    const copy = mapParts(value, { ...upper, copies: true }) as Record<string, unknown>;
    expect(copy["self"]).toBe(copy);
    expect(Reflect.ownKeys(copy)).toEqual(["text", "self"]);
  });

  it("changes keys, keeps entries and goes on by other rules", () => {
    const kept: Mapper = { leaf: (leaf) => leaf };
    const mapper: Mapper = {
      ...upper,
      whole: (value, parts) => (Object.hasOwn(value, "raw") ? parts(kept) : parts()),
      key: (key) => (key === "gone" ? undefined : key.trim()),
      keeps: (key) => key === "id",
    };
    const value = { id: "x", gone: "x", " a ": "x", inner: { raw: "x" } };
    expect(mapParts(value, mapper)).toEqual({ id: "x", a: "X", inner: { raw: "x" } });
  });
});
