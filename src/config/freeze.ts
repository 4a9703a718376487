/** Freezes plain data all the way down. What programs put in, such as class instances, stays as it is. */
export function deepFreeze<T>(value: T): T {
  const seen = new Set<unknown>();
  const freeze = (current: unknown): void => {
    if (typeof current !== "object" || current === null || seen.has(current)) return;
    const prototype: unknown = Object.getPrototypeOf(current);
    if (!Array.isArray(current) && prototype !== null && prototype !== Object.prototype) return;
    seen.add(current);
    for (const child of Object.values(current)) freeze(child);
    Object.freeze(current);
  };
  freeze(value);
  return value;
}
