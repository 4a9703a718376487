import type { PlainObject } from "./message-kinds.js";
import { copyWith, isPlain } from "../../engine/walk.js";
import { toPlainData } from "../../engine/plain-data.js";

const MAX_VALUES = 100_000;
const MAX_DEPTH = 64;

/**
 * Returns the object with the current values of its getters, and without what plain data hides: symbols, non-enumerable
 * or inherited properties, and `toJSON`. INVARIANT: the values read are the values released; a getter could return
 * something else the next time. A throwing getter stays, so its key cannot be read.
 */
export function readGetters(value: PlainObject): PlainObject {
  return holdsMore(value) ? (readData(value, new Map(), 0) as PlainObject) : value;
}

/** Returns true for plain data, also with another plain object as its prototype. */
function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    isPlain(value) || (typeof prototype === "object" && prototype !== null && !Object.hasOwn(prototype, "constructor"))
  );
}

/** Returns true for a property of plain data that readers do not see. */
function isHidden(key: string | symbol, { enumerable, value }: PropertyDescriptor): boolean {
  return typeof key === "symbol" || enumerable !== true || (key === "toJSON" && typeof value === "function");
}

/** Calls no getter; data with more values than the limit counts as having none, since no reader reads it. */
function holdsMore(value: object): boolean {
  const seen = new Set<object>();
  const stack: object[] = [value];
  for (let item = stack.pop(); item !== undefined && seen.size <= MAX_VALUES; item = stack.pop()) {
    if (seen.has(item)) continue;
    seen.add(item);
    if (isData(item) !== isPlain(item)) return true;
    const isOwn = isData(item);
    for (const key of Reflect.ownKeys(item)) {
      if (key === "length" && Array.isArray(item)) continue;
      const property = Object.getOwnPropertyDescriptor(item, key);
      if (property === undefined) continue;
      if (property.get !== undefined || (isOwn && isHidden(key, property))) return true;
      const inner: unknown = property.value;
      if (typeof inner === "object" && inner !== null && isData(inner)) stack.push(inner);
    }
  }
  return false;
}

function readData(value: object, copies: Map<object, object>, depth: number): object {
  const known = copies.get(value);
  if (known !== undefined || depth > MAX_DEPTH) return known ?? value;
  const isOwn = isData(value);
  const copy: object = Array.isArray(value) ? [] : isOwn ? {} : copyWith(value, []);
  copies.set(value, copy);
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (isOwn && isHidden(key, property)) continue;
    const inner = readProperty(value, key, property);
    const data: unknown = inner.value;
    const isInner = typeof data === "object" && data !== null && isData(data);
    Object.defineProperty(copy, key, isInner ? { ...inner, value: readData(data, copies, depth + 1) } : inner);
  }
  return copy;
}

function readProperty(owner: object, key: string, property: PropertyDescriptor): PropertyDescriptor {
  const { enumerable = true } = property;
  try {
    const value: unknown = property.get === undefined ? property.value : Reflect.get(owner, key);
    return { value, enumerable, configurable: true, writable: true };
  } catch {
    return { ...property, configurable: true };
  }
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const RESERVED = new Set(["config", "event", "constructor", "prototype", "__proto__"]);

const MAX_VARIABLE_DEPTH = 16;

const MAX_VARIABLE_VALUES = 100_000;

const MAX_CHARACTERS = 16_777_216;

/**
 * Entries of an application's object that can be variables: plain data under a valid name. Everything else, such as
 * class instances, is left out, since the object was not made for the rails.
 */
export function contextVariables(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const context: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const left = { dataDepth: MAX_VARIABLE_DEPTH, dataValues: MAX_VARIABLE_VALUES, dataCharacters: MAX_CHARACTERS };
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    const isData = property.enumerable === true && Object.hasOwn(property, "value") && property.value !== undefined;
    if (!isData || !VARIABLE.test(key) || RESERVED.has(key)) continue;
    const read = toPlainData(property.value, { limits: left, refuseInstances: true });
    if (!read.ok) continue;
    left.dataValues -= read.size.values;
    left.dataCharacters -= read.size.characters;
    context[key] = read.value;
  }
  return context;
}
