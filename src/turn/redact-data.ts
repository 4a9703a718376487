import { omitUndefined } from "../engine/plain-data.js";
import { isPlain, type Mapper, mapParts, visitParts } from "../engine/walk.js";
import type { RailDecision } from "./decision.js";
import type { Redactor } from "./redactor.js";

const MAX_VALUES = 100_000;
/** Numbers with fewer digits, such as counts and times, do not count as text. */
const MIN_DIGITS = 6;

/** Treatment of a string with a quote: `drop` removes it with its key or list item, `mark` keeps the rest of it. */
type Treatment = "drop" | "mark";

/**
 * Copies `value` without quotes of the hidden texts. Plain data and lists are copied; other objects with quotes are
 * removed. A value without a quote is returned itself.
 */
export function redactData<Value>(
  value: Value,
  redactor: Redactor | undefined,
  strings: Treatment = "drop",
): Value | undefined {
  if (redactor === undefined || !quotesIn(value, redactor, strings === "drop")) return value;
  return mapParts(value, redactingMapper(redactor, strings)) as Value | undefined;
}

/** Returns a decision without quotes; quoting parts of its lists and metadata are removed. */
export function redactDetails<Details extends Partial<Pick<RailDecision, "reason" | "categories" | "metadata">>>(
  details: Details,
  redactor: Redactor | undefined,
): Details {
  if (redactor === undefined) return details;
  const { reason, categories, metadata, ...rest } = details;
  const kept = Object.assign(
    omitUndefined({
      reason: reason === undefined ? undefined : redactor.redact(reason),
      categories: redactData(categories, redactor),
      metadata: redactData(metadata, redactor),
    }),
    rest,
  );
  return kept as object as Details;
}

/**
 * Returns true if a string, a long number, a key or bytes inside the value quote a hidden text. INVARIANT: unreadable
 * parts (throwing getters, more values than the limit) count as quotes.
 *
 * @param joins - true if the items of a list together count, too
 */
export function quotesIn(value: unknown, redactor: Redactor, joins = false): boolean {
  const readsList = (list: readonly unknown[]): boolean => !joins || !spells(list, redactor);
  const reading = { limit: MAX_VALUES, readsKey: () => true, readsList };
  return !visitTexts(value, (text) => !redactor.quotes(text), reading);
}

interface Reading {
  readonly limit: number;
  readonly readsKey: (key: string) => boolean;
  /** Returns false to end the visit at a list. */
  readonly readsList?: (list: readonly unknown[]) => boolean;
}

/**
 * Visits every string, long number, key and byte inside the value, including non-enumerable and inherited ones and
 * those behind getters.
 *
 * @param visit - returns false to end the visit
 * @returns false if the visit was ended, or if a part cannot be read
 */
function visitTexts(
  value: unknown,
  visit: (text: string) => boolean,
  { limit, readsKey, readsList }: Reading,
): boolean {
  const seen = new Set<object>();
  const queue: unknown[] = [value];
  while (queue.length > 0) {
    const item = queue.pop();
    const text = textOf(item);
    if (text !== undefined) {
      if (!visit(text)) return false;
      continue;
    }
    if (typeof item !== "object" || item === null || seen.has(item)) continue;
    seen.add(item);
    if (readsList !== undefined && Array.isArray(item) && !readsList(item)) return false;
    if (seen.size > limit || queue.length > limit || !enqueueParts(item, queue, readsKey)) return false;
  }
  return true;
}

/**
 * Returns the distinct texts inside any value, as `quotesIn` reads them, including keys that are not plain names;
 * undefined if a part cannot be read or the limit is exceeded.
 */
export function everyTextIn(value: unknown, limit: number): readonly string[] | undefined {
  const texts = new Set<string>();
  const readsKey = (key: string): boolean => !isPlainName(key);
  const isWhole = visitTexts(value, (text) => texts.add(text).size <= limit, { limit, readsKey });
  texts.delete("");
  return isWhole ? [...texts] : undefined;
}

/** Returns the strings in plain data, its long numbers as strings, and keys that are not plain names. */
export function textsIn(value: unknown): readonly string[] {
  const texts = new Set<string>();
  const limits = { depth: Infinity, values: Infinity };
  visitParts(
    value,
    (part, key) => {
      if (key !== undefined && !isPlainName(key)) texts.add(key);
      texts.add(textOf(part) ?? "");
    },
    limits,
  );
  texts.delete("");
  return [...texts];
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "symbol") return value.description ?? "";
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  const digits = String(value);
  return digits.length < MIN_DIGITS ? "" : digits;
}

/** Returns false if a part cannot be read. */
function enqueueParts(value: object, queue: unknown[], readsKey: (key: string) => boolean): boolean {
  if (ArrayBuffer.isView(value)) {
    queue.push(new TextDecoder().decode(value as unknown as Uint8Array));
    return true;
  }
  try {
    if (value instanceof Map) for (const [key, inner] of value) queue.push(key, inner);
    else if (value instanceof Set) for (const inner of value) queue.push(inner);
    const isArray = Array.isArray(value);
    // Errors and class instances keep texts in non-enumerable or inherited properties.
    for (let owner: object | null = value; owner !== null && !BUILT_IN.has(owner); owner = prototypeOf(owner)) {
      for (const key of Reflect.ownKeys(owner)) {
        if (key === "constructor" || (isArray && key === "length")) continue;
        if (typeof key === "string" && !isArray && readsKey(key)) queue.push(key);
        const inner: unknown = Reflect.get(owner, key, value);
        if (inner !== undefined && typeof inner !== "function") queue.push(inner);
      }
    }
    return true;
  } catch {
    return false;
  }
}

/** Lists of texts that the items of a list may spell together, such as tokens: its strings, and those under each key. */
export function spelledBy(list: readonly unknown[]): readonly (readonly string[])[] {
  const texts = new Map<string, string[]>();
  for (const item of list) {
    const entries = typeof item === "string" ? { "": item } : isPlain(item) && !Array.isArray(item) ? item : {};
    for (const [key, part] of Object.entries(entries)) {
      if (typeof part !== "string") continue;
      const parts = texts.get(key);
      if (parts === undefined) texts.set(key, [part]);
      else parts.push(part);
    }
  }
  return [...texts.values()];
}

function spells(list: readonly unknown[], redactor: Redactor): boolean {
  return spelledBy(list).some((parts) => parts.length > 1 && ["", " "].some((gap) => redactor.quotes(parts.join(gap))));
}

/** Removes quotes, and values beyond the limits of a walk. */
function redactingMapper(redactor: Redactor, strings: Treatment): Mapper {
  const mapper: Mapper = {
    leaf: (leaf) => {
      if (typeof leaf === "string" && strings === "mark") return redactor.redact(leaf);
      return redactor.quotes(textOf(leaf) ?? "") ? undefined : leaf;
    },
    whole: (value, parts) => {
      if (isPlain(value)) {
        const left = parts();
        return strings === "drop" && Array.isArray(left) && spells(left, redactor) ? undefined : left;
      }
      if (!quotesIn(value, redactor)) return value;
      return value instanceof Error && strings === "mark" ? copyError(value, redactor, mapper) : undefined;
    },
    key: (key) => (redactor.quotes(key) ? undefined : key),
    copies: true,
    beyond: () => undefined,
  };
  return mapper;
}

/** Properties not copied from an error: its stack is recreated, its cause is dropped. */
const LEFT_OUT: ReadonlySet<PropertyKey> = new Set(["stack", "cause"]);

/**
 * Copies an error with its class and name, a redacted message, and other properties such as `code` and the marker that
 * `isInstance` reads; the cause is dropped.
 */
function copyError(value: Error, redactor: Redactor, mapper: Mapper): Error {
  const target = Object.create(prototypeOf(value)) as Error;
  const message = redactor.redact(value.message);
  const name = redactor.redact(value.name);
  for (const [key, inner] of Object.entries({ name, message, stack: `${name}: ${message}` })) {
    Object.defineProperty(target, key, { value: inner, enumerable: false, configurable: true, writable: true });
  }
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (LEFT_OUT.has(key) || property === undefined || !("value" in property)) continue;
    if (typeof key === "string" && redactor.quotes(key)) continue;
    const kept = mapParts(property.value, mapper);
    if (kept !== undefined) Object.defineProperty(target, key, { ...property, value: kept, configurable: true });
  }
  return target;
}

const BUILT_IN = new Set<object>([Object, Array, Map, Set, Error].map(({ prototype }) => prototype));

function prototypeOf(value: object): object | null {
  return Object.getPrototypeOf(value) as object | null;
}

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z_$-]{0,39}$/;

/**
 * Returns true for an identifier of developers and protocols: one word of letters. INVARIANT: this is the only rule
 * that decides if keys, labels and names count as text for rails.
 */
export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}
