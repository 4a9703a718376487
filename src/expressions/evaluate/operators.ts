import type { BinaryOperator, UnaryOperator } from "../ast.js";
import { formatPercent } from "../values/percent-format.js";
import type { Runtime } from "./runtime.js";
import { describeType, isList, isSet, isTruthy, type Value } from "../values/value.js";

type Compute = (runtime: Runtime, left: Value, right: Value) => Value;

/** Unary operators, with the meaning they have in Python. */
export function computeUnary(runtime: Runtime, operator: UnaryOperator, operand: Value): Value {
  if (operator === "not") return !isTruthy(operand);
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

const BINARY: { readonly [Operator in BinaryOperator]: Compute } = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": (runtime, left, right) => withNumbers(runtime, "/", left, right, divide),
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

/** A number, or a boolean as 0 or 1 where the dialect takes it for one. */
export function toNumber(runtime: Runtime, value: Value): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "boolean" && runtime.dialect.booleansAreNumbers ? Number(value) : undefined;
}

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

function subtract(runtime: Runtime, left: Value, right: Value): Value {
  if (isSet(left) && isSet(right)) {
    runtime.chargeEntries(left.size);
    return new Set([...left].filter((item) => !right.has(item)));
  }
  return withNumbers(runtime, "-", left, right, (_, first, second) => first - second);
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

function divide(runtime: Runtime, left: number, right: number): number {
  if (right === 0) return runtime.fail("division by zero");
  return left / right;
}

/** The sign of the result is that of the divisor. */
function modulo(runtime: Runtime, left: number, right: number): number {
  if (right === 0) return runtime.fail("division by zero");
  const rest = left % right;
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

function bitwise(runtime: Runtime, operator: "&" | "|" | "^", left: Value, right: Value): Value {
  if (isSet(left) && isSet(right)) return combineSets(runtime, operator, left, right);
  const result = withNumbers(runtime, operator, left, right, (_, first, second) =>
    computeBits(runtime, operator, first, second),
  );
  return typeof left === "boolean" && typeof right === "boolean" ? result === 1 : result;
}

function combineSets(
  runtime: Runtime,
  operator: "&" | "|" | "^",
  left: ReadonlySet<Value>,
  right: ReadonlySet<Value>,
): Value {
  runtime.chargeEntries(left.size + right.size);
  if (operator === "&") return new Set([...left].filter((item) => right.has(item)));
  if (operator === "|") {
    const union = new Set([...left, ...right]);
    runtime.checkSize(union.size);
    return union;
  }
  const both = new Set([
    ...[...left].filter((item) => !right.has(item)),
    ...[...right].filter((item) => !left.has(item)),
  ]);
  runtime.checkSize(both.size);
  return both;
}

function computeBits(runtime: Runtime, operator: "&" | "|" | "^", left: number, right: number): number {
  const first = toBits(runtime, operator, left);
  const second = toBits(runtime, operator, right);
  switch (operator) {
    case "&":
      return Number(first & second);
    case "|":
      return Number(first | second);
    case "^":
      return Number(first ^ second);
  }
}

function toBits(runtime: Runtime, operator: BinaryOperator, value: number): bigint {
  return Number.isInteger(value) ? BigInt(value) : runtime.fail(`\`${operator}\` needs whole numbers`);
}

function shiftLeft(runtime: Runtime, value: number, count: number): number {
  const bits = toBits(runtime, "<<", value);
  return Number(bits << BigInt(shiftCount(runtime, count)));
}

function shiftRight(runtime: Runtime, value: number, count: number): number {
  const bits = toBits(runtime, ">>", value);
  return Number(bits >> BigInt(shiftCount(runtime, count)));
}

function shiftCount(runtime: Runtime, count: number): number {
  if (!Number.isInteger(count)) return runtime.fail("a shift needs a whole number of places");
  if (count < 0) return runtime.fail("a shift needs a count that is not negative");
  if (count > runtime.limits.exponent) runtime.exceed("exponent", "the shift is too large");
  return count;
}
