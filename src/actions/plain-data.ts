import { describeValue } from "./describe-value.js";

export type PlainData = string | number | boolean | null | readonly PlainData[] | { readonly [key: string]: PlainData };

/** Why a value is not plain data, and where in it. */
export interface PlainDataProblem {
  readonly path: string;
  readonly message: string;
}

export interface PlainDataLimits {
  readonly depth: number;
  /** Objects, lists and scalars together. */
  readonly values: number;
}

const PLAIN_DATA_LIMITS: PlainDataLimits = { depth: 64, values: 200_000 };

/**
 * Copies a value into plain JSON data. LangChain messages and documents become maps of what they say; anything that has
 * no JSON form (functions, cycles, binary data, numbers that are not finite) is refused with its place.
 *
 * @example
 * ```ts
 * toPlainData({ at: new Map() }); // { ok: false, problem: { path: "at", message: "an instance of `Map` is not JSON" } }
 * ```
 */
export function toPlainData(
  value: unknown,
  limits: PlainDataLimits = PLAIN_DATA_LIMITS,
): { readonly ok: true; readonly value: PlainData } | { readonly ok: false; readonly problem: PlainDataProblem } {
  if (typeof value === "string" || typeof value === "boolean" || value === null || value === undefined) {
    return { ok: true, value: value ?? null };
  }
  try {
    return { ok: true, value: new Copier(limits).copy(value) };
  } catch (error) {
    if (error instanceof NotPlain) return { ok: false, problem: { path: error.path, message: error.message } };
    // A value may run code of its own when it is looked at, and that may throw anything.
    return { ok: false, problem: { path: "", message: "the value cannot be read" } };
  }
}

class NotPlain extends Error {
  readonly path: string;

  constructor(path: readonly string[], message: string) {
    super(message);
    this.path = path.join(".");
  }
}

class Copier {
  readonly #limits: PlainDataLimits;
  readonly #path: string[] = [];
  /** Objects the current one lies in; meeting one of them again is a cycle. */
  readonly #ancestors = new Set<object>();
  #count = 0;

  constructor(limits: PlainDataLimits) {
    this.#limits = limits;
  }

  copy(value: unknown): PlainData {
    if ((this.#count += 1) > this.#limits.values) throw this.#refuse(`more than ${this.#limits.values} values`);
    if (value === null || value === undefined) return null;
    if (typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number") {
      if (Number.isFinite(value)) return value;
      throw this.#refuse(`the number ${value} is not JSON`);
    }
    if (typeof value !== "object") throw this.#refuse(`${describeValue(value)} is not JSON`);
    return this.#inside(value);
  }

  #inside(value: object): PlainData {
    if (this.#ancestors.has(value)) throw this.#refuse("the value contains itself");
    if (this.#ancestors.size >= this.#limits.depth) throw this.#refuse(`nested deeper than ${this.#limits.depth}`);
    this.#ancestors.add(value);
    const copied = Array.isArray(value) ? this.#copyList(value) : this.#copyObject(value);
    this.#ancestors.delete(value);
    return copied;
  }

  #copyList(list: readonly unknown[]): PlainData {
    return list.map((item, index) => this.#at(String(index), item));
  }

  #copyObject(value: object): PlainData {
    const message = readMessage(value);
    if (message) return this.#copyEntries(Object.entries(message));
    if (hasToJson(value) && !isLangChainObject(value)) return this.copy(value.toJSON());
    if (isOpaque(value)) throw this.#refuse(`${describeValue(value)} is not JSON`);
    const entries = dataEntries(value);
    return this.#copyEntries(isLangChainObject(value) ? entries.filter(([key]) => !key.startsWith("lc_")) : entries);
  }

  #copyEntries(entries: readonly (readonly [string, unknown])[]): PlainData {
    const copied: Record<string, PlainData> = {};
    for (const [key, item] of entries) {
      // Assigning it would change the copy's prototype, here or in whoever copies the copy.
      if (key === "__proto__") throw this.#refuse("the key `__proto__` is not allowed");
      if (item !== undefined) copied[key] = this.#at(key, item);
    }
    return copied;
  }

  #at(key: string, item: unknown): PlainData {
    this.#path.push(key);
    const copied = this.copy(item);
    this.#path.pop();
    return copied;
  }

  #refuse(message: string): NotPlain {
    return new NotPlain(this.#path, message);
  }
}

/** Own enumerable data properties; accessors are left alone, because reading them runs code. */
function dataEntries(value: object): (readonly [string, unknown])[] {
  const entries: (readonly [string, unknown])[] = [];
  for (const key of Object.keys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property && Object.hasOwn(property, "value")) entries.push([key, property.value]);
  }
  return entries;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === "function";
}

function isLangChainObject(value: object): boolean {
  return Array.isArray((value as { lc_namespace?: unknown }).lc_namespace);
}

/** Values whose content does not lie in their properties, so that a copy would silently be empty. */
function isOpaque(value: object): boolean {
  return (
    value instanceof Map ||
    value instanceof Set ||
    value instanceof WeakMap ||
    value instanceof WeakSet ||
    value instanceof Promise ||
    value instanceof RegExp ||
    value instanceof Error ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value)
  );
}

/** The plain form of a LangChain message: what it says, not how it is made. */
function readMessage(value: object): Record<string, unknown> | undefined {
  const message = value as {
    readonly _getType?: unknown;
    readonly content?: unknown;
    readonly id?: unknown;
    readonly name?: unknown;
    readonly tool_calls?: unknown;
    readonly tool_call_id?: unknown;
  };
  if (typeof message._getType !== "function" || message.content === undefined) return undefined;
  const calls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0 ? message.tool_calls : undefined;
  return {
    type: String(message._getType()),
    content: message.content,
    id: message.id,
    name: message.name,
    tool_calls: calls,
    tool_call_id: message.tool_call_id,
  };
}
