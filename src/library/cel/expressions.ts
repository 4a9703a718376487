import { Environment, type ParseResult } from "@marcbachmann/cel-js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { ENGINE_LIMITS, visitParts } from "../../engine/walk.js";
import { compilePattern, type Pattern } from "../../expressions/values/pattern.js";

/** Variables of an expression, as plain data. */
export type CelVariables = Readonly<Record<string, unknown>>;

/** Result of an expression: `unclear` if it cannot be evaluated, gives neither true nor false, or would take too long. */
export type CelOutcome = "true" | "false" | "unclear";

export interface CelExpression {
  readonly source: string;
  evaluate(variables: CelVariables): CelOutcome;
}

/** A mistake in an expression. */
export interface CelProblem {
  readonly message: string;
  readonly hint?: string | undefined;
}

const LIMITS = { maxAstNodes: 1_000, maxDepth: 50 };

/** Greatest number of values in the variables. */
const MAX_VALUES = 10_000;

/** Steps of an evaluation at worst; one takes about a microsecond. */
const MAX_STEPS = 500_000;

/** Characters that a function on texts reads in one step. */
const CHARACTERS_PER_STEP = 4_096;

/** Characters times instructions of a pattern, over all searches of an evaluation. */
const MAX_SEARCH = 12_000_000;

const COMPREHENSIONS = new Set(["all", "exists", "exists_one", "map", "filter"]);

/** Functions whose result has more values than what they read. */
const SPLITTERS = new Set(["split", "json"]);

/** Name of the function that searches in linear time. It cannot be written, since the grammar has no such name. */
const SEARCH = "matches in linear time";

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
    const text = summary ?? message ?? String(error);
    const unknown = /^Unknown variable: (\w+)$/.exec(text)?.[1];
    const names = this.#variables.map((name) => `\`${name}\``).join(", ");
    const hint =
      unknown === undefined ? undefined : (didYouMean(unknown, this.#variables) ?? `the variables are ${names}`);
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

interface Size {
  readonly values: number;
  readonly characters: number;
}

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

interface Node {
  readonly op: string;
  readonly args: unknown;
  /** Expansion of a macro. */
  readonly meta?: unknown;
}

/** Facts about an expression that bound its work. */
class ExpressionShape {
  readonly patterns: string[] = [];
  #nodes = 0;
  #depth = 0;
  #splits = false;

  /** Steps that an evaluation takes at worst. */
  steps({ values, characters }: Size): number {
    const most = Math.max(1, values + (this.#splits ? characters : 0));
    return this.#nodes * most ** this.#depth * (1 + characters / CHARACTERS_PER_STEP);
  }

  /** Reads the parsed expression and turns its searches to the function that takes linear time. */
  read(root: unknown): CelProblem | undefined {
    this.#depth = this.#depthOf(root);
    return redirectSearches(root, this.patterns);
  }

  /** Nested comprehensions in a part. */
  #depthOf(part: unknown): number {
    if (Array.isArray(part)) return part.reduce<number>((most, each) => Math.max(most, this.#depthOf(each)), 0);
    if (!isNode(part)) return 0;
    this.#nodes += 1;
    const [name, receiver, given] = Array.isArray(part.args) ? (part.args as readonly unknown[]) : [];
    if (part.op !== "rcall" || typeof name !== "string") return this.#depthOf(part.args);
    this.#splits ||= SPLITTERS.has(name);
    const inner = this.#depthOf(given) + Number(COMPREHENSIONS.has(name));
    return Math.max(this.#depthOf(receiver), inner);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

/** @param patterns - receives the patterns */
function redirectSearches(root: unknown, patterns: string[]): CelProblem | undefined {
  const seen = new Set<unknown>();
  const waiting = [root];
  for (let part = waiting.pop(); part !== undefined || waiting.length > 0; part = waiting.pop()) {
    if (typeof part !== "object" || part === null || seen.has(part)) continue;
    seen.add(part);
    if (isNode(part)) {
      const problem = redirectSearch(part, patterns);
      if (problem !== undefined) return problem;
      waiting.push(part.meta);
    }
    waiting.push(...(Object.values(part) as readonly unknown[]));
  }
  return undefined;
}

function redirectSearch({ op, args }: Node, patterns: string[]): CelProblem | undefined {
  if (op !== "rcall" || !Array.isArray(args)) return undefined;
  const [name, receiver, given] = args as [unknown, unknown, unknown];
  if (name === "bind" && isNode(receiver) && receiver.op === "id" && receiver.args === "cel") {
    return { message: "the expression uses `cel.bind`", hint: "write the value where it is used" };
  }
  if (name !== "matches") return undefined;
  const pattern: unknown = Array.isArray(given) && given.length === 1 ? given[0] : undefined;
  if (!isNode(pattern) || pattern.op !== "value" || typeof pattern.args !== "string") {
    return { message: "the pattern of `matches` is not a text in quotes", hint: 'write it like `matches("^a+$")`' };
  }
  patterns.push(pattern.args);
  args[0] = SEARCH;
  return undefined;
}
