import { ObjectValue, type Value } from "./value.js";
import { numberText } from "./number-text.js";

export const COMPARISONS = {
  less_than: (actual: number, bound: number) => actual < bound,
  equal_less_than: (actual: number, bound: number) => actual <= bound,
  greater_than: (actual: number, bound: number) => actual > bound,
  equal_greater_than: (actual: number, bound: number) => actual >= bound,
  not_equal_to: (actual: number, bound: number) => actual !== bound,
} as const;

export type ComparisonName = keyof typeof COMPARISONS;

/** The result of `less_than(5)` and its relatives: a condition on a number of an event. */
export class ComparisonValue extends ObjectValue {
  readonly typeName = "ComparisonExpression";
  readonly comparison: ComparisonName;
  readonly bound: number;

  constructor(comparison: ComparisonName, bound: number) {
    super();
    this.comparison = comparison;
    this.bound = bound;
  }

  /** Returns true if a number fulfils the condition. */
  holds(actual: number): boolean {
    return COMPARISONS[this.comparison](actual, this.bound);
  }

  member(name: string): Value | undefined {
    return name === "value" ? this.bound : undefined;
  }

  equals(other: Value): boolean {
    return other instanceof ComparisonValue && other.comparison === this.comparison && other.bound === this.bound;
  }

  toText(): string {
    return `${this.comparison}(${numberText(this.bound)})`;
  }
}
