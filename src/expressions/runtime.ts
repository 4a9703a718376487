import { ExpressionError, LimitError } from "../diagnostics/errors.js";
import type { Expression } from "./ast.js";
import type { ExpressionDialect } from "./dialect.js";
import type { Value } from "./value.js";

/** Where variables come from. An undefined variable is `None`. */
export interface Scope {
  lookup(name: string): Value | undefined;
  /** What a function cannot know by itself: fresh identifiers, random numbers, the state of an engine. */
  ask?(question: string, given: readonly Value[]): Value;
}

/** Bounds on one evaluation. Exceeding one is a `LimitError` that names it. */
export interface EvaluationLimits {
  /** Parts of expressions evaluated; work on long values counts in proportion. */
  readonly steps: number;
  /** Nesting, of the expression and of the values it compares or prints. */
  readonly depth: number;
  /** UTF-16 units in a string. */
  readonly textLength: number;
  readonly listLength: number;
  /** The largest exponent of `**`. */
  readonly exponent: number;
}

export const DEFAULT_EVALUATION_LIMITS: EvaluationLimits = {
  steps: 100_000,
  depth: 600,
  textLength: 1_048_576,
  listLength: 100_000,
  exponent: 10_000,
};

/** One evaluation in progress: what operators, functions and methods need to know, and how they complain. */
export class Runtime {
  readonly dialect: ExpressionDialect;
  readonly scope: Scope;
  readonly limits: EvaluationLimits;
  /** The part being computed, for the place of an error. */
  node: Expression | undefined;
  #steps = 0;
  #depth = 0;

  constructor(dialect: ExpressionDialect, scope: Scope, limits: EvaluationLimits = DEFAULT_EVALUATION_LIMITS) {
    this.dialect = dialect;
    this.scope = scope;
    this.limits = limits;
  }

  enter(): void {
    if ((this.#steps += 1) > this.limits.steps) this.exceed("steps", "evaluation takes too many steps");
    if ((this.#depth += 1) > this.limits.depth) this.exceed("depth", "the expression is too deeply nested");
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Counts work on a value of this many items. */
  chargeItems(count: number): void {
    this.#charge(count >> 3);
  }

  /** Counts work on a text of this length. */
  chargeText(length: number): void {
    this.#charge(length >> 12);
  }

  #charge(steps: number): void {
    if ((this.#steps += steps) > this.limits.steps) this.exceed("steps", "evaluation takes too many steps");
  }

  /** Refuses a string of this length before it is made. */
  checkText(length: number): void {
    if (length > this.limits.textLength) this.exceed("textLength", "a string grows too long");
    this.chargeText(length);
  }

  /** Refuses a list of this length before it is made. */
  checkList(length: number): void {
    if (length > this.limits.listLength) this.exceed("listLength", "a list grows too long");
    this.chargeItems(length);
  }

  /** Refuses a number that a double cannot hold. */
  checkNumber(value: number): number {
    if (Number.isFinite(value)) return value;
    throw new LimitError("a number grows too large", { limit: "number", maximum: Number.MAX_VALUE });
  }

  /** Has the host answer a question of a function. */
  ask(question: string, ...given: readonly Value[]): Value {
    return this.scope.ask?.(question, given) ?? null;
  }

  exceed(limit: keyof EvaluationLimits, message: string): never {
    const maximum = this.limits[limit];
    throw new LimitError(`${message} (limit ${maximum})`, { limit, maximum });
  }

  fail(message: string, options: { code?: string; cause?: unknown } = {}): never {
    throw new ExpressionError(message, {
      code: options.code ?? this.dialect.codes.failed,
      cause: options.cause,
      offset: this.node?.start,
      endOffset: this.node?.end,
    });
  }
}
