import { isList, isMap, isObject, isSet, readOwn, toValue, type Value } from "../../expressions/value.js";

const MAX_DEPTH = 100;

/** `==` of the language (spec 3.1), without the costs of an evaluation. */
export function equalValues(left: Value, right: Value, depth = 0): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (depth > MAX_DEPTH) return false;
  if (isObject(left)) return left.equals(right);
  if (isList(left)) {
    return (
      isList(right) &&
      left.length === right.length &&
      left.every((item, at) => equalValues(toValue(item), toValue(right[at]), depth + 1))
    );
  }
  if (isSet(left)) {
    if (!isSet(right) || left.size !== right.size) return false;
    const others = [...right];
    return [...left].every((item) => right.has(item) || others.some((other) => equalValues(item, other, depth + 1)));
  }
  if (!isMap(right) || !isMap(left)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => {
    const other = readOwn(right, key);
    return other !== undefined && equalValues(readOwn(left, key) ?? null, other, depth + 1);
  });
}
