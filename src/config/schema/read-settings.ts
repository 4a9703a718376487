import { meansTrue } from "./boolean-words.js";
import { BOOLEAN_WORDS, type Description, type Field, type Shape, type ValueOf } from "./fields.js";

/** Result for a value that does not match its description. */
const MISMATCH = Symbol("mismatch");

/**
 * Reads a value by its description and applies defaults.
 *
 * @returns undefined for a value that the schema must judge; anything read here is valid
 */
export function readField<Each extends Field<unknown>>(each: Each, value: unknown): ValueOf<Each> | undefined {
  const result = read(each, value);
  return result === MISMATCH ? undefined : (result as ValueOf<Each>);
}

const read = ({ kind }: Field<unknown>, value: unknown): unknown => READERS[kind.name](value, kind as never);

type Readers = { readonly [Name in Description["name"]]: (value: unknown, kind: Kind<Name>) => unknown };

type Kind<Name> = Extract<Description, { readonly name: Name }>;

const READERS: Readers = {
  text: (value, { pattern }) =>
    typeof value === "string" && (pattern === undefined || pattern.test(value)) ? value : MISMATCH,
  flag: (value) =>
    typeof value === "boolean" || BOOLEAN_WORDS.some((word) => word === value) ? meansTrue(value) : MISMATCH,
  number: (value, { isWhole, least = -Infinity, above = -Infinity, greatest = Infinity }) => {
    if (typeof value !== "number" || !(isWhole === true ? Number.isSafeInteger(value) : Number.isFinite(value))) {
      return MISMATCH;
    }
    return value >= least && value > above && value <= greatest ? value : MISMATCH;
  },
  choice: (value, { values }) => (typeof value === "string" && values.includes(value) ? value : MISMATCH),
  literal: (value, kind) => (value === kind.value ? value : MISMATCH),
  anything: (value) => value,
  list: (value, { items }) => {
    if (!Array.isArray(value)) return MISMATCH;
    const result: unknown[] = [];
    for (const item of value as readonly unknown[]) {
      const parsed = read(items, item);
      if (parsed === MISMATCH) return MISMATCH;
      result.push(parsed);
    }
    return result;
  },
  map: (value, { values }) => {
    if (!isPlainObject(value)) return MISMATCH;
    const result: Record<string, unknown> = Object.create(null);
    for (const [key, item] of Object.entries(value)) {
      const parsed = read(values, item);
      if (parsed === MISMATCH) return MISMATCH;
      result[key] = parsed;
    }
    return result;
  },
  entry: (value, { shape, isOpen }) => readShape(value, shape, isOpen),
  union: (value, { options }) => {
    for (const option of options) {
      const result = read(option, value);
      if (result !== MISMATCH) return result;
    }
    return MISMATCH;
  },
  rewritten: (value, { field, rewrite }) => {
    const result = read(field, value);
    return result === MISMATCH ? MISMATCH : rewrite(result as never);
  },
  optional: (value, { field, fallback }) => (value === undefined || value === null ? fallback : read(field, value)),
  section: (value, { shape, defaults }) =>
    value === undefined || value === null ? defaults() : readShape(value, shape, false),
  late: (value, { field }) => (value === undefined ? undefined : read(field(), value)),
};

function readShape(value: unknown, shape: Shape, isOpen: boolean): unknown {
  if (!isPlainObject(value)) return MISMATCH;
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(shape)) {
    const fieldValue = Object.hasOwn(value, key) ? value[key] : undefined;
    const found = read(field, fieldValue);
    if (found === MISMATCH) return MISMATCH;
    if (found !== undefined || Object.hasOwn(value, key)) result[key] = found;
  }
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(shape, key)) continue;
    if (!isOpen) return MISMATCH;
    result[key] = value[key];
  }
  return result;
}

/** INVARIANT: class instances, and keys that could reach a prototype, are left to the schema. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !Object.hasOwn(value, "__proto__");
}
