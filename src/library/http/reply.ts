import { isMap } from "../../engine/plain-data.js";

/** Error for a response whose type differs from the documented one. The message contains nothing of the response. */
export class ReplyError extends Error {}

/**
 * Reader of a response, which is untrusted: it checks the type of each value, and its errors name the path of the value.
 *
 * @example
 * ```ts
 * const blocked = reply.at("result", "blocked").flag(); // throws "expected `result.blocked` to be true or false, got a text"
 * ```
 */
export class Reply {
  readonly value: unknown;
  readonly #path: string;

  constructor(value: unknown, path = "") {
    this.value = value;
    this.#path = path;
  }

  /** Returns a reader of the value at these keys; the value may be absent. */
  at(...keys: readonly (string | number)[]): Reply {
    let [value, path] = [this.value, this.#path];
    for (const key of keys) {
      path = typeof key === "number" ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      const owner = typeof key === "number" ? Array.isArray(value) : isMap(value);
      value =
        owner && Object.hasOwn(value as object, key) ? (value as Record<string | number, unknown>)[key] : undefined;
    }
    return new Reply(value, path);
  }

  /** True if the value is absent or null. */
  get isMissing(): boolean {
    return this.value === undefined || this.value === null;
  }

  /** This reader; undefined if its value is absent or null. */
  get optional(): Reply | undefined {
    return this.isMissing ? undefined : this;
  }

  flag(): boolean {
    return typeof this.value === "boolean" ? this.value : this.fail("true or false");
  }

  text(): string {
    return typeof this.value === "string" ? this.value : this.fail("a text");
  }

  number(): number {
    return typeof this.value === "number" && Number.isFinite(this.value) ? this.value : this.fail("a number");
  }

  /** Returns a number from 0 to 1. */
  ratio(): number {
    const value = this.number();
    return value >= 0 && value <= 1 ? value : this.fail("a number from 0 to 1");
  }

  oneOf<const Value extends string>(...values: readonly Value[]): Value {
    return values.find((value) => value === this.value) ?? this.fail(`one of ${values.join(", ")}`);
  }

  items(): readonly Reply[] {
    if (!Array.isArray(this.value)) return this.fail("a list");
    return this.value.map((value, index) => new Reply(value, `${this.#path}[${index}]`));
  }

  /** Returns the entries of an object whose keys are not documented. */
  entries(): readonly (readonly [string, Reply])[] {
    if (!isMap(this.value)) return this.fail("an object");
    return Object.entries(this.value).map(([key, value]) => [key, new Reply(value, `${this.#path}.*`)] as const);
  }

  /** @throws ReplyError that names the path of the value */
  fail(expected: string): never {
    const place = this.#path === "" ? "the response" : `\`${this.#path}\``;
    throw new ReplyError(`expected ${place} to be ${expected}, got ${kindOf(this.value)}`);
  }
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
