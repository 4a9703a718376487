import type { BinaryOperator, UnaryOperator } from "../ast.js";
import { formatPercent } from "../values/percent-format.js";
import type { Runtime } from "./runtime.js";
import { toNumber } from "../values/compare.js";
import { describeType, isList, isSet, type Value } from "../values/value.js";

/** Signs, with the meaning they have in Python. */
export function computeSign(runtime: Runtime, operator: Exclude<UnaryOperator, "not">, operand: Value): Value {
  const number = toNumber(runtime, operand);
  if (number === undefined) return runtime.fail(`\`${operator}\` needs a number, not ${describeType(operand)}`);
  if (operator === "-") return number === 0 ? 0 : -number;
  if (operator === "+") return number;
  if (!Number.isInteger(number)) return runtime.fail("`~` needs a whole number");
  return -number - 1;
}

/** Binary operators, with the meaning they have in Python. */
export function computeBinary(runtime: Runtime, operator: BinaryOperator, left: Value, right: Value): Value {
  return BINARY[operator](runtime, left, right);
}

const BINARY: Readonly<Record<BinaryOperator, (runtime: Runtime, left: Value, right: Value) => Value>> = {
  "+": add,
  "-": (runtime, left, right) => {
    if (!isSet(left) || !isSet(right)) {
      return withNumbers(runtime, "-", left, right, (_, first, second) => first - second);
    }
    runtime.chargeEntries(left.size);
    return withoutItems(left, right);
  },
  "*": multiply,
  "/": (runtime, left, right) =>
    withNumbers(runtime, "/", left, right, (_, first, second) => first / divisor(runtime, second)),
  "//": (runtime, left, right) => withNumbers(runtime, "//", left, right, floorDivide),
  "%": (runtime, left, right) =>
    typeof left === "string" ? formatPercent(runtime, left, right) : withNumbers(runtime, "%", left, right, modulo),
  "@": (runtime, left, right) => refuse(runtime, "@", left, right),
  "**": (runtime, left, right) => withNumbers(runtime, "**", left, right, power),
  "&": (runtime, left, right) => bitwise(runtime, "&", left, right),
  "|": (runtime, left, right) => bitwise(runtime, "|", left, right),
  "^": (runtime, left, right) => bitwise(runtime, "^", left, right),
  "<<": (runtime, left, right) => withNumbers(runtime, "<<", left, right, shiftLeft),
  ">>": (runtime, left, right) => withNumbers(runtime, ">>", left, right, shiftRight),
};

function refuse(runtime: Runtime, operator: BinaryOperator, left: Value, right: Value): never {
  return runtime.fail(`\`${operator}\` does not work on ${describeType(left)} and ${describeType(right)}`);
}

function withNumbers(
  runtime: Runtime,
  operator: BinaryOperator,
  left: Value,
  right: Value,
  compute: (runtime: Runtime, left: number, right: number) => number,
): Value {
  const first = toNumber(runtime, left);
  const second = toNumber(runtime, right);
  if (first === undefined || second === undefined) return refuse(runtime, operator, left, right);
  return runtime.checkNumber(compute(runtime, first, second));
}

function add(runtime: Runtime, left: Value, right: Value): Value {
  if (typeof left === "string" && typeof right === "string") {
    runtime.checkText(left.length + right.length);
    return left + right;
  }
  if (isList(left) && isList(right)) {
    runtime.checkList(left.length + right.length);
    return [...left, ...right];
  }
  return withNumbers(runtime, "+", left, right, (_, first, second) => first + second);
}

function multiply(runtime: Runtime, left: Value, right: Value): Value {
  const isLeftRepeated = typeof left === "string" || isList(left);
  if (isLeftRepeated || typeof right === "string" || isList(right)) {
    return isLeftRepeated ? repeat(runtime, left, right) : repeat(runtime, right, left);
  }
  return withNumbers(runtime, "*", left, right, (_, first, second) => first * second);
}

function repeat(runtime: Runtime, value: Value, times: Value): Value {
  const count = toNumber(runtime, times);
  if (count === undefined) return refuse(runtime, "*", value, times);
  if (!Number.isInteger(count)) return runtime.fail(`\`*\` repeats ${describeType(value)} a whole number of times`);
  const repeats = Math.max(0, count);
  if (typeof value === "string") {
    if (value.length > 0) runtime.checkText(value.length * repeats);
    return value === "" ? "" : value.repeat(repeats);
  }
  const items = value as readonly Value[];
  if (items.length === 0) return [];
  runtime.checkList(items.length * repeats);
  return Array.from({ length: items.length * repeats }, (_, at) => items[at % items.length] as Value);
}

function divisor(runtime: Runtime, number: number): number {
  return number === 0 ? runtime.fail("division by zero") : number;
}

/** The sign of the result is that of the divisor. */
function modulo(runtime: Runtime, left: number, right: number): number {
  const rest = left % divisor(runtime, right);
  return rest !== 0 && rest < 0 !== right < 0 ? rest + right : rest;
}

function floorDivide(runtime: Runtime, left: number, right: number): number {
  // Subtracting the rest first keeps the quotient exact where plain division would round it up to the next whole number.
  const quotient = (left - modulo(runtime, left, right)) / right;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function power(runtime: Runtime, base: number, exponent: number): number {
  if (Math.abs(exponent) > runtime.limits.exponent) runtime.exceed("exponent", "the exponent is too large");
  if (base === 0 && exponent < 0) return runtime.fail("division by zero");
  if (base < 0 && !Number.isInteger(exponent)) return runtime.fail("a negative number has no such power");
  return base ** exponent;
}

const BITS = {
  "&": (left: bigint, right: bigint) => left & right,
  "|": (left: bigint, right: bigint) => left | right,
  "^": (left: bigint, right: bigint) => left ^ right,
} as const;

function bitwise(runtime: Runtime, operator: keyof typeof BITS, left: Value, right: Value): Value {
  if (isSet(left) && isSet(right)) return combineSets(runtime, operator, left, right);
  const result = withNumbers(runtime, operator, left, right, (_, first, second) =>
    Number(BITS[operator](toBits(runtime, operator, first), toBits(runtime, operator, second))),
  );
  return typeof left === "boolean" && typeof right === "boolean" ? result === 1 : result;
}

type Items = ReadonlySet<Value>;

function combineSets(runtime: Runtime, operator: keyof typeof BITS, left: Items, right: Items): Items {
  runtime.chargeEntries(left.size + right.size);
  if (operator === "&") return new Set([...left].filter((item) => right.has(item)));
  const isUnion = operator === "|";
  const first = isUnion ? left : withoutItems(left, right);
  const combined = new Set([...first, ...(isUnion ? right : withoutItems(right, left))]);
  runtime.checkSize(combined.size);
  return combined;
}

function withoutItems(items: Items, removed: Items): Items {
  return new Set([...items].filter((item) => !removed.has(item)));
}

function toBits(runtime: Runtime, operator: BinaryOperator, value: number): bigint {
  return Number.isInteger(value) ? BigInt(value) : runtime.fail(`\`${operator}\` needs whole numbers`);
}

function shiftLeft(runtime: Runtime, value: number, count: number): number {
  return Number(toBits(runtime, "<<", value) << shiftCount(runtime, count));
}

function shiftRight(runtime: Runtime, value: number, count: number): number {
  return Number(toBits(runtime, ">>", value) >> shiftCount(runtime, count));
}

function shiftCount(runtime: Runtime, count: number): bigint {
  if (!Number.isInteger(count)) return runtime.fail("a shift needs a whole number of places");
  if (count < 0) return runtime.fail("a shift needs a count that is not negative");
  if (count > runtime.limits.exponent) runtime.exceed("exponent", "the shift is too large");
  return BigInt(count);
}
