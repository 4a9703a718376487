import { ObjectValue, type Value } from "./value.js";

const MAX_EXACT_DIGITS = 100;
/** From here on numbers are written with an exponent. */
const MAX_PLAIN = 1e21;

/**
 * Formats a number like Python's `str`. Integral values have no fraction, however they were computed.
 *
 * @example
 * ```ts
 * numberText(4 / 2); // "2"
 * numberText(0.00001); // "1e-05"
 * ```
 */
export function numberText(value: number): string {
  if (Number.isInteger(value)) {
    if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value === 0 ? "0" : String(value);
    return Math.abs(value) < MAX_PLAIN ? BigInt(value).toString() : String(value);
  }
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Math.abs(value) < 1e-4 ? padExponent(value.toExponential()) : String(value);
}

/** `1e-5` as `1e-05`: Python writes at least two digits. */
export function padExponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

/**
 * `toFixed`, but an exact half goes to the even neighbour, as in Python.
 *
 * @example
 * ```ts
 * toFixedHalfEven(2.5, 0); // "2"
 * toFixedHalfEven(0.125, 2); // "0.12"
 * ```
 */
export function toFixedHalfEven(value: number, digits: number): string {
  const magnitude = Math.abs(value);
  if (magnitude >= MAX_PLAIN) {
    const whole = Number.isFinite(value) ? BigInt(value).toString() : numberText(value);
    return digits > 0 && Number.isFinite(value) ? `${whole}.${"0".repeat(digits)}` : whole;
  }
  const rounded = value.toFixed(Math.min(digits, MAX_EXACT_DIGITS));
  const padding = digits > MAX_EXACT_DIGITS ? "0".repeat(digits - MAX_EXACT_DIGITS) : "";
  if (digits + 1 > MAX_EXACT_DIGITS || Number.isInteger(value)) return rounded + padding;
  // INVARIANT: a value halfway between two neighbours has digits + 1 decimals, and all of its digits are within 100.
  const exact = magnitude.toFixed(MAX_EXACT_DIGITS);
  const cut = exact.length - MAX_EXACT_DIGITS + digits;
  if (!/^50*$/.test(exact.slice(cut))) return rounded;
  const kept = (digits === 0 ? exact.slice(0, cut - 1) : exact.slice(0, cut)) || "0";
  const isOdd = Number(kept.at(-1)) % 2 === 1;
  return isOdd ? rounded : (value < 0 ? "-" : "") + kept;
}

export const COMPARISONS = {
  less_than: (actual: number, bound: number) => actual < bound,
  equal_less_than: (actual: number, bound: number) => actual <= bound,
  greater_than: (actual: number, bound: number) => actual > bound,
  equal_greater_than: (actual: number, bound: number) => actual >= bound,
  not_equal_to: (actual: number, bound: number) => actual !== bound,
} as const;

export type ComparisonName = keyof typeof COMPARISONS;

/** The result of `less_than(5)` and its relatives: a condition on a number of an event. */
export class ComparisonValue extends ObjectValue {
  readonly typeName = "ComparisonExpression";

  constructor(
    readonly comparison: ComparisonName,
    readonly bound: number,
  ) {
    super();
  }

  /** Returns true if a number fulfils the condition. */
  holds(actual: number): boolean {
    return COMPARISONS[this.comparison](actual, this.bound);
  }

  member(name: string): Value | undefined {
    return name === "value" ? this.bound : undefined;
  }

  equals(other: Value): boolean {
    return other instanceof ComparisonValue && other.comparison === this.comparison && other.bound === this.bound;
  }

  toText(): string {
    return `${this.comparison}(${numberText(this.bound)})`;
  }
}
