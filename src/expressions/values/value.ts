/**
 * Values of expressions: plain data, and host objects. Lists are arrays; maps are objects with only own enumerable data
 * properties, whatever their prototype. Only mutating methods of Colang 2.x change their arguments.
 */
export type Value = null | boolean | number | string | readonly Value[] | ReadonlySet<Value> | ObjectValue | ValueMap;

export interface ValueMap {
  readonly [key: string]: Value;
}

/** Counts items that are copied. */
export interface ItemCounter {
  chargeEntries(count: number): void;
}

/**
 * A value that is not plain data: a reference to a flow, an action or an event, a pattern, a comparison, a specification.
 * It is always true, has no length, and only its members can be read.
 *
 * @example
 * ```ts
 * class Distance extends ObjectValue {
 *   readonly typeName = "Distance";
 *   constructor(readonly metres: number) { super(); }
 *   member(name: string) { return name === "metres" ? this.metres : undefined; }
 *   equals(other: Value) { return other instanceof Distance && other.metres === this.metres; }
 *   toText() { return `<Distance ${this.metres}>`; }
 * }
 * ```
 */
export abstract class ObjectValue {
  /** The result of `type`. */
  abstract readonly typeName: string;

  /**
   * Returns the value of a member; undefined if there is none. Copied items are counted. INVARIANT: names come from
   * programs; never look them up in `this`.
   */
  abstract member(name: string, counter?: ItemCounter): Value | undefined;

  /** Returns true if `==` holds. */
  abstract equals(other: Value): boolean;

  /** Returns the text of `str`; it need not be readable as a program. */
  abstract toText(): string;
}

class Undefined extends ObjectValue {
  readonly typeName = "undefined";
  readonly member = (): undefined => undefined;

  equals(other: Value): boolean {
    return other === this;
  }

  toText(): string {
    return "Undefined";
  }
}

/** The value of a variable, key or item that does not exist, in dialects that are lenient. It is false, empty and unordered. */
export const UNDEFINED: ObjectValue = new Undefined();

/** The types as the language names them. */
type TypeName = "None" | "boolean" | "number" | "string" | "list" | "set" | "map" | "object";

export function typeOf(value: Value): TypeName {
  if (typeof value !== "object") return typeof value as "boolean" | "number" | "string";
  if (value === null) return "None";
  if (isList(value)) return "list";
  if (isSet(value)) return "set";
  return isObject(value) ? "object" : "map";
}

/** Name of a type in messages: `a string`, `None`. */
export function describeType(value: Value): string {
  if (isObject(value)) return `a value of type ${value.typeName}`;
  const name = typeOf(value);
  return name === "None" ? name : `a ${name}`;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isSet(value: Value): value is ReadonlySet<Value> {
  return value instanceof Set;
}

export function isObject(value: Value): value is ObjectValue {
  return value instanceof ObjectValue;
}

export function isMap(value: Value): value is ValueMap {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !(value instanceof Set) && !(value instanceof ObjectValue);
}

/**
 * Converts host data to a value: `undefined`, functions and symbols become `None`. Shallow, so that large data is never
 * walked; every read converts again.
 */
export function toValue(raw: unknown): Value {
  // Most values are texts, truths and plain data.
  return typeof raw === "object" || typeof raw === "string" || typeof raw === "boolean"
    ? (raw as Value)
    : toValueOr(raw, null);
}

/** Converts a value as `toValue` does, with `absent` for `undefined`, functions and symbols. */
export function toValueOr(raw: unknown, absent: Value): Value {
  switch (typeof raw) {
    case "string":
    case "number":
    case "boolean":
      return raw;
    case "object":
      return raw as Value;
    case "bigint":
      return Number(raw);
    default:
      return absent;
  }
}

/**
 * Returns the value of an own enumerable data property, `absent` for one that holds nothing, undefined if there is none.
 * INVARIANT: accessors are never called.
 */
export function readOwn(map: ValueMap, key: string, absent: Value = null): Value | undefined {
  const property = Object.getOwnPropertyDescriptor(map, key);
  if (property?.enumerable !== true || !("value" in property)) return undefined;
  const value: unknown = property.value;
  return typeof value === "object" || typeof value === "string" || typeof value === "boolean"
    ? (value as Value)
    : toValueOr(value, absent);
}

/** Creates a map for results, without a prototype, so that every key is an ordinary key. */
export function createMap(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

/** Returns false for `None`, `False`, `0`, `""`, `UNDEFINED` and empty collections, otherwise true. */
export function isTruthy(value: Value): boolean {
  if (typeof value !== "object") return Boolean(value) || Number.isNaN(value);
  if (value === null || value === UNDEFINED) return false;
  if (isList(value)) return value.length > 0;
  if (isSet(value)) return value.size > 0;
  return isObject(value) || Object.keys(value).length > 0;
}
