import { InputShapeError, LimitError } from "../diagnostics/errors.js";
import { DATA_LIMITS, type DataLimits, type DataSize } from "./limits.js";

export type PlainData = string | number | boolean | null | readonly PlainData[] | { readonly [key: string]: PlainData };

interface PlainDataOptions {
  /** Name of the value in paths, such as `context` (default: none). */
  readonly at?: string;
  readonly limits?: DataLimits;
  /** Instances of classes are refused, LangChain's own among them (default: false). */
  readonly refuseInstances?: boolean;
}

/** The copy, or the reason why a value is not plain data, with the path to the part that is not. */
type PlainDataResult =
  | { readonly ok: true; readonly value: PlainData; readonly size: DataSize }
  | { readonly ok: false; readonly problem: Pick<NotPlain, "path" | "message" | "limit"> };

/**
 * Copies a value to plain JSON data. All host values enter an engine this way, in both dialects. LangChain messages and
 * documents become maps of their data, and a value with `toJSON` its result; `undefined` is dropped from maps and
 * becomes null in lists. Values without a JSON form are rejected with their path: functions, symbols, `BigInt`,
 * getters, cycles, binary data, non-finite numbers, and objects whose content is not in their properties.
 *
 * @example
 * ```ts
 * toPlainData({ items: [new Map()] }, { at: "order" });
 * // { ok: false, problem: { path: "order.items[0]", message: "an instance of `Map` is not JSON" } }
 * ```
 */
export function toPlainData(value: unknown, options: PlainDataOptions = {}): PlainDataResult {
  // Many values are one scalar, such as the verdict of a rail.
  if (value === undefined || value === null || typeof value === "boolean") {
    return { ok: true, value: value ?? null, size: { values: 1, characters: 0 } };
  }
  if (typeof value === "string" && value.length <= (options.limits ?? DATA_LIMITS).dataCharacters) {
    return { ok: true, value, size: { values: 1, characters: value.length } };
  }
  const copier = new Copier(options);
  try {
    return { ok: true, value: copier.copy(value), size: copier.size };
  } catch (error) {
    if (error instanceof NotPlain) return { ok: false, problem: error };
    // Reading a value may run its own code, which may throw anything.
    return { ok: false, problem: { path: copier.path, message: "reading it fails", limit: undefined } };
  }
}

/**
 * Returns the plain copy of a value that must have one.
 *
 * @throws InputShapeError for a value without a JSON form, naming its path
 * @throws LimitError for a value that is too deep or too large
 *
 * @example
 * ```ts
 * expectPlainData({ day: new Date(0) }, { at: "context" }); // { day: "1970-01-01T00:00:00.000Z" }
 * ```
 */
export function expectPlainData(value: unknown, options: PlainDataOptions & { readonly at: string }): PlainData {
  const read = toPlainData(value, options);
  if (read.ok) return read.value;
  const { path, message, limit } = read.problem;
  if (limit === undefined) {
    throw new InputShapeError(`\`${path}\` cannot be kept: ${message}; pass plain JSON data`);
  }
  const maximum = (options.limits ?? DATA_LIMITS)[limit];
  throw new LimitError(`\`${path}\` exceeds the limit \`${limit}\` of ${maximum}`, { limit, maximum });
}

class NotPlain extends Error {
  readonly path: string;
  /** The exceeded limit, if the value is only too large or too deep. */
  readonly limit: keyof DataLimits | undefined;

  constructor(path: string, message: string, limit?: keyof DataLimits) {
    super(message);
    this.path = path;
    this.limit = limit;
  }
}

class Copier {
  readonly #limits: DataLimits;
  readonly #refuseInstances: boolean;
  readonly #root: string;
  readonly #path: (string | number)[] = [];
  /** Objects around the current one; meeting one of them again is a cycle. They are few, so a list does. */
  readonly #ancestors: object[] = [];
  #values = 0;
  #characters = 0;

  constructor({ at = "", limits = DATA_LIMITS, refuseInstances = false }: PlainDataOptions) {
    this.#root = at;
    this.#limits = limits;
    this.#refuseInstances = refuseInstances;
  }

  get size(): DataSize {
    return { values: this.#values, characters: this.#characters };
  }

  /** `context.order.items[3]`; keys that are not names are quoted. */
  get path(): string {
    let path = this.#root;
    for (const part of this.#path) {
      if (typeof part === "number") path += `[${part}]`;
      else if (NAME.test(part)) path += path === "" ? part : `.${part}`;
      else path += `[${JSON.stringify(part.slice(0, MAX_KEY_IN_PATH))}]`;
    }
    return path;
  }

  copy(value: unknown): PlainData {
    this.#count(1);
    switch (typeof value) {
      case "undefined":
        return null;
      case "string":
        return this.#text(value);
      case "boolean":
        return value;
      case "number":
        // JSON has one zero.
        if (Number.isFinite(value)) return value + 0;
        throw this.#refuse(`the number ${value} is not JSON`);
      case "object":
        return value === null ? null : this.#inside(value);
      default:
        throw this.#refuse(`${describeValue(value)} is not JSON`);
    }
  }

  #inside(value: object): PlainData {
    if (this.#ancestors.includes(value)) throw this.#refuse("the value contains itself");
    const { dataDepth } = this.#limits;
    if (this.#ancestors.length >= dataDepth) throw this.#exceed("dataDepth", `it is nested deeper than ${dataDepth}`);
    this.#ancestors.push(value);
    const copied = Array.isArray(value) ? this.#copyList(value) : this.#copyObject(value);
    this.#ancestors.pop();
    return copied;
  }

  #copyList(list: readonly unknown[]): PlainData {
    // A list may be long and empty; it is refused before its items are visited.
    if (list.length > this.#limits.dataValues) this.#count(list.length);
    const copied: PlainData[] = [];
    for (let index = 0; index < list.length; index += 1) {
      this.#path.push(index);
      copied.push(this.copy(list[index]));
      this.#path.pop();
    }
    return copied;
  }

  #copyObject(value: object): PlainData {
    const isInstance = isClassInstance(value);
    if (isInstance && this.#refuseInstances) throw this.#refuse(`${describeValue(value)} is not JSON`);
    const message = isInstance ? readMessage(value) : undefined;
    if (message) return this.#copyKeys(message, Object.keys(message), true);
    const isLangChain = isInstance && Array.isArray((value as Context)["lc_namespace"]);
    const toJson = isLangChain ? undefined : (value as Context)["toJSON"];
    if (typeof toJson === "function") return this.copy(toJson.call(value));
    const keys = Object.keys(value);
    if (isInstance && isOpaque(value, keys)) throw this.#refuse(`${describeValue(value)} is not JSON`);
    return this.#copyKeys(value, isLangChain ? keys.filter((key) => !key.startsWith("lc_")) : keys, isInstance);
  }

  #copyKeys(map: object, keys: readonly string[], isInstance: boolean): PlainData {
    const copied: Record<string, PlainData> = {};
    for (const key of keys) {
      // Assigning it would change the copy's prototype, here or in a copy of the copy.
      if (key === "__proto__") throw this.#refuse("the key `__proto__` is not allowed");
      const property = Object.getOwnPropertyDescriptor(map, key);
      if (property === undefined) continue;
      this.#path.push(key);
      // Reading it would run code of the host. An instance's getters are not its data.
      if (!Object.hasOwn(property, "value") && !isInstance) throw this.#refuse("a getter is not JSON");
      if (property.value !== undefined) copied[this.#text(key)] = this.copy(property.value);
      this.#path.pop();
    }
    return copied;
  }

  #count(values: number): void {
    const { dataValues } = this.#limits;
    if ((this.#values += values) > dataValues)
      throw this.#exceed("dataValues", `it has more than ${dataValues} values`);
  }

  #text(text: string): string {
    const { dataCharacters } = this.#limits;
    if ((this.#characters += text.length) > dataCharacters) {
      throw this.#exceed("dataCharacters", `it has more than ${dataCharacters} characters`);
    }
    return text;
  }

  #refuse(message: string): NotPlain {
    return new NotPlain(this.path, message);
  }

  /** This limit covers the whole value, so its path is not helpful, unlike that of the depth limit. */
  #exceed(limit: keyof DataLimits, message: string): NotPlain {
    const path = this.#root === "" || limit === "dataDepth" ? this.path.slice(0, MAX_PATH) : this.#root;
    return new NotPlain(path, message, limit);
  }
}

const NAME = /^[A-Za-z_$][\w$]*$/;
const MAX_KEY_IN_PATH = 40;
const MAX_PATH = 80;

/** Plain objects of any realm have a prototype without a prototype, or none. */
function isClassInstance(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && Object.getPrototypeOf(prototype) !== null;
}

/** Values whose content is not in their properties, so that a copy would silently be empty. */
function isOpaque(value: object, keys: readonly string[]): boolean {
  return (
    keys.length === 0 ||
    ArrayBuffer.isView(value) ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Promise ||
    value instanceof Error
  );
}

/** The plain form of a LangChain message: its content, not its serialization. */
function readMessage(value: object): Record<string, unknown> | undefined {
  const message = value as Context;
  const getType = message["_getType"];
  if (typeof getType !== "function" || message["content"] === undefined) return undefined;
  const { content, id, name, tool_calls: calls, tool_call_id } = message;
  const tool_calls = Array.isArray(calls) && calls.length > 0 ? calls : undefined;
  return { type: String(getType.call(value)), content, id, name, tool_calls, tool_call_id };
}

const MAX_KEYS = 5;

/**
 * Describes a value for error messages by keys and classes, never by contents.
 *
 * @example
 * ```ts
 * describeValue({ invok: 1 }); // "an object with the keys `invok`"
 * ```
 */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return value.name === "" ? "a function" : `the function \`${value.name}\``;
  if (typeof value !== "object") return `a ${typeof value}`;
  const className = classNameOf(value);
  if (className !== undefined) return `an instance of \`${className}\``;
  const keys = Object.keys(value);
  if (keys.length === 0) return "an object without keys";
  const shown = keys.slice(0, MAX_KEYS).map((key) => `\`${key}\``);
  return `an object with the keys ${shown.join(", ")}${keys.length > MAX_KEYS ? ", …" : ""}`;
}

function classNameOf(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  const maker: unknown = (prototype as { constructor?: unknown }).constructor;
  return typeof maker === "function" && maker.name !== "" ? maker.name : undefined;
}

/** The context variables of a conversation. Values are treated as immutable. */
export type Context = Readonly<Record<string, unknown>>;

/** A value or undefined; nothing is ever read from a prototype. */
export function readOwn(map: Context, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Sets an own property, whatever its name: an assignment to `__proto__` would reach the prototype. */
export function writeOwn(map: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(map, name, { value, writable: true, enumerable: true, configurable: true });
  else map[name] = value;
}

/**
 * Copies an object with these variables set. New variables are not added to a spread, which would give every copy its
 * own hidden class and slow down all readers.
 */
export function withVariables(context: Context, variables: Context): Record<string, unknown> {
  const names = Object.keys(variables);
  let copy: Record<string, unknown> | undefined;
  for (const name of names) if (!Object.hasOwn(context, name)) copy ??= copyToGrow(context);
  copy ??= { ...context };
  for (const name of names) {
    if (name === "__proto__") writeOwn(copy, name, variables[name]);
    else copy[name] = variables[name];
  }
  return copy;
}

/** A copy to which variables are going to be added. */
export function copyToGrow(context: Context): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(context)) {
    if (name === "__proto__") writeOwn(copy, name, context[name]);
    else copy[name] = context[name];
  }
  return copy;
}

/** Fields of which those that may be undefined may be absent, and never are undefined. */
type Present<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>;
};

/** A value whose fields are set one by one while it is made. */
export type Made<Fields> = { -readonly [Key in keyof Fields]: Fields[Key] };

/** Returns the fields that are not undefined. Slow: on hot paths, set the fields by name. */
export function omitUndefined<Fields extends object>(fields: Fields): Present<Fields> {
  const present: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name as keyof Fields];
    if (value !== undefined) present[name] = value;
  }
  return present as Present<Fields>;
}

/** Returns true for a map without keys, and for null. */
export function isEmpty(map: object | null): boolean {
  // Looking for one key makes no list of them.
  for (const _key in map) return false;
  return true;
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
