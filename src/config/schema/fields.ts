import { z } from "zod/v4";

import { FALSE_WORDS, meansTrue, TRUE_WORDS } from "./boolean-words.js";

/**
 * The building blocks of every section. An absent key and an empty one (`flows:` without a value) mean the same:
 * the default. INVARIANT: the messages given here complete the sentence "expected ...", see `check/issues.ts`.
 */

/** Schemas are costly to build, so each is built when first asked for and kept. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A key that may be left out. The default is shown to editors through the JSON Schema. */
export function optional<S extends z.ZodType, D extends z.output<S> | null>(schema: S, fallback: D, about: string) {
  return schema
    .nullish()
    .transform((value): z.output<S> | Extract<D, null> => (value ?? fallback) as z.output<S> | Extract<D, null>)
    .meta({ description: about, default: fallback });
}

/** A group of keys, all of which have defaults. INVARIANT: settings are frozen, so absent groups can share theirs. */
export function section<S extends z.ZodRawShape>(about: string, shape: S) {
  const schema = z.strictObject(shape);
  const defaults = once(() => schema.parse({}, { jitless: true }));
  return schema
    .nullish()
    .transform((value): z.output<typeof schema> => value ?? defaults())
    .meta({ description: about });
}

export const text = () => z.string();

export const filledText = () => z.string().regex(/\S/, { error: "text that is not blank" });

/** A boolean. YAML 1.2 reads `yes` and `off` as text, so those words count here and only here. */
export const flag = () =>
  z.union([z.boolean(), z.enum([...TRUE_WORDS, ...FALSE_WORDS])], { error: "`true` or `false`" }).transform(meansTrue);

/** Every number has a unit, which the reference of the configuration shows. */
const unit = (name: string) => ({ "x-unit": name });

export const count = (minimum: number, of: string) => z.int().min(minimum).meta(unit(of));

export const atLeastZero = (of: string) => z.number().min(0).meta(unit(of));

export const positive = (of: string) => z.number().gt(0).meta(unit(of));

/** A number from 0 to 1, ends included. */
export const ratio = () => z.number().min(0).max(1).meta(unit("from 0 to 1"));

export const texts = () => z.array(z.string());

/**
 * A map with keys of the user's choosing. INVARIANT: the result has no prototype, so that no key can reach
 * `Object.prototype`.
 */
export function mapOf<S extends z.ZodType>(value: S) {
  return z
    .object({})
    .catchall(value)
    .transform((input): Record<string, z.output<S>> => {
      const result: Record<string, z.output<S>> = Object.create(null);
      for (const [key, entry] of Object.entries(input)) result[key] = entry as z.output<S>;
      return result;
    });
}

/** The default of every map. */
export const NO_ENTRIES: Record<string, never> = Object.freeze(Object.create(null));

/** Data that is not checked here, such as the parameters of a model's constructor. */
export const freeMap = () => mapOf(z.unknown());

/** One text or several. */
export const oneOrMoreTexts = () =>
  z
    .union([z.string(), z.array(z.string())], { error: "text or a list of texts" })
    .transform((value): string[] => (typeof value === "string" ? [value] : value));

export const endpoint = (fallback: string | null = null) => optional(text(), fallback, "The address of the service.");

export const keyVariable = () => optional(text(), null, "The environment variable that holds the key.");

export const entities = () => ({ entities: optional(texts(), [], "Kinds of entities to look for.") });

/** The same settings for user messages and bot messages. */
export function perSide<S extends z.ZodRawShape>(shape: S) {
  return { input: section("For user messages.", shape), output: section("For bot messages.", shape) };
}

/** The same settings for user messages, bot messages and retrieved text. */
export function perSource<S extends z.ZodRawShape>(shape: S) {
  return { ...perSide(shape), retrieval: section("For retrieved text.", shape) };
}

/** A list of entries with the same keys. */
export function listOf<S extends z.ZodRawShape>(about: string, shape: S, fallback: Entry<S>[] = []) {
  return optional(z.array(z.strictObject(shape)), fallback, about);
}

type Entry<S extends z.ZodRawShape> = z.output<z.ZodObject<S, z.core.$strict>>;

/** Entries with the same keys, by a name. */
export function byName<S extends z.ZodRawShape>(about: string, shape: S) {
  return optional(mapOf(z.strictObject(shape)), NO_ENTRIES, about);
}
