import { STRICT_FUNCTIONS } from "./strict-functions.js";
import { boundedSum, STRICT_METHODS } from "./strict-times.js";

// cspell:ignore rcall

/** A mistake in an expression. */
export interface CelProblem {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Size of the data of an evaluation. */
export interface Size {
  readonly values: number;
  readonly characters: number;
}

/** Characters that a function on texts reads in one step. */
const CHARACTERS_PER_STEP = 4_096;

/** Values of lists that an operator compares or copies in one step. */
const VALUES_PER_STEP = 32;

/** Operators that read the whole of two lists or maps. */
const READERS = new Set(["==", "!=", "in", "+"]);

const COMPREHENSIONS = new Set(["all", "exists", "exists_one", "map", "filter"]);

/** Functions whose result has more values than what they read. */
const SPLITTERS = new Set(["split", "json"]);

/** Name of the function that searches in linear time. The grammar has no such name, so no expression can use it. */
export const SEARCH = "matches in linear time";

interface Node {
  readonly op: string;
  readonly args: unknown;
  /** Function that evaluates the node, and the expansion of a macro. */
  readonly meta?: unknown;
  setMeta?(name: "evaluate", evaluate: Evaluate | EvaluateMap): unknown;
}

/** Evaluates a node. */
type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;

/** Evaluates the node of a map. */
type EvaluateMap = (
  evaluator: { run(node: unknown, context: unknown): unknown },
  node: { readonly args: readonly (readonly [unknown, unknown])[] },
  context: unknown,
) => ReadonlyMap<unknown, unknown>;

/** Facts about an expression that bound its work. */
export class ExpressionShape {
  readonly patterns: string[] = [];
  #nodes = 0;
  #depth = 0;
  #splits = false;
  #readsLists = false;

  /** Steps that an evaluation takes at worst. */
  steps({ values, characters }: Size): number {
    const most = Math.max(1, values + (this.#splits ? characters : 0));
    const read = characters / CHARACTERS_PER_STEP + (this.#readsLists ? values / VALUES_PER_STEP : 0);
    return this.#nodes * most ** this.#depth * (1 + read);
  }

  /**
   * Reads the parsed expression, and replaces functions in it: searches by one that takes linear time, conversions of texts by
   * those of the specification. Returns the first part that is not supported.
   */
  read(root: unknown): CelProblem | undefined {
    this.#depth = this.#depthOf(root);
    return replaceParts(root, this.patterns);
  }

  /** Nested comprehensions in a part. */
  #depthOf(part: unknown): number {
    if (Array.isArray(part)) return part.reduce<number>((most, child) => Math.max(most, this.#depthOf(child)), 0);
    if (!isNode(part)) return 0;
    this.#nodes += 1;
    this.#readsLists ||= READERS.has(part.op) && Array.isArray(part.args) && !part.args.some(isLiteral);
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

/** Returns true for a literal, and for a list of literals, which the expression bounds. */
function isLiteral(part: unknown): boolean {
  if (!isNode(part)) return false;
  return part.op === "value" || (part.op === "list" && Array.isArray(part.args) && part.args.every(isLiteral));
}

/** @param patterns - receives the patterns */
function replaceParts(root: unknown, patterns: string[]): CelProblem | undefined {
  const seen = new Set<unknown>();
  const waiting = [root];
  for (let part = waiting.pop(); part !== undefined || waiting.length > 0; part = waiting.pop()) {
    if (typeof part !== "object" || part === null || seen.has(part)) continue;
    seen.add(part);
    if (isNode(part)) {
      const problem = REPLACEMENTS[part.op]?.(part, patterns);
      if (problem !== undefined) return problem;
      waiting.push(part.meta);
    }
    waiting.push(...(Object.values(part) as readonly unknown[]));
  }
  return undefined;
}

type Replacement = (node: Node, patterns: string[]) => CelProblem | undefined;

const REPLACEMENTS: Readonly<Record<string, Replacement>> = {
  "+": boundSum,
  "-": boundSum,
  call: replaceConversion,
  rcall: replaceMethod,
  list: ({ args }) => checkUnsigned(args as readonly unknown[]),
  map: (node) => {
    node.setMeta?.("evaluate", evaluateMap);
    return checkUnsigned((node.args as readonly unknown[]).flat());
  },
};

function boundSum(node: Node): undefined {
  const { evaluate } = node.meta as { readonly evaluate: Evaluate };
  node.setMeta?.("evaluate", (evaluator: unknown, part: unknown, context: unknown) =>
    boundedSum(evaluate(evaluator, part, context)),
  );
}

function replaceConversion({ args }: Node): undefined {
  if (!Array.isArray(args)) return;
  const replaced = STRICT_FUNCTIONS.get(args[0]);
  if (replaced !== undefined) args[0] = replaced;
}

function replaceMethod({ args }: Node, patterns: string[]): CelProblem | undefined {
  if (!Array.isArray(args)) return undefined;
  const [name, receiver, given] = args as [unknown, unknown, unknown];
  if (name === "bind" && isNode(receiver) && receiver.op === "id" && receiver.args === "cel") {
    return { message: "the expression uses `cel.bind`", hint: "write the value where it is used" };
  }
  const strict = STRICT_METHODS.get(name);
  if (strict !== undefined) args[0] = strict;
  if (name !== "matches") return undefined;
  const pattern: unknown = Array.isArray(given) && given.length === 1 ? given[0] : undefined;
  if (!isNode(pattern) || pattern.op !== "value" || typeof pattern.args !== "string") {
    return { message: "the pattern of `matches` is not a text in quotes", hint: 'write it like `matches("^a+$")`' };
  }
  patterns.push(pattern.args);
  args[0] = SEARCH;
  return undefined;
}

/** The library compares an unsigned number inside of a list or a map only with unsigned numbers, and JSON has none. */
function checkUnsigned(parts: readonly unknown[]): CelProblem | undefined {
  if (!parts.some((part) => isNode(part) && part.op === "value" && isUnsigned(part.args))) return undefined;
  return { message: "the expression has an unsigned number in a list or a map", hint: "write `5` instead of `5u`" };
}

/** The library represents an unsigned number by an object. */
function isUnsigned(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof value.valueOf() === "bigint";
}

/** Evaluates a map with its keys as they are. The library turns them to texts and drops names such as `constructor`. */
const evaluateMap: EvaluateMap = (evaluator, { args }, context) =>
  new Map(args.map(([key, value]) => [evaluator.run(key, context), evaluator.run(value, context)]));
