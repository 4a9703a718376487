import { FALSE_WORDS, TRUE_WORDS } from "./boolean-words.js";

/**
 * Descriptions of settings as plain data: `read-settings.ts` reads a valid configuration by them, and `zod-schema.ts`
 * builds the schema that reports problems in any other. INVARIANT: both accept the same values.
 */
export interface Field<Value> {
  readonly kind: Description;
  /** Sentence shown by editors and the configuration reference. */
  readonly about?: string;
  /** Type of the values; never set. */
  readonly "~value"?: Value;
}

export type ValueOf<Each> = Each extends Field<infer Value> ? Value : never;

export type Shape = Readonly<Record<string, Field<unknown>>>;

type Entry<Fields extends Shape> = { [Key in keyof Fields]: ValueOf<Fields[Key]> };

/** All kinds of fields, by name. */
export type Description =
  | { readonly name: "text"; readonly pattern?: RegExp; readonly expected?: string }
  | { readonly name: "flag" }
  | {
      readonly name: "number";
      readonly unit: string;
      readonly isWhole?: boolean;
      readonly least?: number;
      readonly above?: number;
      readonly greatest?: number;
    }
  | { readonly name: "choice"; readonly values: readonly string[] }
  | { readonly name: "literal"; readonly value: string }
  | { readonly name: "anything" }
  | { readonly name: "list"; readonly items: Field<unknown> }
  /** A map with free keys. */
  | { readonly name: "map"; readonly values: Field<unknown> }
  | { readonly name: "entry"; readonly shape: Shape; readonly isOpen: boolean }
  | { readonly name: "union"; readonly options: readonly Field<unknown>[]; readonly expected: string }
  /** A value that is transformed after reading. */
  | { readonly name: "rewritten"; readonly field: Field<unknown>; readonly rewrite: (value: never) => unknown }
  /** A key that may be omitted or empty. */
  | { readonly name: "optional"; readonly field: Field<unknown>; readonly fallback: unknown }
  | { readonly name: "section"; readonly shape: Shape; readonly defaults: () => unknown }
  | { readonly name: "late"; readonly field: () => Field<unknown> };

/** Creates a description on first use and caches it. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const field = <Value>(kind: Description, about?: string): Field<Value> =>
  about === undefined ? { kind } : { kind, about };

/** Adds a sentence about the field. */
export function described<Value>(about: string, { kind }: Field<Value>): Field<Value> {
  return { kind, about };
}

/**
 * A key that may be omitted. An absent key and an empty one (`flows:` without a value) both mean the default, which
 * editors show from the JSON Schema.
 */
export function optional<Value, Fallback extends Value | null>(
  inner: Field<Value>,
  fallback: Fallback,
  about: string,
): Field<Value | Extract<Fallback, null>> {
  return field({ name: "optional", field: inner, fallback }, about);
}

/**
 * A group of keys that all have defaults. INVARIANT: settings are frozen, so absent groups can share their defaults.
 */
export function section<Fields extends Shape>(about: string, shape: Fields): Field<Entry<Fields>> {
  return field({ name: "section", shape, defaults: once(() => defaultsOf(shape)) }, about);
}

function defaultsOf(shape: Shape): Readonly<Record<string, unknown>> {
  const defaults: Record<string, unknown> = {};
  for (const [key, { kind }] of Object.entries(shape)) {
    if (kind.name === "optional") defaults[key] = kind.fallback;
    else if (kind.name === "section") defaults[key] = kind.defaults();
    else if (kind.name !== "late") throw new Error(`expected a default for the setting \`${key}\` of a group`);
  }
  return defaults;
}

/** An object with exactly these keys. */
export function entry<Fields extends Shape>(shape: Fields): Field<Entry<Fields>> {
  return field({ name: "entry", shape, isOpen: false });
}

/** An object with these keys and any others. */
export function openEntry<Fields extends Shape>(shape: Fields): Field<Entry<Fields> & Record<string, unknown>> {
  return field({ name: "entry", shape, isOpen: true });
}

export const text = (): Field<string> => field({ name: "text" });

/** A text that matches a pattern; `expected` completes the sentence "expected ...". */
export const matching = (pattern: RegExp, expected: string): Field<string> =>
  field({ name: "text", pattern, expected });

export const filledText = (): Field<string> => matching(/\S/, "text that is not blank");

export const choice = <const Value extends string>(values: readonly Value[]): Field<Value> =>
  field({ name: "choice", values });

export const literal = <const Value extends string>(value: Value): Field<Value> => field({ name: "literal", value });

export const anything = (): Field<unknown> => field({ name: "anything" });

export const many = <Value>(items: Field<Value>): Field<Value[]> => field({ name: "list", items });

export const rewritten = <From, To>(inner: Field<From>, rewrite: (value: From) => To): Field<To> =>
  field({ name: "rewritten", field: inner, rewrite });

/** One of several fields; `expected` completes the sentence "expected ...". */
export const union = <First, Second>(
  expected: string,
  ...options: readonly [Field<First>, Field<Second>]
): Field<First | Second> => field({ name: "union", options, expected });

/** A boolean. YAML 1.2 reads `yes` and `off` as text, so these words are accepted here only. */
export const flag = (): Field<boolean> => field({ name: "flag" });

export const BOOLEAN_WORDS = [...TRUE_WORDS, ...FALSE_WORDS] as const;

/** Every number has a unit, which the configuration reference shows. */
const number = (unit: string, limits: Omit<Extract<Description, { name: "number" }>, "name" | "unit">): Field<number> =>
  field({ name: "number", unit, ...limits });

export const count = (least: number, unit: string, greatest?: number): Field<number> =>
  number(unit, { isWhole: true, least, ...(greatest === undefined ? {} : { greatest }) });

export const atLeastZero = (unit: string, greatest?: number): Field<number> =>
  number(unit, greatest === undefined ? { least: 0 } : { least: 0, greatest });

export const positive = (unit: string, greatest?: number): Field<number> =>
  number(unit, greatest === undefined ? { above: 0 } : { above: 0, greatest });

/** A number from 0 to 1, inclusive. */
export const ratio = (): Field<number> => number("from 0 to 1", { least: 0, greatest: 1 });

/** A list of names, patterns or sentences. A blank one would match nothing, or everything. */
export const texts = (): Field<string[]> => many(filledText());

/** A map with free keys. INVARIANT: the result has no prototype, so no key can reach `Object.prototype`. */
export const mapOf = <Value>(values: Field<Value>): Field<Record<string, Value>> => field({ name: "map", values });

/** The default of every map. */
export const NO_ENTRIES: Record<string, never> = Object.freeze(Object.create(null));

/** Data that is not validated here, such as the parameters of a model's constructor. */
export const freeMap = (): Field<Record<string, unknown>> => mapOf(anything());

/** One text or several. */
export const oneOrMoreTexts = (): Field<string[]> =>
  rewritten(union("text or a list of texts", text(), many(text())), (value) =>
    typeof value === "string" ? [value] : value,
  );

/** A field described only when its key is used; without the key, it stays absent. */
export const late = (make: () => Field<unknown>): Field<unknown> => field({ name: "late", field: once(make) });

export const endpoint = (fallback: string | null = null): Field<string | null> =>
  optional(text(), fallback, "The address of the service.");

export const keyVariable = (): Field<string | null> =>
  optional(filledText(), null, "The environment variable that holds the key.");

export const entities = () => ({ entities: optional(texts(), [], "Kinds of entities to look for.") });

/** The same settings for user messages and bot messages. */
export function perSide<Fields extends Shape>(shape: Fields) {
  return { input: section("For user messages.", shape), output: section("For bot messages.", shape) };
}

/** The same settings for user messages, bot messages and retrieved text. */
export function perSource<Fields extends Shape>(shape: Fields) {
  return { ...perSide(shape), retrieval: section("For retrieved text.", shape) };
}

/** A list of entries with the same keys. */
export function listOf<Fields extends Shape>(about: string, shape: Fields): Field<Entry<Fields>[]> {
  return optional(many(entry(shape)), [], about);
}

/** Entries with the same keys, by a name. */
export function byName<Fields extends Shape>(about: string, shape: Fields) {
  return optional(mapOf(entry(shape)), NO_ENTRIES, about);
}
