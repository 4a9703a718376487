import type { WorkBudget } from "../../../expressions/evaluate/limits.js";
import { isList, isMap, isObject, isSet, readOwn, toValue, type Value } from "../../../expressions/values/value.js";
import { ENGINE_WORK } from "../limits.js";

const MAX_DEPTH = 100;
/** Comparisons of one value with another; lists that are reached on many ways would take far more. */
const MAX_COMPARED = 200_000;

/** `==` of the language, without the costs of an evaluation. Values too large to compare count as different. */
export function equalValues(left: Value, right: Value, budget: WorkBudget): boolean {
  const comparison = new Comparison();
  const isEqual = comparison.compare(left, right, 0);
  budget.add(comparison.count * ENGINE_WORK.item);
  return isEqual && !comparison.isTooLarge;
}

class Comparison {
  count = 0;

  get isTooLarge(): boolean {
    return this.count > MAX_COMPARED;
  }

  compare(left: Value, right: Value, depth: number): boolean {
    this.count += 1;
    if (left === right) return true;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
    if (depth > MAX_DEPTH || this.isTooLarge) return false;
    if (isObject(left)) return left.equals(right);
    if (isList(left)) {
      return (
        isList(right) &&
        left.length === right.length &&
        left.every((item, at) => this.compare(toValue(item), toValue(right[at]), depth + 1))
      );
    }
    if (isSet(left)) return isSet(right) && this.#compareSets(left, right, depth);
    if (!isMap(right) || !isMap(left)) return false;
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    return keys.every((key) => {
      const other = readOwn(right, key);
      return other !== undefined && this.compare(readOwn(left, key) ?? null, other, depth + 1);
    });
  }

  #compareSets(left: ReadonlySet<Value>, right: ReadonlySet<Value>, depth: number): boolean {
    if (left.size !== right.size) return false;
    const others = [...right];
    return [...left].every((item) => right.has(item) || others.some((other) => this.compare(item, other, depth + 1)));
  }
}
