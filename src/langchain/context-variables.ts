const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const RESERVED = new Set(["config", "event", "constructor", "prototype"]);
const MAX_DEPTH = 16;

/** The entries of an object that can be context variables: plain data under a usable name. The rest is left out. */
export function contextVariables(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const context: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, inner] of Object.entries(value)) {
    if (VARIABLE.test(key) && key !== "__proto__" && !RESERVED.has(key) && isPlainData(inner, 0)) context[key] = inner;
  }
  return context;
}

function isPlainData(value: unknown, depth: number): boolean {
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
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isPlainData(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  return Object.values(value as object).every((item) => isPlainData(item, depth + 1));
}
