import { isPlainName } from "./plain-name.js";
import type { Redactor } from "./redactor.js";

const MAX_VALUES = 100_000;
/** Numbers with fewer digits, such as counts and times, are not read as texts. */
const MIN_DIGITS = 6;

export interface RedactDataOptions {
  /**
   * What becomes of a string with a quote: `drop` takes it out with its key or its place in a list, `mark` keeps the rest
   * of it; default: `drop`.
   */
  readonly strings?: "drop" | "mark";
}

/**
 * A copy of `value` without quotes of the hidden texts. Plain data and lists are copied; any other object that quotes one
 * is left out. A value without a quote is returned as it is.
 */
export function redactData<Value>(
  value: Value,
  redactor: Redactor | undefined,
  { strings }: RedactDataOptions = {},
): Value | undefined {
  if (redactor === undefined || !quotesIn(value, redactor)) return value;
  return copy(value, { redactor, strings, copies: new Map() }) as Value | undefined;
}

/**
 * Returns true if a string, a long number, a key or bytes inside the value quote a hidden text. INVARIANT: what cannot be
 * read (getters that fail, more values than the limit) counts as a quote.
 */
export function quotesIn(value: unknown, redactor: Redactor): boolean {
  const seen = new Set<object>();
  const queue: unknown[] = [value];
  while (queue.length > 0) {
    const item = queue.pop();
    const text = textOf(item);
    if (text !== undefined) {
      if (redactor.quotes(text)) return true;
      continue;
    }
    if (typeof item !== "object" || item === null || seen.has(item)) continue;
    seen.add(item);
    if (seen.size > MAX_VALUES || queue.length > MAX_VALUES || !enqueueParts(item, queue)) return true;
  }
  return false;
}

const MAX_DEPTH = 64;

/** Returns the strings inside plain data, its long numbers as strings, and keys that are no plain names. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (value === undefined || value === null) return [];
  const texts = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (item: unknown, depth: number): void => {
    const text = textOf(item);
    if (text !== undefined) {
      if (text !== "") texts.add(text);
    } else if (typeof item === "object" && item !== null && depth < MAX_DEPTH && !seen.has(item)) {
      seen.add(item);
      const isList = Array.isArray(item);
      for (const [key, inner] of entriesOf(item)) {
        if (!isList && !isPlainName(key)) texts.add(key);
        visit(inner, depth + 1);
      }
    }
  };
  visit(value, 0);
  return [...texts];
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "symbol") return value.description ?? "";
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  const digits = String(value);
  return digits.length < MIN_DIGITS ? "" : digits;
}

/** Returns false if a part could not be read. */
function enqueueParts(value: object, queue: unknown[]): boolean {
  if (ArrayBuffer.isView(value)) {
    queue.push(new TextDecoder().decode(value as unknown as Uint8Array));
    return true;
  }
  try {
    if (value instanceof Map) for (const [key, inner] of value) queue.push(key, inner);
    else if (value instanceof Set) for (const inner of value) queue.push(inner);
    const isArray = Array.isArray(value);
    // Errors and class instances hide their texts in properties that are not enumerable or not their own.
    for (let owner: object | null = value; owner !== null && !isBuiltIn(owner); owner = prototypeOf(owner)) {
      for (const key of Reflect.ownKeys(owner)) {
        if (key === "constructor" || (isArray && key === "length")) continue;
        if (typeof key === "string" && !isArray) queue.push(key);
        const inner: unknown = Reflect.get(owner, key, value);
        if (inner !== undefined && typeof inner !== "function") queue.push(inner);
      }
    }
    return true;
  } catch {
    return false;
  }
}

interface Copying {
  readonly redactor: Redactor;
  readonly strings: RedactDataOptions["strings"];
  readonly copies: Map<object, unknown>;
}

function copy(value: unknown, given: Copying): unknown {
  const { redactor, strings, copies } = given;
  if (typeof value === "string") {
    if (strings === "mark") return redactor.redact(value);
    return redactor.quotes(value) ? undefined : value;
  }
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "symbol") {
    return redactor.quotes(textOf(value) ?? "") ? undefined : value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  if (Array.isArray(value)) return copyList(value, given);
  if (value instanceof Error && strings === "mark") return copyError(value, given);
  if (!isPlain(value)) {
    const kept = quotesIn(value, redactor) ? undefined : value;
    copies.set(value, kept);
    return kept;
  }
  const target: Record<string, unknown> = {};
  copies.set(value, target);
  for (const [key, inner] of entriesOf(value)) {
    const kept = redactor.quotes(key) ? undefined : copy(inner, given);
    if (kept !== undefined) define(target, key, kept);
  }
  return target;
}

function copyList(value: readonly unknown[], given: Copying): readonly unknown[] {
  const list: unknown[] = [];
  given.copies.set(value, list);
  for (const item of value) {
    const kept = copy(item, given);
    if (kept !== undefined) list.push(kept);
  }
  return list;
}

/** Properties that no copy of an error takes over: its stack is made again, its cause is left out. */
const LEFT_OUT: ReadonlySet<PropertyKey> = new Set(["stack", "cause"]);

/**
 * An error of the same class and name with a redacted message, without its cause. Copies of other properties stay, such
 * as `code` and the marker that `isInstance` reads.
 */
function copyError(value: Error, given: Copying): Error {
  const { redactor, copies } = given;
  if (!quotesIn(value, redactor)) return value;
  const target = Object.create(prototypeOf(value)) as Error;
  copies.set(value, target);
  const message = redactor.redact(value.message);
  const name = redactor.redact(value.name);
  for (const [key, inner] of Object.entries({ name, message, stack: `${name}: ${message}` })) {
    Object.defineProperty(target, key, { value: inner, enumerable: false, configurable: true, writable: true });
  }
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (LEFT_OUT.has(key) || property === undefined || !("value" in property)) continue;
    if (typeof key === "string" && redactor.quotes(key)) continue;
    const kept = copy(property.value, given);
    if (kept !== undefined) Object.defineProperty(target, key, { ...property, value: kept, configurable: true });
  }
  return target;
}

/** A getter that fails says nothing. */
function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.keys(value).flatMap((key) => {
    try {
      return [[key, Reflect.get(value, key) as unknown] as const];
    } catch {
      return [];
    }
  });
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function isPlain(value: object): boolean {
  const prototype = prototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

const BUILT_IN = new Set<object>([Object, Array, Map, Set, Error].map(({ prototype }) => prototype));

function isBuiltIn(prototype: object): boolean {
  return BUILT_IN.has(prototype);
}

function prototypeOf(value: object): object | null {
  return Object.getPrototypeOf(value) as object | null;
}
