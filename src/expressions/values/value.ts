import { ObjectValue } from "./object-value.js";

/**
 * What expressions compute with: plain data, and in Colang 2.x objects that are none. Lists are arrays, maps are objects
 * of which only own enumerable properties count, whatever their prototype. Only the mutating methods of Colang 2.x change a
 * value they were given.
 */
export type Value = null | boolean | number | string | readonly Value[] | ReadonlySet<Value> | ObjectValue | ValueMap;

export interface ValueMap {
  readonly [key: string]: Value;
}

/** The types as the language names them. */
export type TypeName = "None" | "boolean" | "number" | "string" | "list" | "set" | "map" | "object";

export function typeOf(value: Value): TypeName {
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "number":
      return "number";
    case "string":
      return "string";
    default:
      if (value === null) return "None";
      if (isList(value)) return "list";
      if (isSet(value)) return "set";
      return isObject(value) ? "object" : "map";
  }
}

/** For messages: `a string`, `None`. */
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
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Set) &&
    !(value instanceof ObjectValue)
  );
}

/**
 * Whatever a host put into the data, as a value: `undefined`, functions and symbols are `None`. Shallow, so that large
 * data is never walked; every read goes through here again.
 */
export function toValue(raw: unknown): Value {
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
      return null;
  }
}

/** The value of an own enumerable property; undefined if there is none, while a property that holds nothing is `None`. */
export function readOwn(map: ValueMap, key: string): Value | undefined {
  return Object.prototype.propertyIsEnumerable.call(map, key) ? toValue(map[key]) : undefined;
}

/** A map to build results in: without a prototype, so that no key means anything special. */
export function createMap(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

/** `None`, `False`, `0`, `""` and empty collections are false, everything else is true. */
export function isTruthy(value: Value): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "number":
      return value !== 0;
    case "string":
      return value !== "";
    default:
      if (value === null) return false;
      if (isList(value)) return value.length > 0;
      if (isSet(value)) return value.size > 0;
      if (isObject(value)) return true;
      return Object.keys(value).length > 0;
  }
}
