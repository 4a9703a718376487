import { numberText, padExponent, toFixedHalfEven } from "./number-text.js";
import { toPythonText } from "./format.js";
import type { Runtime } from "../evaluate/runtime.js";
import { charactersOf, indexableText, textLength } from "./text.js";
import { describeType, type Value } from "./value.js";

/** `[[fill]align][sign][#][0][width][grouping][.precision][type]`, as in Python. */
export interface FormatSpec {
  readonly fill: string;
  /** Empty: numbers to the right, everything else to the left. */
  readonly align: string;
  readonly sign: string;
  readonly isAlternate: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | undefined;
  readonly type: string;
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su;

/**
 * A value in a format, as in `{x:.2f}`.
 *
 * @example
 * ```ts
 * formatWithSpec(runtime, 3.14159, ".2f"); // "3.14"
 * ```
 */
export function formatWithSpec(runtime: Runtime, value: Value, spec: string): string {
  if (spec === "") return toPythonText(value, runtime);
  const found = SPEC.exec(spec);
  if (!found) return runtime.fail(`unknown format \`${spec.slice(0, 40)}\``);
  const [, fill, align, sign, alternate, zero, width, grouping, precision, type] = found;
  return applySpec(runtime, value, {
    fill: fill ?? (zero ? "0" : " "),
    align: align ?? (zero ? "=" : ""),
    sign: sign ?? "-",
    isAlternate: alternate !== undefined,
    width: boundedNumber(runtime, width) ?? 0,
    grouping: grouping ?? "",
    precision: boundedNumber(runtime, precision),
    type: type ?? "",
  });
}

/** Widths and precisions make texts of that length; they are refused before any text is made. */
export function boundedNumber(runtime: Runtime, digits: string | undefined): number | undefined {
  if (digits === undefined) return undefined;
  const number = Number(digits);
  runtime.checkText(number);
  return number;
}

/** Formats a value as Python's `format` does; fails for a type that the format does not apply to. */
export function applySpec(runtime: Runtime, value: Value, spec: FormatSpec): string {
  if (typeof value === "number" || (typeof value === "boolean" && spec.type !== "" && spec.type !== "s")) {
    if (spec.type === "s") return failType(runtime, value, spec);
    return formatNumber(runtime, Number(value), spec);
  }
  if (typeof value !== "string" && typeof value !== "boolean") {
    return runtime.fail(`${describeType(value)} has no formats`);
  }
  if (spec.type !== "" && spec.type !== "s") return failType(runtime, value, spec);
  if (spec.align === "=" && spec.fill !== "0") return runtime.fail("the alignment `=` is for numbers");
  const text = toPythonText(value, runtime);
  const isWhole = spec.precision === undefined || indexableText(runtime, text).length <= spec.precision;
  const shown = isWhole ? text : charactersOf(runtime, text).slice(0, spec.precision).join("");
  return pad(runtime, spec, { sign: "", text: shown, usual: "<" });
}

function failType(runtime: Runtime, value: Value, spec: FormatSpec): never {
  return runtime.fail(`${describeType(value)} has no format \`${spec.type}\``);
}

function formatNumber(runtime: Runtime, value: number, spec: FormatSpec): string {
  const digits = digitsOf(runtime, Math.abs(value), spec);
  const sign = value < 0 ? "-" : spec.sign === "-" ? "" : spec.sign;
  return pad(runtime, spec, { sign: sign + digits.prefix, text: group(digits.text, spec), usual: ">" });
}

/** Formats of numbers with a fraction; an upper-case letter writes an upper-case exponent. */
const FRACTIONS: ReadonlyMap<string, (value: number, precision: number) => string> = new Map([
  ...["f", "F"].map((type) => [type, toFixedHalfEven] as const),
  ["%", (value, precision) => `${toFixedHalfEven(value * 100, precision)}%`],
  ...["e", "E"].map((type) => [type, exponential] as const),
  ...["g", "G", "n"].map((type) => [type, general] as const),
]);

function digitsOf(runtime: Runtime, value: number, spec: FormatSpec): { text: string; prefix: string } {
  const { type, precision } = spec;
  if (type === "c" || type in RADIX) return integerDigits(runtime, value, spec);
  const write = FRACTIONS.get(type === "" ? "g" : type) ?? failType(runtime, value, spec);
  const text = type === "" && precision === undefined ? numberText(value) : write(value, precision ?? 6);
  return { text: type === "E" || type === "G" ? text.toUpperCase() : text, prefix: "" };
}

const RADIX: Readonly<Record<string, number>> = { d: 10, b: 2, o: 8, x: 16, X: 16 };

function integerDigits(runtime: Runtime, value: number, spec: FormatSpec): { text: string; prefix: string } {
  const { type } = spec;
  if (!Number.isInteger(value)) return runtime.fail(`the format \`${type}\` needs a whole number`);
  if (spec.precision !== undefined) return runtime.fail(`the format \`${type}\` has no precision`);
  if (type === "c") {
    if (value > 0x10ffff) return runtime.fail("there is no such character");
    return { text: String.fromCodePoint(value), prefix: "" };
  }
  const text = BigInt(value).toString(RADIX[type]);
  const prefix = spec.isAlternate && type !== "d" ? `0${type}` : "";
  return { text: type === "X" ? text.toUpperCase() : text, prefix };
}

const MAX_DIGITS = 100;

function exponential(value: number, precision: number): string {
  return padExponent(value.toExponential(Math.min(precision, MAX_DIGITS)));
}

/** The shorter of plain and exponential, with at most `precision` digits and no zeros at the end. */
function general(value: number, precision: number): string {
  const digits = Math.min(Math.max(1, precision), MAX_DIGITS);
  const written = value.toExponential(digits - 1);
  const exponent = Number(written.slice(written.indexOf("e") + 1));
  if (exponent < -4 || exponent >= digits) {
    const [mantissa = "", power = ""] = written.split("e");
    return padExponent(`${trimZeros(mantissa)}e${power}`);
  }
  return trimZeros(value.toFixed(Math.max(0, Math.min(digits - 1 - exponent, MAX_DIGITS))));
}

function trimZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function group(text: string, { grouping }: FormatSpec): string {
  if (grouping === "") return text;
  const integer = /^\d+/.exec(text)?.[0] ?? "";
  return integer.replace(/\B(?=(?:\d{3})+$)/g, grouping) + text.slice(integer.length);
}

/** Parts of a formatted value, and the alignment of its type. */
interface Shown {
  readonly sign: string;
  readonly text: string;
  readonly usual: "<" | ">";
}

function pad(runtime: Runtime, spec: FormatSpec, { sign, text, usual }: Shown): string {
  const missing = spec.width - sign.length - textLength(runtime, text);
  if (missing <= 0) return sign + text;
  runtime.checkText(missing * spec.fill.length);
  const align = spec.align === "" || (spec.align === "=" && usual === "<") ? usual : spec.align;
  if (align === "=") return sign + spec.fill.repeat(missing) + text;
  const before = align === "<" ? 0 : align === ">" ? missing : missing >> 1;
  return spec.fill.repeat(before) + sign + text + spec.fill.repeat(missing - before);
}
