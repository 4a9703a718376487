import type { Environment } from "@marcbachmann/cel-js";
import { registerStrictTimes } from "./strict-times.js";

/** Integers of CEL have 64 bits. */
const LEAST_INTEGER = -(2n ** 63n);
const GREATEST_INTEGER = 2n ** 63n - 1n;

const INTEGER = /^[+-]?\d{1,20}$/;

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Longest number that is read from a text, in characters. */
const MAX_LENGTH = 400;

/** Value of CEL. An object is an unsigned number. */
type Value = string | number | bigint | { valueOf(): bigint };

/** Conversions of CEL whose versions in the library accept more texts: an empty one, `0b1`, `0xff`, `nan`. */
const CONVERSIONS: Readonly<Record<"int" | "double", (value: Value) => unknown>> = {
  int: toInteger,
  double: toDouble,
};

const SUFFIX = " in the strict sense";

/** Returns a message of the library with the names of CEL. */
export function withPublicNames(message: string): string {
  return message.replaceAll(SUFFIX, "").replaceAll(" of the calendar", "");
}

/** Names under which the strict functions are registered, by their names in CEL. The grammar has no such names. */
export const STRICT_FUNCTIONS: ReadonlyMap<unknown, string> = new Map(
  ["int", "double", "timestamp", "duration"].map((name) => [name, `${name}${SUFFIX}`]),
);

/** Registers the strict functions. */
export function registerStrictFunctions(environment: Environment): void {
  for (const [name, handler] of Object.entries(CONVERSIONS)) {
    for (const type of ["string", "double", "int", "uint"]) {
      environment.registerFunction({
        name: STRICT_FUNCTIONS.get(name) ?? name,
        returnType: name,
        params: [{ name: "value", type }],
        async: false,
        handler,
      });
    }
  }
  registerStrictTimes(environment, (name) => STRICT_FUNCTIONS.get(name) ?? name);
}

function toInteger(value: Value): bigint {
  const whole = integerOf(value);
  if (whole === undefined || whole < LEAST_INTEGER || whole > GREATEST_INTEGER) {
    throw new RangeError("the value is not an integer of CEL");
  }
  return whole;
}

function integerOf(value: Value): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "string") return INTEGER.test(value) ? BigInt(value) : undefined;
  if (typeof value === "number") return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
  return value.valueOf();
}

/** INVARIANT: no text gives a number that compares with nothing, such as `nan`: a condition on it would not hold. */
function toDouble(value: Value): number {
  if (typeof value !== "string") return Number(typeof value === "object" ? value.valueOf() : value);
  if (value.length > MAX_LENGTH || !DECIMAL.test(value)) throw new RangeError("the value is not a decimal number");
  return Number(value);
}
