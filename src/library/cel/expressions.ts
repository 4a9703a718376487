import { Environment, type ParseResult } from "@marcbachmann/cel-js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { ENGINE_LIMITS, visitParts } from "../../engine/walk.js";
import { compilePattern, type Pattern } from "../../expressions/values/pattern.js";
import { type CelProblem, ExpressionShape, SEARCH, type Size } from "./expression-shape.js";
import { registerStrictFunctions, withPublicNames } from "./strict-functions.js";

/** Variables of an expression, as plain data. */
export type CelVariables = Readonly<Record<string, unknown>>;

/** Result of an expression: `unclear` if it cannot be evaluated, gives neither true nor false, or would take too long. */
export type CelOutcome = "true" | "false" | "unclear";

export interface CelExpression {
  readonly source: string;
  evaluate(variables: CelVariables): CelOutcome;
}

const LIMITS = { maxAstNodes: 1_000, maxDepth: 50 };

/** Greatest number of values in the variables. */
const MAX_VALUES = 10_000;

/** Steps of an evaluation at worst; one takes about a microsecond. */
const MAX_STEPS = 500_000;

/** Characters times instructions of a pattern, over all searches of an evaluation. */
const MAX_SEARCH = 12_000_000;

/**
 * Compiles expressions over some variables. INVARIANT: the work of an evaluation is bounded by the expression and by limits,
 * whatever the variables hold.
 */
export class CelCompiler {
  readonly #environment: Environment;
  readonly #variables: readonly string[];
  readonly #patterns = new Map<string, Pattern>();
  #searched = 0;

  /** @param variables - their types in CEL by name */
  constructor(variables: Readonly<Record<string, string>>) {
    this.#variables = Object.keys(variables);
    this.#environment = new Environment({
      enableOptionalTypes: true,
      homogeneousAggregateLiterals: false,
      limits: LIMITS,
    });
    for (const [name, type] of Object.entries(variables)) this.#environment.registerVariable(name, type);
    // JSON writes 5 and 5.0 alike, so numbers of both kinds may be mixed.
    for (const [operator, apply] of Object.entries(MIXED)) {
      const handler = (left: number | bigint, right: number | bigint): number => apply(Number(left), Number(right));
      this.#environment.registerOperator(`int ${operator} double: double`, handler);
      this.#environment.registerOperator(`double ${operator} int: double`, handler);
    }
    this.#environment.registerFunction({
      name: SEARCH,
      receiverType: "string",
      returnType: "bool",
      params: [{ name: "pattern", type: "string" }],
      async: false,
      handler: (text: string, pattern: string) => this.#search(text, pattern),
    });
    registerStrictFunctions(this.#environment);
  }

  /** Returns the expression, or the first mistake in it. */
  compile(source: string): CelExpression | CelProblem {
    try {
      const parsed = this.#environment.parse(source);
      const shape = new ExpressionShape();
      const found = shape.read(parsed.ast) ?? this.#compilePatterns(shape.patterns);
      if (found !== undefined) return found;
      const { valid, type, error } = parsed.check();
      if (!valid) return this.#problemOf(error);
      if (type !== "bool" && type !== "dyn") {
        return { message: `the expression gives a value of type \`${type}\``, hint: "it must give true or false" };
      }
      return { source, evaluate: (variables) => this.#evaluate(parsed, shape, variables) };
    } catch (error) {
      return this.#problemOf(error);
    }
  }

  #compilePatterns(sources: readonly string[]): CelProblem | undefined {
    for (const source of sources) {
      try {
        this.#patterns.set(source, compilePattern(source));
      } catch (error) {
        return { message: (error as Error).message, hint: "patterns are those of RE2" };
      }
    }
    return undefined;
  }

  #problemOf(error: unknown): CelProblem {
    const { summary, message, range } = error as Partial<Record<"summary" | "message", string>> & {
      readonly range?: { readonly start: number };
    };
    const place = range === undefined ? "" : ` (character ${range.start + 1})`;
    const text = withPublicNames(summary ?? message ?? String(error));
    const unknown = /^Unknown variable: (\w+)$/.exec(text)?.[1];
    const names = this.#variables.map((name) => `\`${name}\``).join(", ");
    const hint =
      unknown === undefined
        ? "conditions are written in CEL, such as `args.amount > 100`"
        : (didYouMean(unknown, this.#variables) ?? `the variables are ${names}`);
    return { message: `the expression cannot be read: ${text}${place}`, hint };
  }

  #evaluate(parsed: ParseResult, shape: ExpressionShape, variables: CelVariables): CelOutcome {
    const size = sizeOf(variables);
    if (size === undefined || shape.steps(size) > MAX_STEPS) return "unclear";
    this.#searched = 0;
    try {
      const result: unknown = parsed(Object.fromEntries(Object.entries(variables).map(([k, v]) => [k, toCel(v)])));
      return typeof result === "boolean" ? (result ? "true" : "false") : "unclear";
    } catch {
      // INVARIANT: the message of the error may quote the values, so it is dropped.
      return "unclear";
    }
  }

  #search(text: string, source: string): boolean {
    const pattern = this.#patterns.get(source);
    this.#searched += text.length * (pattern?.program.programSize() ?? MAX_SEARCH);
    if (pattern === undefined || this.#searched > MAX_SEARCH) throw new RangeError("the search takes too long");
    return pattern.program.matcher(text).find();
  }
}

const MIXED: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
};

/** Counts what an evaluation may look at; undefined if it is more than the limit. */
function sizeOf(variables: CelVariables): Size | undefined {
  let values = 0;
  let characters = 0;
  const count = (part: unknown, key?: string): void => {
    values += 1;
    characters += (key?.length ?? 0) + (typeof part === "string" ? part.length : 0);
  };
  return visitParts(variables, count, { ...ENGINE_LIMITS, values: MAX_VALUES }) ? { values, characters } : undefined;
}

/** A map has no prototype, so no key reaches more than the data. Whole numbers are integers, as in other readers of JSON. */
function toCel(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toCel);
  return new Map(Object.entries(value).map(([key, part]) => [key, toCel(part)]));
}
