import type * as z from "zod/v4";
import { badRequest, type ApiError } from "../errors.js";

/**
 * Parses a body, or a part of it.
 *
 * @param within - path of the part in the body
 * @throws ApiError with the first problem
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  within: readonly string[] = [],
): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw toApiError(parsed.error.issues[0] as z.core.$ZodIssue, body, within);
}

type Issue = z.core.$ZodIssue;

const INTEGERS: ReadonlySet<string> = new Set(["max_completion_tokens", "max_tokens", "n", "seed", "top_logprobs"]);

const NAMES: Readonly<Record<string, string>> = {
  array: "an array",
  object: "an object",
  record: "an object",
  string: "a string",
  number: "a decimal",
  int: "an integer",
  boolean: "a boolean",
  null: "null",
};

function toApiError(issue: Issue, body: unknown, within: readonly string[]): ApiError {
  const found = deepest(issue, []);
  const path = [...within, ...found.path];
  const param = path.length === 0 ? undefined : printPath(path);
  const value = found.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], body);
  if (param === undefined && found.issue.code === "invalid_type") {
    return badRequest("Invalid body: failed to parse JSON value. Please check the value to ensure it is valid JSON.");
  }
  const [message, code, of = param] = describe(found.issue, param ?? "body", value);
  return badRequest(message, of, code);
}

type Described = readonly [message: string, code: string | undefined, param?: string];

function describe(issue: Issue, param: string, value: unknown): Described {
  if (value === undefined && issue.code !== "unrecognized_keys") {
    return [`Missing required parameter: '${param}'.`, "missing_required_parameter"];
  }
  switch (issue.code) {
    case "unrecognized_keys": {
      const inside = param === "body" ? "" : `${param}.`;
      const name = `${inside}${(issue.keys[0] ?? "").slice(0, 100)}`;
      return [`Unknown parameter: '${name}'.`, "unknown_parameter", name];
    }
    case "invalid_value":
      return invalidValue(param, value, issue.values);
    case "invalid_union": {
      const { options } = issue as { readonly options?: readonly unknown[] };
      if (options !== undefined) return invalidValue(param, value, options);
      return [`Invalid type for '${param}': got ${kindOf(value)}, which is not one of its types.`, "invalid_type"];
    }
    case "too_small":
    case "too_big":
      return outOfRange(issue, param, value);
    case "invalid_type": {
      const expected = NAMES[issue.expected] ?? issue.expected;
      return [`Invalid type for '${param}': expected ${expected}, but got ${kindOf(value)} instead.`, "invalid_type"];
    }
    default:
      return [`Invalid '${param}': the value does not have the expected form.`, "invalid_value"];
  }
}

function invalidValue(param: string, value: unknown, values: readonly unknown[]): Described {
  if (typeof value !== "string") {
    return [
      `Invalid type for '${param}': expected one of ${quoted(values)}, but got ${kindOf(value)} instead.`,
      "invalid_type",
    ];
  }
  return [`Invalid value: '${value.slice(0, 100)}'. Supported values are: ${quoted(values)}.`, "invalid_value"];
}

function outOfRange(
  issue: Issue & { readonly code: "too_small" | "too_big" },
  param: string,
  value: unknown,
): Described {
  const isSmall = issue.code === "too_small";
  const bound = String("minimum" in issue ? issue.minimum : issue.maximum);
  if (Array.isArray(value)) {
    if (value.length === 0) {
      const message = `Invalid '${param}': empty array. Expected an array with minimum length ${bound}, but got an empty array instead.`;
      return [message, "empty_array"];
    }
    const message = `Invalid '${param}': array too long. Expected an array with maximum length ${bound}, but got an array with length ${value.length} instead.`;
    return [message, "array_above_max_length"];
  }
  if (typeof value === "string") {
    const message = `Invalid '${param}': string too ${isSmall ? "short" : "long"}. Expected a string with ${isSmall ? "minimum" : "maximum"} length ${bound}, but got a string with length ${value.length} instead.`;
    return [message, isSmall ? "string_below_min_length" : "string_above_max_length"];
  }
  const kind = INTEGERS.has(param) ? "integer" : "decimal";
  const message = `Invalid '${param}': ${kind} ${isSmall ? "below minimum" : "above maximum"} value. Expected a value ${isSmall ? ">=" : "<="} ${bound}, but got ${String(value)} instead.`;
  return [message, `${kind}_${isSmall ? "below_min" : "above_max"}_value`];
}

/** Returns the issue of the union member that matched furthest: clients expect the error for the format that they meant. */
function deepest(issue: Issue, before: readonly PropertyKey[]): { issue: Issue; path: readonly PropertyKey[] } {
  const path = [...before, ...issue.path];
  if (issue.code !== "invalid_union") return { issue, path };
  const inner = issue.errors.flatMap((issues) => issues.slice(0, 1)).map((innerIssue) => deepest(innerIssue, path));
  const others = inner.filter(
    ({ issue: { code }, path: { length } }) => length > path.length || code !== "invalid_type",
  );
  const furthest = others.toSorted((left, right) => right.path.length - left.path.length)[0];
  return furthest ?? { issue, path };
}

function printPath(path: readonly PropertyKey[]): string {
  const printed = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key).slice(0, 100)}`)).join("");
  return printed.replace(/^\./, "").slice(0, 300);
}

function quoted(values: readonly unknown[]): string {
  return values.map((value) => `'${String(value)}'`).join(", ");
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
