import { InputShapeError } from "../diagnostics/errors.js";
import { DATA_LIMITS } from "./limits.js";

/** Limits of a walk over a value that came from outside of the package. */
export interface WalkLimits {
  /** Levels of lists and objects. */
  readonly depth: number;
  /** Values in all. */
  readonly values: number;
}

/** The limits of every walk that does not name a reason for others. */
export const WALK_LIMITS: WalkLimits = { depth: 32, values: 100_000 };

/** The limits of data that an engine has taken in. */
export const ENGINE_LIMITS: WalkLimits = { depth: DATA_LIMITS.dataDepth, values: DATA_LIMITS.dataValues };

/** Limits of one walk: counts values and tracks the enclosing objects. */
export class WalkBounds {
  readonly #depth: number;
  readonly #around = new Set<object>();
  #left: number;

  constructor({ depth, values }: WalkLimits = WALK_LIMITS) {
    this.#depth = depth;
    this.#left = values;
  }

  /** Counts a value; returns false if it is one too many. */
  count(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }

  /**
   * Counts a list or an object and reads its parts.
   *
   * @param beyond - called instead for a value that is nested too deep, contains itself, or exceeds the maximum number
   */
  inside<Result>(value: object, read: () => Result, beyond: (value: object) => Result): Result {
    if (!this.count() || this.#around.size >= this.#depth || this.#around.has(value)) return beyond(value);
    this.#around.add(value);
    const result = read();
    this.#around.delete(value);
    return result;
  }

  /** Returns true while the parts of the value are read. */
  isInside(value: object): boolean {
    return this.#around.has(value);
  }
}

function refuse(): never {
  const { depth, values } = WALK_LIMITS;
  throw new InputShapeError(
    `expected data of at most ${depth} levels and ${values} values without cycles, got more, so it cannot be checked`,
  );
}

/** Sees a part, with its key in an object; returns false to leave out the parts below it. */
export type Visit = (part: unknown, key: string | undefined) => boolean | void;

/**
 * Visits a value and the parts of its lists and objects, in order. A shared object is visited once.
 *
 * @returns false if some parts could not be visited: beyond the limits, or behind a getter that fails
 */
export function visitParts(value: unknown, visit: Visit, { depth, values }: WalkLimits = WALK_LIMITS): boolean {
  const seen = new Set<object>();
  const stack: { readonly part: unknown; readonly key: string | undefined; readonly level: number }[] = [
    { part: value, key: undefined, level: 0 },
  ];
  let isWhole = true;
  let left = values;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { part, key, level } = next;
    left -= 1;
    if (left < 0) return false;
    if (visit(part, key) === false || typeof part !== "object" || part === null || seen.has(part)) continue;
    seen.add(part);
    const keys = Object.keys(part);
    if (keys.length > 0 && (level >= depth || keys.length + stack.length > left)) {
      isWhole = false;
      continue;
    }
    const isList = Array.isArray(part);
    for (const name of keys.reverse()) {
      try {
        const inner: unknown = (part as Readonly<Record<string, unknown>>)[name];
        stack.push({ part: inner, key: isList ? undefined : name, level: level + 1 });
      } catch {
        isWhole = false;
      }
    }
  }
  return isWhole;
}

/** Rules of a map over data. `undefined` in place of a value removes it from its list or object. */
export interface Mapper {
  /** Returns the replacement of a value without parts. */
  leaf(value: unknown): unknown;
  /**
   * Returns the replacement of a list or an object. Default: its mapped parts.
   *
   * @param parts - maps the parts, by other rules if given
   */
  whole?(value: object, parts: (mapper?: Mapper) => unknown): unknown;
  /** Gives the key of an entry; undefined removes the entry. */
  key?(key: string): string | undefined;
  /** Returns true for an entry whose value is kept. */
  keeps?(key: string, value: unknown, holder: object): boolean;
  /** Copies every list and object, so that getters, hidden properties and cycles end in the copy. */
  readonly copies?: boolean;
  /** Returns the replacement of an object beyond the limits or inside itself. Default: throws an `InputShapeError`. */
  beyond?(value: object): unknown;
}

/** Returns a copy with the parts that the rules give; the value itself if none of them changes, unless they copy it. */
export function mapParts(value: unknown, mapper: Mapper, limits: WalkLimits = WALK_LIMITS): unknown {
  return new Mapping(limits).map(value, mapper);
}

class Mapping {
  readonly #bounds: WalkBounds;
  readonly #results = new Map<Mapper, Map<object, unknown>>();

  constructor(limits: WalkLimits) {
    this.#bounds = new WalkBounds(limits);
  }

  map(value: unknown, mapper: Mapper): unknown {
    if (typeof value !== "object" || value === null) return mapper.leaf(value);
    let results = this.#results.get(mapper);
    if (results === undefined) this.#results.set(mapper, (results = new Map()));
    if (results.has(value)) return results.get(value);
    const parts = (rules = mapper): unknown =>
      this.#bounds.inside<unknown>(value, () => this.#parts(value, rules), rules.beyond ?? refuse);
    const result = mapper.whole === undefined ? parts() : mapper.whole(value, parts);
    // INVARIANT: inside itself an object counts as beyond the limits, and only there.
    if (!this.#bounds.isInside(value)) results.set(value, result);
    return result;
  }

  #parts(value: object, mapper: Mapper): unknown {
    const mapItem = (item: unknown): unknown => this.map(item, mapper);
    const mapEntry: MapEntry = (inner, key) => {
      const name = mapper.key === undefined ? key : mapper.key(key);
      if (name === undefined) return undefined;
      return [name, mapper.keeps?.(key, inner, value) === true ? inner : this.map(inner, mapper)];
    };
    const unreadable = (): unknown => (mapper.beyond ?? refuse)(value);
    if (mapper.copies !== true) {
      return Array.isArray(value) ? mapItems(value, mapItem) : mapEntries(value, mapEntry, unreadable);
    }
    const copy: object = Array.isArray(value) ? [] : emptyLike(value);
    this.#results.get(mapper)?.set(value, copy);
    if (Array.isArray(value)) return Object.assign(copy, value.map(mapItem).filter(isPresent));
    for (const [key, inner] of readEntries(value, mapEntry, unreadable).entries) define(copy, key, inner);
    return copy;
  }
}

/** Maps the items of a list and drops those that become undefined; returns the same list if none changes. */
export function mapItems(list: readonly unknown[], map: (item: unknown, index: number) => unknown): readonly unknown[] {
  const items = list.map(map);
  if (items.every((item, index) => item === list[index])) return list;
  return items.filter((item, index) => item !== undefined || list[index] === undefined);
}

/** Gives the key and the value of an entry; undefined removes it. */
type MapEntry = (inner: unknown, key: string) => Entry | undefined;

type Entry = readonly [key: string, inner: unknown];

/**
 * Maps the entries of an object and drops those that become undefined; returns the same object if none changes. A copy
 * keeps the prototype.
 *
 * @param unreadable - returns the replacement of a value whose getter throws. Default: rethrows
 */
export function mapEntries(value: object, map: MapEntry, unreadable?: () => unknown): object {
  const { entries, isSame } = readEntries(value, map, unreadable);
  return isSame ? value : copyWith(value, entries);
}

function readEntries(
  value: object,
  map: MapEntry,
  unreadable?: () => unknown,
): { readonly entries: readonly Entry[]; readonly isSame: boolean } {
  let isSame = true;
  const entries = Object.keys(value).flatMap((key): readonly Entry[] => {
    let inner: unknown;
    try {
      inner = Reflect.get(value, key);
    } catch (error) {
      if (unreadable === undefined) throw error;
      isSame = false;
      const left = unreadable();
      return left === undefined ? [] : [[key, left]];
    }
    const entry = map(inner, key);
    if (entry?.[0] === key && entry[1] === inner) return [entry];
    isSame = false;
    return entry === undefined || entry[1] === undefined ? [] : [entry];
  });
  return { entries, isSame };
}

/** Returns true for lists and for objects without a class. */
export function isPlain(value: unknown): value is readonly unknown[] | Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Array.isArray(value);
}

/** An object of the class of `value` with these entries. */
export function copyWith<Value extends object>(value: Value, entries: Iterable<Entry>): Value {
  const copy = emptyLike(value);
  for (const [key, inner] of entries) define(copy, key, inner);
  return copy as Value;
}

function emptyLike(value: object): object {
  return Object.create(Object.getPrototypeOf(value) as object | null) as object;
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function isPresent(value: unknown): boolean {
  return value !== undefined;
}

/** Returns the result; undefined if the function throws. */
export function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
