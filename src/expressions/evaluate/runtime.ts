import type { DiagnosticCode } from "../../diagnostics/codes.js";
import { ExpressionError, LimitError } from "../../diagnostics/errors.js";
import type { Expression } from "../ast.js";
import {
  bulkWork,
  DEFAULT_EVALUATION_LIMITS,
  evaluationLimitError,
  WORK,
  type EvaluationLimits,
  type WorkBudget,
} from "./limits.js";
import { UNDEFINED, type Value } from "../values/value.js";

/** The rules of a dialect that operators, functions and methods follow. */
export interface ValueSemantics {
  /** `1 == True`, `True + 1`. */
  readonly booleansAreNumbers: boolean;
  /** Variables, keys and items that do not exist are `UNDEFINED`, and `in` is false where it would fail. */
  readonly lenient: boolean;
  readonly codes: { readonly failed: DiagnosticCode };
}

/** The source of variables. An undefined variable is `None`. */
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
  readonly dialect: Dialect;
  readonly scope: Scope;
  readonly limits: EvaluationLimits;
  /** The budget shared with other evaluations; very expensive single operations are counted there alone. */
  readonly budget: WorkBudget | undefined;
  /** The part being computed, for the place of an error. */
  node: Expression | undefined;
  #work = 0;
  readonly #maximum: number;
  #depth = 0;

  constructor(dialect: Dialect, scope: Scope, { limits, budget }: EvaluationBounds = {}) {
    this.dialect = dialect;
    this.scope = scope;
    this.limits = limits ?? DEFAULT_EVALUATION_LIMITS;
    this.budget = budget;
    this.#maximum = this.limits.steps * WORK.step;
  }

  /** Steps taken so far. */
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

  enter(): void {
    this.charge(WORK.step);
    if ((this.#depth += 1) > this.limits.depth) this.exceed("depth", "the expression is too deeply nested");
  }

  leave(): void {
    this.#depth -= 1;
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

  /** Counts work on this many characters, each looked at by itself. */
  chargeCharacters(count: number): void {
    this.charge(count * WORK.character);
  }

  /** Counts work, in sixteenths of a step. */
  charge(work: number): void {
    if ((this.#work += work) > this.#maximum) this.exceed("steps", "evaluation takes too many steps");
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
