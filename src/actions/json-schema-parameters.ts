// The core of zod comes with LangChain; the classic surface over it would be one more thing to load for whoever imports us.
import * as z from "zod/v4/core";
import { ActionError } from "../diagnostics/errors.js";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords that say nothing about which values are valid. */
const ANNOTATIONS = new Set(["$schema", "$id", "title", "description", "examples", "format", "deprecated"]);

/** Keywords that are read, by the type they belong to. */
const KEYWORDS = new Set([
  "type",
  "enum",
  "const",
  "default",
  "anyOf",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
]);

const INTEGER = { type: "number", check: "number_format", abort: false, format: "safeint" } as const;

const MAX_DEPTH = 32;

export interface JsonSchemaOptions {
  /** Makes the keyword `pattern` work; without it that keyword cannot be honoured. */
  readonly compilePattern?: (source: string) => (text: string) => boolean;
  /** The schema may be of any value and not only of an object. */
  readonly anyValue?: boolean;
}

/**
 * Makes a parser from the JSON schema of an action's parameters. A keyword that cannot be honoured is an error when the
 * action is defined, so that no rule is silently left unchecked.
 */
export function parserOfJsonSchema(
  schema: JsonSchema,
  action: string,
  options: JsonSchemaOptions = {},
): (params: unknown) => unknown {
  const place: Place = { action, depth: 0, compilePattern: options.compilePattern };
  const parser = convert(options.anyValue ? schema : { type: "object", ...schema }, place);
  return (params) => z.parse(parser, params);
}

interface Place {
  readonly action: string;
  readonly depth: number;
  readonly compilePattern: JsonSchemaOptions["compilePattern"];
}

function convert(schema: unknown, place: Place): z.$ZodType {
  if (schema === true) return new z.$ZodUnknown({ type: "unknown" });
  if (typeof schema !== "object" || schema === null || Array.isArray(schema) || place.depth > MAX_DEPTH) {
    throw problem("is not a JSON schema", place);
  }
  const rules = schema as JsonSchema;
  const unread = Object.keys(rules).find((key) => !isRead(key, place) && !ANNOTATIONS.has(key));
  if (unread !== undefined) throw problem(`uses the keyword \`${unread}\`, which is not supported`, place);
  const checked = convertConstraints(rules, place);
  if (!Object.hasOwn(rules, "default")) return checked;
  return new z.$ZodDefault({ type: "default", innerType: checked, defaultValue: rules["default"] as object });
}

function convertConstraints(rules: JsonSchema, place: Place): z.$ZodType {
  if (Object.hasOwn(rules, "const")) return literals([rules["const"]], place);
  if (Array.isArray(rules["enum"])) return literals(rules["enum"], place);
  if (Array.isArray(rules["anyOf"])) return union(rules["anyOf"], place);
  const type = rules["type"];
  if (Array.isArray(type))
    return union(
      type.map((each: unknown) => ({ ...rules, type: each })),
      place,
      ["default"],
    );
  switch (type) {
    case "string": {
      const checks: z.$ZodCheck<string>[] = [
        ...lengths(rules["minLength"], rules["maxLength"]),
        ...patterns(rules["pattern"], place),
      ];
      return new z.$ZodString({ type: "string", checks });
    }
    case "number":
      return new z.$ZodNumber({ type: "number", checks: bounds(rules) });
    case "integer":
      return new z.$ZodNumberFormat({ ...INTEGER, checks: bounds(rules) });
    case "boolean":
      return new z.$ZodBoolean({ type: "boolean" });
    case "null":
      return new z.$ZodNull({ type: "null" });
    case "array": {
      const element = convert(rules["items"] ?? true, deeper(place));
      return new z.$ZodArray({ type: "array", element, checks: lengths(rules["minItems"], rules["maxItems"]) });
    }
    case "object":
      return convertObject(rules, place);
    case undefined:
      return new z.$ZodUnknown({ type: "unknown" });
    default:
      throw problem(`has the unknown type \`${String(type)}\``, place);
  }
}

function isRead(keyword: string, { compilePattern }: Place): boolean {
  return KEYWORDS.has(keyword) || (keyword === "pattern" && compilePattern !== undefined);
}

function patterns(pattern: unknown, place: Place): z.$ZodCheck<string>[] {
  if (pattern === undefined) return [];
  if (typeof pattern !== "string") throw problem("has a `pattern` that is no text", place);
  const matches = place.compilePattern?.(pattern);
  if (matches === undefined) return [];
  return [z._refine<string>(z.$ZodCustom, matches, { error: "the text does not match the pattern" })];
}

function convertObject(rules: JsonSchema, place: Place): z.$ZodType {
  const required = new Set(Array.isArray(rules["required"]) ? (rules["required"] as unknown[]) : []);
  const shape: Record<string, z.$ZodType> = {};
  for (const [name, rule] of Object.entries((rules["properties"] ?? {}) as JsonSchema)) {
    if (name === "__proto__") throw problem("has a property called `__proto__`", place);
    const field = convert(rule, deeper(place));
    const hasDefault = typeof rule === "object" && rule !== null && Object.hasOwn(rule, "default");
    const isOptional = !required.has(name) && !hasDefault;
    shape[name] = isOptional ? new z.$ZodOptional({ type: "optional", innerType: field }) : field;
  }
  const extra = rules["additionalProperties"];
  const catchall =
    extra === false ? new z.$ZodNever({ type: "never" }) : convert(extra === undefined ? true : extra, deeper(place));
  return new z.$ZodObject({ type: "object", shape, catchall });
}

function literals(values: readonly unknown[], place: Place): z.$ZodType {
  const plain = values.every((value) => value === null || ["string", "number", "boolean"].includes(typeof value));
  if (!plain || values.length === 0) throw problem("lists values that are not plain", place);
  return new z.$ZodLiteral({ type: "literal", values: values as (string | number | boolean | null)[] });
}

function union(options: readonly unknown[], place: Place, without: readonly string[] = []): z.$ZodType {
  const types = options.map((option) => {
    if (without.length === 0) return convert(option, deeper(place));
    const kept = Object.entries(option as JsonSchema).filter(([key]) => !without.includes(key));
    return convert(Object.fromEntries(kept), deeper(place));
  });
  return types.length > 0 ? new z.$ZodUnion({ type: "union", options: types }) : new z.$ZodNever({ type: "never" });
}

function lengths(least: unknown, most: unknown): z.$ZodCheck<z.util.HasLength>[] {
  return [
    ...(typeof least === "number" ? [z._minLength(least)] : []),
    ...(typeof most === "number" ? [z._maxLength(most)] : []),
  ];
}

function bounds({ minimum, maximum }: JsonSchema): z.$ZodCheck<never>[] {
  return [
    ...(typeof minimum === "number" ? [z._gte(minimum)] : []),
    ...(typeof maximum === "number" ? [z._lte(maximum)] : []),
  ];
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

function problem(text: string, place: Place): ActionError {
  return new ActionError(`the parameter schema of \`${place.action}\` ${text}`, { action: place.action });
}
