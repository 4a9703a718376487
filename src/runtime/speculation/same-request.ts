/**
 * Whether two requests say the same. Plain data is compared by what it holds, anything else, such as a message or a
 * function, by identity.
 */
export function saysTheSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => saysTheSame(item, right[index]));
  }
  if (!isPlain(left) || !isPlain(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && saysTheSame(left[key], right[key]))
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
