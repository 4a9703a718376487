const MAX_DEPTH = 64;
/** Comparisons of one value with another; lists that are reached on many ways would take far more. */
const MAX_COMPARED = 200_000;

/** Deep equality of JSON values, by own properties. Values that are cyclic, too deep or too large count as different. */
export function equalValues(left: unknown, right: unknown): boolean {
  const bounds = { left: MAX_COMPARED };
  return compare(left, right, MAX_DEPTH, bounds) && bounds.left > 0;
}

function compare(left: unknown, right: unknown, depth: number, bounds: { left: number }): boolean {
  if ((bounds.left -= 1) <= 0) return false;
  if (Object.is(left, right) || left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null || depth === 0) {
    return false;
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, at) => compare(item, right[at], depth - 1, bounds));
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      compare((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key], depth - 1, bounds),
  );
}
