import type { Random } from "./random.js";

/*
 * Values that a host may pass although they are not JSON, or barely. Each is created again, because a reader may change
 * it.
 */

class Account {
  readonly #secret = 1;

  get secret(): number {
    return this.#secret;
  }
}

function cyclic(): Record<string, unknown> {
  const loop: Record<string, unknown> = { name: "loop" };
  loop["items"] = [loop];
  return loop;
}

const REFUSE = (): never => {
  throw new Error("never read me");
};

/** Values that no engine can keep: each is refused with its path. */
export const UNKEEPABLE: Readonly<Record<string, () => unknown>> = {
  "a getter that throws": () => Object.defineProperty({}, "a", { enumerable: true, get: REFUSE }),
  "a getter": () => Object.defineProperty({}, "a", { enumerable: true, get: () => 1 }),
  "a toJSON that throws": () => ({ toJSON: REFUSE }),
  "a toJSON of itself": () => ((self: Record<string, unknown>) => ((self["toJSON"] = () => self), self))({}),
  "a proxy that throws": () => new Proxy({}, { ownKeys: REFUSE, getPrototypeOf: REFUSE }),
  "a cycle": cyclic,
  "a BigInt": () => 1n,
  "a function": () => () => 1,
  "a symbol": () => Symbol("s"),
  NaN: () => Number.NaN,
  Infinity: () => -Infinity,
  "a Map": () => new Map([["a", 1]]),
  "a Set": () => new Set([1]),
  "a typed array": () => new Float64Array(4),
  "an ArrayBuffer": () => new ArrayBuffer(4),
  "an Error": () => new Error("x"),
  "a RegExp": () => /x/,
  "a Promise": () => Promise.resolve(1),
  "an instance without data": () => new Account(),
  "a key `__proto__`": () => JSON.parse('{"__proto__": {"polluted": 1}}') as unknown,
  "deep lists": () => Array.from({ length: 5000 }).reduce((inner) => [inner], 1),
  "deep maps": () => Array.from({ length: 101 }).reduce((inner) => ({ a: inner }), 1),
  "many items": () => Array.from({ length: 100_001 }, () => 0),
  "a list that is only long": () => Object.assign([], { length: 4_000_000_000 }),
  "items that are met again and again": () => Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], 1),
  "long texts": () => Array.from({ length: 20 }, () => "x".repeat(1_000_000)),
};

/** Unusual values with a JSON form. */
export const KEEPABLE: Readonly<Record<string, () => unknown>> = {
  "a date": () => new Date(0),
  "an invalid date": () => new Date(Number.NaN),
  "a URL": () => new URL("https://example.com"),
  "an instance with data": () => Object.assign(new Account(), { name: "Ada" }),
  "a map without prototype": () => Object.assign(Object.create(null) as object, { a: 1 }),
  "a key `constructor`": () => JSON.parse('{"constructor": {"prototype": {"polluted": 1}}}') as unknown,
  "holes and undefined": () => Object.assign([undefined, { a: undefined }], { length: 4 }),
  "lone surrogates": () => "\ud800 \u0000 \u2028",
  "minus zero": () => -0,
  "an empty list": () => [],
};

const LEAVES = { ...UNKEEPABLE, ...KEEPABLE };

/** The names of leaves and holders from outside to inside, such as `list map "a Map"`. */
export function generateHostileValue(random: Random): string {
  const holders = Array.from({ length: random.below(6) }, () => random.pick(["list", "map", "twice", "deep"]));
  return JSON.stringify([...holders, random.pick(Object.keys(LEAVES))]);
}

/** The value of such a text; undefined for any other text. */
export function makeHostileValue(text: string): { readonly value: unknown } | undefined {
  let names: unknown;
  try {
    names = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) return undefined;
  const make = LEAVES[String(names.at(-1))];
  if (make === undefined) return undefined;
  return { value: names.slice(0, -1).reduceRight((inner: unknown, name) => hold(name, inner), make()) };
}

function hold(name: string, inner: unknown): unknown {
  switch (name) {
    case "map":
      return { a: inner, b: "x" };
    case "twice":
      return { left: inner, right: inner };
    case "deep":
      return Array.from({ length: 12 }).reduce<unknown>((value) => ({ in: value }), inner);
    default:
      return ["x", inner];
  }
}
