import type { Runtime } from "../evaluate/runtime.js";
import { type Value, describeType, isList, isMap, isSet } from "../values/value.js";
import { keysOf } from "../values/compare.js";
import { charactersOf } from "../values/text.js";

/** The arguments of a function, or the value and the arguments of a method. Omitted arguments are undefined. */
export type FunctionArguments = readonly (Value | undefined)[];

export interface FunctionDefinition {
  readonly name: string;
  /** Names of the parameters, for named arguments; a method's own value is not among them. */
  readonly parameters: readonly string[];
  readonly minimum: number;
  /** `Infinity` if the last parameter takes all further arguments. */
  readonly maximum: number;
  /** Named arguments of any other name are collected in a map, which follows the parameters. */
  readonly takesNamed?: boolean;
  /** A method that may change the value it is called on; every other leaves all values as they are. */
  readonly isMutating?: boolean;
  readonly run: (runtime: Runtime, given: FunctionArguments) => Value;
}

/**
 * Describes a function of the language. Parameters are written as in documentation: `number, digits?`, `values...`, `**named`.
 *
 * @example
 * ```ts
 * const ROUND = defineFunction("round", "number, ndigits?", (runtime, [number, digits]) => ...);
 * ```
 */
export function defineFunction(name: string, signature: string, run: FunctionDefinition["run"]): FunctionDefinition {
  const all = signature === "" ? [] : signature.split(", ");
  const takesNamed = all.at(-1)?.startsWith("**") ?? false;
  const written = takesNamed ? all.slice(0, -1) : all;
  const isVariadic = written.at(-1)?.endsWith("...") ?? false;
  return {
    name,
    parameters: written.map((parameter) => parameter.replace(/\?$|\.\.\.$/, "")),
    minimum: written.filter((parameter) => !parameter.endsWith("?")).length,
    maximum: isVariadic ? Number.POSITIVE_INFINITY : written.length,
    ...(takesNamed ? { takesNamed } : {}),
    run,
  };
}

type RunMethod<Self extends Value> = (runtime: Runtime, self: Self, given: FunctionArguments) => Value;

/** Describes a method. INVARIANT: the evaluator calls it only on a value of the type in whose table it is. */
export function defineMethod<Self extends Value>(
  name: string,
  signature: string,
  run: RunMethod<Self>,
): FunctionDefinition {
  return defineFunction(name, signature, (runtime, [self, ...given]) => run(runtime, self as Self, given));
}

/** Describes a method that mutates its object; a method without a result returns `None`. */
export function defineMutator<Self extends Value>(
  name: string,
  signature: string,
  run: (...given: Parameters<RunMethod<Self>>) => Value | void,
): FunctionDefinition {
  const method = defineMethod<Self>(name, signature, (...given) => run(...given) ?? null);
  return { ...method, isMutating: true };
}

/** Returns the problem with the number or names of arguments; undefined if there is none. */
export function checkArguments(
  definition: FunctionDefinition,
  positional: number,
  named: readonly string[],
): string | undefined {
  const { name, parameters, minimum, maximum } = definition;
  const knownNames = definition.takesNamed ? named.filter((argument) => parameters.includes(argument)) : named;
  if (positional + knownNames.length > maximum) return `\`${name}\` takes ${expected(minimum, maximum)}`;
  for (const argument of knownNames) {
    const at = parameters.indexOf(argument);
    if (at === -1 || maximum === Number.POSITIVE_INFINITY) return `\`${name}\` has no argument named \`${argument}\``;
    if (at < positional) return `\`${name}\` is given \`${argument}\` twice`;
  }
  const isComplete = parameters.slice(positional, minimum).every((parameter) => knownNames.includes(parameter));
  return isComplete ? undefined : `\`${name}\` takes ${expected(minimum, maximum)}`;
}

/** Returns the accepted number of arguments in words, such as `1 to 3 arguments`. */
function expected(minimum: number, maximum: number): string {
  const counted = (count: number): string => `${count} argument${count === 1 ? "" : "s"}`;
  if (maximum === Number.POSITIVE_INFINITY) return `at least ${counted(minimum)}`;
  if (maximum === 0) return "no arguments";
  if (minimum === maximum) return counted(maximum);
  return minimum === 0 ? `at most ${counted(maximum)}` : `${minimum} to ${counted(maximum)}`;
}

/**
 * Returns the items of a list or a set, the characters of a text, or the keys of a map.
 *
 * @param name - the function or statement that needs them, for the error
 */
export function itemsOf(runtime: Runtime, name: string, value: Value = null): readonly Value[] {
  if (isList(value)) return value;
  if (isSet(value)) {
    runtime.chargeEntries(value.size);
    return [...value];
  }
  if (typeof value === "string") {
    runtime.checkList(value.length);
    return charactersOf(runtime, value);
  }
  if (isMap(value)) return keysOf(runtime, value);
  return runtime.fail(`\`${name}\` needs a list, not ${describeType(value)}`);
}
