const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const RESERVED = new Set(["config", "event", "constructor", "prototype"]);
const MAX_DEPTH = 16;
const MAX_VALUES = 100_000;

/** The entries of an object that can be context variables: plain data under a usable name. The rest is left out. */
export function contextVariables(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const context: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const budget = { left: MAX_VALUES };
  for (const [key, inner] of Object.entries(value)) {
    if (VARIABLE.test(key) && key !== "__proto__" && !RESERVED.has(key) && isPlainData(inner, 0, budget))
      context[key] = inner;
  }
  return context;
}

function isPlainData(value: unknown, depth: number, budget: { left: number }): boolean {
  if (value === null) return true;
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      break;
    default:
      return false;
  }
  // Cycles end at the depth, and objects that hold one another many times at the budget.
  budget.left -= 1;
  if (depth > MAX_DEPTH || budget.left < 0) return false;
  if (Array.isArray(value)) return value.every((item) => isPlainData(item, depth + 1, budget));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  return Object.values(value as object).every((item) => isPlainData(item, depth + 1, budget));
}
