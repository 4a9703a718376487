import type { PlainObject } from "./message-kinds.js";

/** An object of the class of `value` with these entries. */
export function copyPlain(value: PlainObject, entries: PlainObject): PlainObject {
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as Record<string, unknown>;
  for (const [key, inner] of Object.entries(entries)) {
    Object.defineProperty(copy, key, { value: inner, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}
