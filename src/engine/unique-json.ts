/** Matches the strings of JSON; those before a colon are keys. */
const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/**
 * Returns all keys of a text that is valid JSON, also those of nested objects, with repetitions.
 *
 * @example
 * ```ts
 * writtenKeys('{"a": {"b": 1}, "a": 2}'); // ["a", "b", "a"]
 * ```
 */
export function writtenKeys(json: string): readonly string[] {
  const keys = Array.from(json.matchAll(STRING), ([, key = "", colon]) => (colon === undefined ? [] : [key])).flat();
  // An escape, as in `"s\\u0061fe"`, does not make another key.
  return keys.map((key) => (key.includes("\\") ? String(JSON.parse(key)) : key.slice(1, -1)));
}

/**
 * Parses JSON, and rejects an object with a repeated key: `JSON.parse` keeps the last value and other readers the first, so a text
 * could mean one thing to a rail and another to a tool.
 *
 * @throws SyntaxError
 *
 * @example
 * ```ts
 * parseUniqueJson('{"safe": false, "safe": true}'); // throws
 * ```
 */
export function parseUniqueJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (writtenKeys(text).length !== countKeys(value)) throw new SyntaxError("an object has a key twice");
  return value;
}

/** Returns true for valid JSON in which an object has a key twice. */
export function hasRepeatedKey(text: string): boolean {
  if (!text.includes(":")) return false;
  try {
    return writtenKeys(text).length !== countKeys(JSON.parse(text));
  } catch {
    return false;
  }
}

function countKeys(value: unknown): number {
  let keys = 0;
  const rest = [value];
  for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
    if (typeof item !== "object" || item === null) continue;
    const parts: unknown[] = Object.values(item);
    if (!Array.isArray(item)) keys += parts.length;
    for (const part of parts) rest.push(part);
  }
  return keys;
}
