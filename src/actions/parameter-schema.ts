import { isMap, describeValue } from "../engine/plain-data.js";
import { ActionError } from "../diagnostics/errors.js";
import type { ActionParameters } from "./action.js";
import { compileJsonSchema } from "./json-schema.js";

/** A schema with a synchronous `parse`, such as every zod schema. */
export interface ParsingSchema {
  parse(value: unknown): unknown;
}

/** The part of the Standard Schema interface used here. */
export interface StandardSchema {
  readonly "~standard": { validate(value: unknown): unknown };
}

/** A schema of zod or of any Standard Schema library, or a JSON Schema of an object. */
export type ParameterSchema = ParsingSchema | StandardSchema | Readonly<Record<string, unknown>>;

/** Facts about an action's parameters from its schema. */
export interface ParameterRules {
  /** False if the schema also accepts parameters with other names. */
  readonly isClosed: boolean;
  /** In declaration order; undefined if the schema does not list them. */
  readonly names: readonly string[] | undefined;
  readonly validate: (params: ActionParameters) => ActionParameters;
}

/**
 * Reads a parameter schema once, when the action is defined.
 *
 * @example
 * ```ts
 * readParameterSchema(z.object({ city: z.string() }), "weather").names; // ["city"]
 * ```
 */
export function readParameterSchema(schema: ParameterSchema, action: string): ParameterRules {
  const read = hasParse(schema)
    ? (params: ActionParameters) => schema.parse(params)
    : isStandardSchema(schema)
      ? (params: ActionParameters) => runStandardSchema(schema, params, action)
      : jsonSchemaReader(schema, action);
  const validate = (params: ActionParameters): ActionParameters => {
    const value = read(params);
    if (isMap(value)) return value;
    const message = `expected the parameter schema of \`${action}\` to yield an object, got ${describeValue(value)}`;
    throw new ActionError(message, { action });
  };
  return { names: parameterNamesOf(schema), isClosed: isClosedSchema(schema), validate };
}

function jsonSchemaReader(schema: unknown, action: string): (params: ActionParameters) => unknown {
  const compiled = compileJsonSchema(schema, { fillsDefaults: true });
  if (!compiled.ok) {
    const [first] = compiled.problems;
    const place = first === undefined || first.path.length === 0 ? "" : ` at \`${first.path.join(".")}\``;
    const hint = first?.hint === undefined ? "" : `; ${first.hint}`;
    throw new ActionError(`parameter schema of \`${action}\`${place}: ${first?.message ?? ""}${hint}`, { action });
  }
  return (params) => {
    const result = compiled.check(params);
    if (result.matches) return result.value;
    const message = `expected parameters that match the schema of \`${action}\`, got others at \`${result.at}\``;
    throw new ActionError(message, { action });
  };
}

/** Names of the parameters from zod's `shape` or JSON schema's `properties`. */
export function parameterNamesOf(schema: unknown): readonly string[] | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const { shape, properties } = schema as { shape?: unknown; properties?: unknown };
  const fields = isMap(shape) ? shape : isMap(properties) ? properties : undefined;
  return fields && Object.keys(fields);
}

/** Returns true if a schema allows no other keys: by zod's catch-all, or by `additionalProperties` of a JSON Schema. */
export function isClosedSchema(schema: unknown): boolean {
  if (parameterNamesOf(schema) === undefined) return false;
  const { shape, additionalProperties, _def: definition } = schema as Readonly<Record<string, unknown>>;
  if (!isMap(shape)) return additionalProperties === undefined || additionalProperties === false;
  const { catchall, unknownKeys } = isMap(definition) ? definition : {};
  const other = isMap(catchall) && isMap(catchall["_def"]) ? catchall["_def"] : {};
  const isNever = other["type"] === "never" || other["typeName"] === "ZodNever";
  return (catchall === undefined || isNever) && unknownKeys !== "passthrough";
}

export function hasParse(value: unknown): value is ParsingSchema {
  return typeof (value as { parse?: unknown } | null | undefined)?.parse === "function";
}

/** Schemas of some libraries are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const standard = (value as { "~standard"?: { validate?: unknown } } | null | undefined)?.["~standard"];
  return typeof standard?.validate === "function";
}

function runStandardSchema(schema: StandardSchema, params: ActionParameters, action: string): unknown {
  const outcome = schema["~standard"].validate(params);
  if (!isMap(outcome) || typeof outcome["then"] === "function") {
    throw new ActionError(`expected a synchronous parameter schema for \`${action}\``, { action });
  }
  const issues = outcome["issues"];
  if (!Array.isArray(issues)) return outcome["value"];
  const texts = issues.map((issue: unknown) => (isMap(issue) ? String(issue["message"]) : "invalid"));
  throw new ActionError(`invalid parameters of \`${action}\`: ${texts.join("; ")}`, { action });
}
