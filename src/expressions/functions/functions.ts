import { keysOf, orderValues, toNumber } from "../values/compare.js";
import { toPythonRepr, toPythonText } from "../values/format.js";
import { formatWithSpec } from "../values/format-spec.js";
import { itemsOf, defineFunction, type FunctionArguments, type FunctionDefinition } from "./function-definition.js";
import { textArgument } from "./string-arguments.js";
import { LOWER, STRIP, UPPER } from "./string-methods.js";
import { toFixedHalfEven } from "../values/number-text.js";
import { computeBinary } from "../evaluate/operators.js";
import { toAscii } from "../values/percent-format.js";
import type { Runtime } from "../evaluate/runtime.js";
import { textLength } from "../values/text.js";
import { describeType, isList, isMap, isSet, isTruthy, toValue, type Value } from "../values/value.js";

/*
 * The functions an expression can call. They are pure, take plain values, and charge the runtime for work on long ones.
 * A dialect picks its own.
 */

const STR = defineFunction("str", "value?", (runtime, [value]) =>
  value === undefined ? "" : toPythonText(value, runtime),
);

const INTEGER = /^[+-]?\d+(?:_\d+)*$/;
const DECIMAL = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?$/;
const MAX_NUMBER_TEXT = 400;

function parseNumber(runtime: Runtime, value: Value, pattern: RegExp, wanted: string): number {
  if (typeof value !== "string") return runtime.fail(`${describeType(value)} cannot be made ${wanted}`);
  runtime.chargeText(value.length);
  const number = readNumber(value, pattern);
  return number === undefined
    ? runtime.fail(`\`${value.trim().slice(0, 40)}\` is not ${wanted}`)
    : runtime.checkNumber(number);
}

/** Reads a number as Python writes it; undefined for any other text. */
export function readNumber(text: string, pattern: RegExp = DECIMAL): number | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_NUMBER_TEXT || !pattern.test(trimmed)) return undefined;
  return Number(trimmed.replaceAll("_", ""));
}

/** The first of the least or greatest values, of one list or of several arguments. */
export function pickExtreme(runtime: Runtime, name: string, given: FunctionArguments, sign: 1 | -1): Value {
  const values = (given.length === 1 ? itemsOf(runtime, name, given[0]) : given).map(toValue);
  runtime.chargeItems(values.length);
  const [first = runtime.fail(`\`${name}\` of nothing`), ...others] = values;
  return others.reduce((best, value) => (orderValues(runtime, value, best) * sign > 0 ? value : best), first);
}

const MAX_ROUND_DIGITS = 22;

export const ROUND = defineFunction("round", "number, ndigits?", (runtime, [value, digits = null]) => {
  const number = numberArgument(runtime, "round", value);
  const places = numberArgument(runtime, "round", digits ?? 0);
  if (!Number.isInteger(places)) return runtime.fail("`round` needs a whole number of digits");
  if (places > MAX_ROUND_DIGITS) return number;
  if (places >= 0) return Number(toFixedHalfEven(number, places)) + 0;
  return roundToPower(number, 10 ** Math.min(-places, 308));
});

/** To a multiple of a power of ten; an exact half goes to the even one. */
function roundToPower(number: number, unit: number): number {
  const count = Math.floor(number / unit);
  const rest = number - count * unit;
  return (rest * 2 > unit || (rest * 2 === unit && count % 2 !== 0) ? count + 1 : count) * unit + 0;
}

function numberArgument(runtime: Runtime, name: string, value: Value = null): number {
  return toNumber(runtime, value) ?? runtime.fail(`\`${name}\` needs a number, not ${describeType(value)}`);
}

export const SUM = defineFunction("sum", "values, start?", (runtime, [given, start = null]) => {
  const values = itemsOf(runtime, "sum", given);
  runtime.chargeEntries(values.length);
  let total: Value = start ?? 0;
  if (typeof total === "string") return runtime.fail('`sum` does not add strings: use `"".join(…)`');
  for (const value of values) total = computeBinary(runtime, "+", total, toValue(value));
  return total;
});

/** Functions of numbers, texts and collections, in the manner of Python's. */
export const BASIC_FUNCTIONS: readonly FunctionDefinition[] = [
  defineFunction("len", "value", (runtime, [value = null]) => {
    if (typeof value === "string") return textLength(runtime, value);
    if (isList(value)) return value.length;
    if (isSet(value)) return value.size;
    if (isMap(value)) return keysOf(runtime, value).length;
    return runtime.fail(`${describeType(value)} has no length`);
  }),
  STR,
  defineFunction("int", "value?", (runtime, [value = 0]) => {
    if (typeof value === "boolean") return Number(value);
    if (typeof value === "number") return runtime.checkNumber(Math.trunc(value));
    return parseNumber(runtime, value, INTEGER, "a whole number");
  }),
  defineFunction("float", "value?", (runtime, [value = 0]) => {
    if (typeof value === "boolean") return Number(value);
    if (typeof value === "number") return value;
    return parseNumber(runtime, value, DECIMAL, "a number");
  }),
  defineFunction("bool", "value?", (runtime, [value = null]) =>
    isMap(value) ? keysOf(runtime, value).length > 0 : isTruthy(value),
  ),
  defineFunction("abs", "number", (runtime, [value]) => Math.abs(numberArgument(runtime, "abs", value))),
  defineFunction("min", "values...", (runtime, given) => pickExtreme(runtime, "min", given, -1)),
  defineFunction("max", "values...", (runtime, given) => pickExtreme(runtime, "max", given, 1)),
  ROUND,
  SUM,
  defineFunction("sorted", "values, reverse?", (runtime, [given, reverse = false]) => {
    const items = itemsOf(runtime, "sorted", given);
    runtime.checkList(items.length);
    const sign = isTruthy(reverse) ? -1 : 1;
    return items.map(toValue).sort((left, right) => sign * orderValues(runtime, left, right));
  }),
];

/** String methods to be called like functions. */
export const TEXT_FUNCTIONS: readonly FunctionDefinition[] = [LOWER, UPPER, STRIP].map(({ name, run }) =>
  defineFunction(name, "text", (runtime, [text]) => run(runtime, [textArgument(runtime, name, text)])),
);

/** Returns the result of an action that a rail tests: only `True` and `False` are verdicts. */
export const VERDICT = defineFunction("verdict", "value", (runtime, [value = null]) => {
  if (typeof value === "boolean") return value;
  return runtime.fail(`expected \`True\` or \`False\` from the action of a rail, got ${describeType(value)}`);
});

/** Functions of template strings (see `TemplateExpression`); only the parser and `strictCondition` call them. */
export const TEMPLATE_FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = new Map(
  [
    STR,
    VERDICT,
    defineFunction("repr", "value", (runtime, [value = null]) => toPythonRepr(value, runtime)),
    defineFunction("ascii", "value", (runtime, [value = null]) => toAscii(runtime, toPythonRepr(value, runtime))),
    defineFunction("format", "value, format", (runtime, [value = null, format]) =>
      formatWithSpec(runtime, value, typeof format === "string" ? format : ""),
    ),
  ].map((definition) => [definition.name, definition]),
);
