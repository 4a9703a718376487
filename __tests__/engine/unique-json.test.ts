import { describe, expect, it } from "@jest/globals";
import { hasRepeatedKey, parseUniqueJson } from "../../src/engine/unique-json.js";

const REPEATED = [
  '{"a": 1, "a": 2}',
  '{"a": 1, "\\u0061": 2}',
  '{"a": 1, "a"                              : 2}',
  '{"a": 1, "a"\n:\n2}',
  '{"a"\n: 1, "b": 2, "b": 3}',
  '{"x": {"a": 1, "a": 2}}',
  '[{"a": [], "b": ":", "a": {}}]',
  '{"__proto__": 1, "__proto__": 2}',
  '{"": 1, "": 2}',
];

const UNIQUE = [
  "{}",
  "[]",
  '"a: b"',
  "null",
  '{"a": 1, "A": 2}',
  '{"a": {"a": 1}, "b": {"a": "a"}}',
  '{"a": "\\"b\\": 1", "c": "\\\\"}',
  '["a", ":", {"b" : [":"]}]',
  '{"__proto__": {"a": 1}}',
];

describe("JSON with unique keys", () => {
  it.each(REPEATED)("rejects %j", (text) => {
    expect(hasRepeatedKey(text)).toBe(true);
    expect(() => parseUniqueJson(text)).toThrow("an object has a key twice");
  });

  it.each(UNIQUE)("parses %j", (text) => {
    expect(hasRepeatedKey(text)).toBe(false);
    expect(parseUniqueJson(text)).toEqual(JSON.parse(text));
  });

  it("rejects what is not JSON", () => {
    expect(hasRepeatedKey('{"a": 1, "a": 2')).toBe(false);
    expect(() => parseUniqueJson("{'a': 1}")).toThrow(SyntaxError);
  });
});
