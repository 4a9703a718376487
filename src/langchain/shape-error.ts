import { InputShapeError } from "../diagnostics/errors.js";
import { isMessage, isObject } from "./values/message-kinds.js";

const MAX_KEYS = 12;

/** What a value looks like, without telling what is in it. */
export function describeShape(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${describeShape(value[0])}`;
  if (isMessage(value)) return `a message of type \`${value.getType()}\``;
  if (isObject(value)) {
    const keys = Object.keys(value);
    const shown = keys.slice(0, MAX_KEYS).map((key) => `\`${key}\``);
    const more = keys.length > MAX_KEYS ? ", …" : "";
    return keys.length === 0 ? "an object without keys" : `an object with the keys ${shown.join(", ")}${more}`;
  }
  return value === undefined ? "undefined" : `a ${typeof value}`;
}

/** The one way to complain about a value that cannot be guarded: its type, the keys seen, the remedy. */
export function shapeError(problem: string, value: unknown, remedy: string): InputShapeError {
  return new InputShapeError(`${problem}: got ${describeShape(value)}; ${remedy}`);
}
