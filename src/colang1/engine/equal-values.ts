/** Deep equality of JSON values, by own properties. Anything cyclic or deeper than the bound counts as different. */
export function equalValues(left: unknown, right: unknown, depth = 64): boolean {
  if (Object.is(left, right) || left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null || depth === 0) {
    return false;
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, at) => equalValues(item, right[at], depth - 1));
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      equalValues((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key], depth - 1),
  );
}
