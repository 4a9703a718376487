import type { DiagnosticCode } from "../../diagnostics/codes.js";
import { ExpressionError, LimitError } from "../../diagnostics/errors.js";
import type { Expression } from "../ast.js";
import { UNDEFINED, type Value } from "../values/value.js";

/** The rules of a dialect that operators, functions and methods follow. */
export interface ValueSemantics {
  /** `1 == True`, `True + 1`. */
  readonly booleansAreNumbers?: boolean;
  /** Missing variables, keys and items are `UNDEFINED`, and `in` is false where it would fail. */
  readonly lenient?: boolean;
  readonly codes: { readonly failed: DiagnosticCode };
}

/** Source of variables. A missing variable is `None`. */
export interface Scope {
  lookup(name: string): Value | undefined;
  /** Answers questions of functions: fresh identifiers, random numbers, the state of an engine. */
  ask?(question: string, given: readonly Value[]): Value;
}

export interface EvaluationBounds {
  readonly limits?: EvaluationLimits | undefined;
  /** Counts the steps of this evaluation in addition to its own limit. */
  readonly budget?: WorkBudget | undefined;
}

/** One evaluation in progress: the rules, limits and errors of operators, functions and methods. */
export class Runtime<Dialect extends ValueSemantics = ValueSemantics> {
  readonly limits: EvaluationLimits;
  /** The budget shared with other evaluations; very expensive single operations are counted there alone. */
  readonly budget: WorkBudget | undefined;
  /** The part being computed, for the place of an error. */
  node: Expression | undefined;
  /** Nesting of the part being computed. */
  nesting = 0;
  #work = 0;
  readonly #maximum: number;

  constructor(
    readonly dialect: Dialect,
    readonly scope: Scope,
    { limits, budget }: EvaluationBounds = {},
  ) {
    this.limits = limits ?? DEFAULT_EVALUATION_LIMITS;
    this.budget = budget;
    this.#maximum = this.limits.steps * WORK.step;
  }

  /** Number of steps so far. */
  get steps(): number {
    return this.#work / WORK.step;
  }

  get textLength(): number {
    return this.limits.textLength;
  }

  get depth(): number {
    return this.limits.depth;
  }

  /** The value of a variable or property that holds nothing. */
  get absent(): Value {
    return this.dialect.lenient ? UNDEFINED : null;
  }

  /** Enters a part of the expression; its end decrements `nesting`. */
  enter(): void {
    if ((this.#work += WORK.step) > this.#maximum) this.exceed("steps", TOO_MANY_STEPS);
    if ((this.nesting += 1) > this.limits.depth) this.exceed("depth", "the expression is too deeply nested");
  }

  /** Counts work on a value of this many items. */
  chargeItems(count: number): void {
    this.charge(count * WORK.item);
  }

  /** Counts work on a text of this length, or on this many items that are moved. */
  chargeText(length: number): void {
    this.charge(bulkWork(length));
  }

  /** Counts this many items that go into a set or a map, or pieces taken out of a text. */
  chargeEntries(count: number): void {
    this.charge(count * WORK.entry);
  }

  /** Counts work on this many characters, visited one by one. */
  chargeCharacters(count: number): void {
    this.charge(count * WORK.character);
  }

  /** Counts work, in sixteenths of a step. */
  charge(work: number): void {
    if ((this.#work += work) > this.#maximum) this.exceed("steps", TOO_MANY_STEPS);
  }

  /** Refuses a string of this length before it is made, of which so much is new. */
  checkText(length: number, added = length): void {
    if (length > this.limits.textLength) this.exceed("textLength", "a string grows too long");
    this.chargeText(added);
  }

  /** Refuses a list, set or map of this many items before it is made. */
  checkList(length: number): void {
    this.checkSize(length);
    this.chargeItems(length);
  }

  /** Refuses a list, set or map that grows to this many items by one of them. */
  checkSize(length: number): void {
    if (length > this.limits.listLength) this.exceed("listLength", "a collection grows too large");
  }

  /** Refuses a number that a double cannot hold. */
  checkNumber(value: number): number {
    if (Number.isFinite(value)) return value;
    throw new LimitError("a number grows too large", { limit: "number", maximum: Number.MAX_VALUE });
  }

  /** Asks the host a question of a function. */
  ask(question: string, ...given: readonly Value[]): Value {
    return this.scope.ask?.(question, given) ?? null;
  }

  exceed(limit: keyof EvaluationLimits, message: string): never {
    throw evaluationLimitError(this.limits, limit, message);
  }

  /** Fails for a key or an item that does not exist, unless the dialect is lenient. */
  missing(message: string): Value {
    return this.dialect.lenient ? UNDEFINED : this.fail(message);
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

const TOO_MANY_STEPS = "evaluation takes too many steps";

/** Bounds on one evaluation. Exceeding one is a `LimitError` that names it. */
export interface EvaluationLimits {
  /** Parts of expressions evaluated; work on long values counts in proportion (see `WORK`). */
  readonly steps: number;
  /** Nesting, of the expression and of the values it compares or prints. */
  readonly depth: number;
  /** UTF-16 units in a string. */
  readonly textLength: number;
  /** Items of a list or a set, entries of a map. */
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

/** The hint of the error of each limit. */
const HINTS: Readonly<Record<keyof EvaluationLimits, string>> = {
  steps: "compute it in several statements, or in an action",
  depth: "flatten the value; it may contain itself",
  textLength: "shorten the text before it is used, or build it in an action",
  listLength: "keep only the last items, or keep the collection in an action",
  exponent: "compute it in an action",
};

/** Creates the error of an exceeded limit, with its maximum and a hint. */
export function evaluationLimitError(
  limits: Partial<EvaluationLimits>,
  limit: keyof EvaluationLimits,
  message: string,
): LimitError {
  const maximum = limits[limit] ?? DEFAULT_EVALUATION_LIMITS[limit];
  return new LimitError(`${message} (limit ${maximum}): ${HINTS[limit]}`, { limit, maximum });
}

/**
 * Costs in sixteenths of a step, based on measured times, so that a step takes about equally long for all work
 * (`bench/worst-event.mjs`).
 */
export const WORK = {
  /** One part of an expression. */
  step: 16,
  /** One comparison of two values. */
  comparison: 4,
  /** One item that is copied or visited. */
  item: 2,
  /** One character visited individually. */
  character: 2,
  /** One value that is written as text. */
  written: 36,
  /** One item that goes into a set or a map, or one piece that is taken out of a text. */
  entry: 12,
  /** One key of a map that is read or written. */
  key: 30,
  /** One character that is replaced, or one conversion of a format. */
  replacement: 24,
} as const;

/** Characters or items that a native function copies, moves or searches for a sixteenth of a step. */
const BULK = 8;

export function bulkWork(length: number): number {
  return Math.ceil(length / BULK);
}

/** A budget of steps that several evaluations share: all that one event causes. */
export interface WorkBudget {
  /** Counts this many steps. */
  add(steps: number): void;
  /** Counts this many steps. @throws LimitError if more than allowed are spent */
  spend(steps: number): void;
}
