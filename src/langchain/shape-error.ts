import { InputShapeError } from "../diagnostics/errors.js";
import { awaitHint } from "../diagnostics/options.js";
import { isPlainName } from "../turn/redact-data.js";
import { isMessage, isObject } from "./values/message-kinds.js";

const MAX_KEYS = 12;

/** Describes the shape of a value without its texts. */
function describeShape(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) {
    if (value.length === 0) return "an empty array";
    return Array.isArray(value[0]) ? "an array of arrays" : `an array of ${describeShape(value[0])}`;
  }
  if (value instanceof Promise) return "a promise";
  if (isMessage(value)) return `a message of type \`${value.getType()}\``;
  if (isObject(value)) {
    const keys = Object.keys(value);
    if (keys.length === 0) return "an object without keys";
    // INVARIANT: a key that is not a plain name may be user text, so it is not repeated.
    const named = keys.filter(isPlainName).slice(0, MAX_KEYS);
    const shown = [...named.map((key) => `\`${key}\``), ...(named.length < keys.length ? ["…"] : [])];
    return `an object with the keys ${shown.join(", ")}`;
  }
  return value === undefined ? "undefined" : `a ${typeof value}`;
}

/** Builds the error for a value of the wrong shape: what was expected, the type and keys found, and a hint. */
export function shapeError(problem: string, value: unknown, hint: string): InputShapeError {
  return new InputShapeError(`${problem}, got ${describeShape(value)}; ${awaitHint(value) ?? hint}`);
}

const PLAIN_DATA =
  "plain data: objects, lists, strings, numbers and booleans, at most a few hundred levels deep, without cycles";

/**
 * Plain data as JSON; a bigint becomes its digits.
 *
 * @throws InputShapeError for data that JSON cannot represent: unreadable content must not pass unreviewed
 */
export function jsonText(value: unknown, subject: string): string {
  try {
    return writeJson(value) ?? "";
  } catch {
    throw new InputShapeError(`expected ${subject} to be ${PLAIN_DATA}`);
  }
}

/** Most data has no bigint, and a function that V8 calls for each value takes twice as long as the rest. */
function writeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner));
  }
}
