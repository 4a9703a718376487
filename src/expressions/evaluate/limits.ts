import { LimitError } from "../../diagnostics/errors.js";

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
export function evaluationLimitError(limits: Limits, limit: keyof EvaluationLimits, message: string): LimitError {
  const maximum = limits[limit] ?? DEFAULT_EVALUATION_LIMITS[limit];
  return new LimitError(`${message} (limit ${maximum}): ${HINTS[limit]}`, { limit, maximum });
}

type Limits = Partial<EvaluationLimits>;

/**
 * Costs in sixteenths of a step. They follow measured times, so that one step takes about as long whatever it is spent on
 * (`bench/cases/worst-event.mjs`).
 */
export const WORK = {
  /** One part of an expression. */
  step: 16,
  /** One comparison of two values. */
  comparison: 4,
  /** One item that is copied or visited. */
  item: 2,
  /** One character that is looked at by itself. */
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
  /** Counts this many steps. @throws LimitError when more are spent than allowed */
  spend(steps: number): void;
}
