import { z } from "zod/v4";
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
  return (params) => parser.parse(params);
}

interface Place {
  readonly action: string;
  readonly depth: number;
  readonly compilePattern: JsonSchemaOptions["compilePattern"];
}

function convert(schema: unknown, place: Place): z.ZodType {
  if (schema === true) return z.unknown();
  if (typeof schema !== "object" || schema === null || Array.isArray(schema) || place.depth > MAX_DEPTH) {
    throw problem("is not a JSON schema", place);
  }
  const rules = schema as JsonSchema;
  const unread = Object.keys(rules).find((key) => !isRead(key, place) && !ANNOTATIONS.has(key));
  if (unread !== undefined) throw problem(`uses the keyword \`${unread}\`, which is not supported`, place);
  const checked = convertConstraints(rules, place);
  return Object.hasOwn(rules, "default") ? checked.default(rules["default"]) : checked;
}

function convertConstraints(rules: JsonSchema, place: Place): z.ZodType {
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
    case "string":
      return patterned(bounded(z.string(), rules["minLength"], rules["maxLength"]), rules["pattern"], place);
    case "number":
      return bounded(z.number(), rules["minimum"], rules["maximum"]);
    case "integer":
      return bounded(z.int(), rules["minimum"], rules["maximum"]);
    case "boolean":
      return z.boolean();
    case "null":
      return z.null();
    case "array":
      return bounded(z.array(convert(rules["items"] ?? true, deeper(place))), rules["minItems"], rules["maxItems"]);
    case "object":
      return convertObject(rules, place);
    case undefined:
      return z.unknown();
    default:
      throw problem(`has the unknown type \`${String(type)}\``, place);
  }
}

function isRead(keyword: string, { compilePattern }: Place): boolean {
  return KEYWORDS.has(keyword) || (keyword === "pattern" && compilePattern !== undefined);
}

function patterned(type: z.ZodString, pattern: unknown, place: Place): z.ZodType {
  if (pattern === undefined) return type;
  if (typeof pattern !== "string") throw problem("has a `pattern` that is no text", place);
  const matches = place.compilePattern?.(pattern);
  return matches === undefined ? type : type.refine(matches, { error: "the text does not match the pattern" });
}

function convertObject(rules: JsonSchema, place: Place): z.ZodType {
  const required = new Set(Array.isArray(rules["required"]) ? (rules["required"] as unknown[]) : []);
  const shape: Record<string, z.ZodType> = {};
  for (const [name, rule] of Object.entries((rules["properties"] ?? {}) as JsonSchema)) {
    if (name === "__proto__") throw problem("has a property called `__proto__`", place);
    const field = convert(rule, deeper(place));
    const hasDefault = typeof rule === "object" && rule !== null && Object.hasOwn(rule, "default");
    shape[name] = required.has(name) || hasDefault ? field : field.optional();
  }
  const extra = rules["additionalProperties"];
  if (extra === false) return z.strictObject(shape);
  return z.object(shape).catchall(extra === undefined ? z.unknown() : convert(extra, deeper(place)));
}

function literals(values: readonly unknown[], place: Place): z.ZodType {
  const plain = values.every((value) => value === null || ["string", "number", "boolean"].includes(typeof value));
  if (!plain || values.length === 0) throw problem("lists values that are not plain", place);
  return z.literal(values as readonly (string | number | boolean | null)[]);
}

function union(options: readonly unknown[], place: Place, without: readonly string[] = []): z.ZodType {
  const types = options.map((option) => {
    if (without.length === 0) return convert(option, deeper(place));
    const kept = Object.entries(option as JsonSchema).filter(([key]) => !without.includes(key));
    return convert(Object.fromEntries(kept), deeper(place));
  });
  const [first, ...rest] = types;
  return first ? z.union([first, ...rest]) : z.never();
}

interface Bounded<T> {
  min(value: number): T;
  max(value: number): T;
}

function bounded<T extends Bounded<T>>(type: T, minimum: unknown, maximum: unknown): T {
  const low = typeof minimum === "number" ? type.min(minimum) : type;
  return typeof maximum === "number" ? low.max(maximum) : low;
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

function problem(text: string, place: Place): ActionError {
  return new ActionError(`the parameter schema of \`${place.action}\` ${text}`, { action: place.action });
}
