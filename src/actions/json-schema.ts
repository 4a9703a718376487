import { dereference, format, type Schema, validate, Validator } from "@cfworker/json-schema";
import { LRUCache } from "lru-cache";
import type { RE2JS } from "re2js";
import { didYouMean } from "../diagnostics/suggestion.js";
import { describeValue, type PlainData, toPlainData, isMap } from "../engine/plain-data.js";

/** An unsupported or invalid part of a schema. */
interface SchemaProblem {
  /** Path inside the schema. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string | undefined;
}

type SchemaResult =
  | { readonly matches: true; readonly value: PlainData }
  /** `at` is a JSON pointer into the schema and never contains part of the value. */
  | { readonly matches: false; readonly at: string };

export interface JsonSchemaOptions {
  /** Compiles a pattern for linear-time matching; without it, the keyword `pattern` is rejected. */
  readonly compilePattern?: (source: string) => Matches;
  /** Allow schemas for any value. Default: objects only. */
  readonly anyValue?: boolean;
  /** Fill missing properties with the `default` of their schema before validation. Default: false. */
  readonly fillsDefaults?: boolean;
}

type Compiled =
  | { readonly ok: true; readonly check: (value: unknown) => SchemaResult }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] };

/**
 * Compiles a JSON Schema (draft 2019-09). An unsupported keyword is a problem here, so no rule is silently ignored;
 * `format` is an annotation.
 */
export function compileJsonSchema(schema: unknown, options: JsonSchemaOptions = {}): Compiled {
  const reader = new SchemaReader(options.compilePattern);
  const read = reader.read(isMap(schema) && !options.anyValue ? { type: "object", ...schema } : schema, []);
  const lookup = reader.problems.length === 0 ? reader.resolve(read) : {};
  if (reader.problems.length > 0) return { ok: false, problems: reader.problems };
  const check = (value: unknown): SchemaResult => {
    const plain = toPlainData(value);
    // INVARIANT: a value that cannot be validated does not match.
    if (!plain.ok) return { matches: false, at: "" };
    try {
      const completed = options.fillsDefaults ? withDefaults(read, plain.value) : plain.value;
      const { valid, errors } = withPatterns(reader.patterns, () => validate(completed, read, DRAFT, lookup));
      if (valid) return { matches: true, value: completed };
      const failed = errors.find(({ keyword }) => !CONTAINERS.has(keyword));
      const at = failed?.keywordLocation.slice(1) ?? "";
      return { matches: false, at: failed?.keyword === "format" ? at.replace(/format$/, "pattern") : at };
    } catch {
      // An endlessly self-referencing schema overflows the stack.
      return { matches: false, at: "" };
    }
  };
  return { ok: true, check };
}

const DRAFT = "2019-09";

type Matches = (text: string) => boolean;

/**
 * Runs a validation that refers to patterns as formats, since the validator would run `pattern` with a backtracking
 * engine. Its table of formats is global, so they are registered only during the validation.
 */
function withPatterns<Result>(patterns: ReadonlyMap<string, Matches>, validation: () => Result): Result {
  for (const [name, matches] of patterns) format[name] = matches;
  try {
    return validation();
  } finally {
    for (const name of patterns.keys()) delete format[name];
  }
}

/** Name of the format for a pattern. */
const formatOf = (pattern: string): string => `langchain-guardrails:${pattern}`;

/** Keywords that fail because of a nested schema, whose failure is reported next. */
const CONTAINERS: ReadonlySet<string> = new Set(["properties", "items", "prefixItems", "$ref", "allOf"]);

/** INVARIANT: `value` is a copy, so that it may be completed in place. */
function withDefaults(schema: unknown, value: PlainData): PlainData {
  if (!isMap(schema)) return value;
  const { properties, items } = schema;
  if (Array.isArray(value)) return value.map((item: PlainData) => withDefaults(items, item));
  if (!isMap(value) || !isMap(properties)) return value;
  const fields = value as Record<string, PlainData>;
  for (const [name, property] of Object.entries(properties)) {
    const fallback = isMap(property) && Object.hasOwn(property, "default") ? property["default"] : undefined;
    const current = Object.hasOwn(fields, name) ? fields[name] : (structuredClone(fallback) as PlainData | undefined);
    if (current !== undefined) fields[name] = withDefaults(property, current);
  }
  return fields;
}

type Kind = keyof typeof KINDS;

const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

const isText = (value: unknown): value is string => typeof value === "string";
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isFilledList = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/** Valid values of a keyword: their description in messages, and the test. */
const KINDS = {
  annotation: ["anything", () => true],
  type: ["the name of a JSON type or an array of them", (value) => [value].flat().every((type) => TYPES.has(type))],
  number: ["a number", Number.isFinite],
  positive: ["a number above 0", (value) => Number.isFinite(value) && Number(value) > 0],
  count: ["a whole number of 0 or more", (value) => Number.isInteger(value) && Number(value) >= 0],
  text: ["a string", isText],
  pattern: ["a string", isText],
  names: ["an array of strings", isNames],
  namesByName: ["arrays of strings by name", (value) => isMap(value) && Object.values(value).every(isNames)],
  values: ["a non-empty array", isFilledList],
  schema: ["a schema", (value) => typeof value === "boolean" || isMap(value)],
  schemas: ["a non-empty array of schemas", isFilledList],
  schemaOrSchemas: ["a schema or an array of them", (value) => typeof value === "boolean" || typeof value === "object"],
  schemasByName: ["schemas by name", isMap],
} satisfies Record<string, readonly [expected: string, test: (value: unknown) => boolean]>;

/**
 * Supported keywords. Excluded are those that a value could make expensive: `uniqueItems`, and with a backtracking
 * engine `patternProperties`.
 */
const KEYWORDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries({
    annotation: "$comment $schema title description examples format deprecated readOnly writeOnly default const",
    type: "type",
    number: "minimum maximum exclusiveMinimum exclusiveMaximum",
    positive: "multipleOf",
    count: "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
    text: "$id $anchor $ref",
    pattern: "pattern",
    names: "required",
    namesByName: "dependentRequired",
    values: "enum",
    schema:
      "not if then else contains propertyNames additionalProperties additionalItems unevaluatedProperties unevaluatedItems",
    schemas: "anyOf allOf oneOf prefixItems",
    schemaOrSchemas: "items",
    schemasByName: "properties $defs definitions dependentSchemas",
  } satisfies Record<Kind, string>).flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind as Kind])),
);

const MAX_PATH = 64;

type Path = readonly (string | number)[];

/** Copies a schema, checks every keyword and replaces what the validator would not do in linear time. */
class SchemaReader {
  readonly problems: SchemaProblem[] = [];
  /** Patterns, by the names of their formats. */
  readonly patterns = new Map<string, Matches>();
  readonly #references: { readonly path: Path; readonly schema: Schema }[] = [];
  readonly #compilePattern: JsonSchemaOptions["compilePattern"];

  constructor(compilePattern: JsonSchemaOptions["compilePattern"]) {
    this.#compilePattern = compilePattern;
  }

  read(schema: unknown, path: Path): Schema | boolean {
    if (typeof schema === "boolean") return schema;
    if (!isMap(schema)) return this.#refuse(path, `expected a JSON Schema, got ${describeValue(schema)}`);
    if (path.length > MAX_PATH) return this.#refuse(path, `the schema is nested deeper than ${MAX_PATH} keys`);
    const copy: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) this.#keyword(keyword, value, [...path, keyword], copy);
    if (Object.hasOwn(copy, "$ref")) this.#references.push({ path: [...path, "$ref"], schema: copy });
    return copy;
  }

  /** Resolves references within the schema; the validator writes absolute addresses into the copy. */
  resolve(schema: Schema | boolean): Readonly<Record<string, Schema | boolean>> {
    let lookup: Record<string, Schema | boolean> = {};
    try {
      lookup = dereference(schema as Schema);
    } catch (error) {
      this.#refuse([], `the addresses in the schema cannot be read: ${(error as Error).message}`);
    }
    for (const { path, schema: part } of this.#references) {
      const address = part.__absolute_ref__ ?? part.$ref ?? "";
      if (!Object.hasOwn(lookup, address)) this.#refuse(path, `the schema has no part \`${part.$ref ?? ""}\``);
    }
    return lookup;
  }

  #keyword(keyword: string, value: unknown, path: Path, copy: Record<string, unknown>): void {
    const kind = KEYWORDS.get(keyword);
    if (kind === undefined || (kind === "pattern" && this.#compilePattern === undefined)) {
      const hint = kind === undefined ? didYouMean(keyword, KEYWORDS.keys()) : undefined;
      this.#refuse(path, `the keyword \`${keyword}\` is not supported`, hint ?? "check it with zod or in code instead");
      return;
    }
    const [expected, test] = KINDS[kind];
    if (!test(value)) {
      this.#refuse(path, `expected \`${keyword}\` to be ${expected}, got ${describeValue(value)}`);
    } else if (kind === "pattern") {
      copy["format"] = this.#patternFormat(String(value), path);
    } else if (keyword !== "format") {
      copy[keyword] = this.#inside(kind, value, path);
    }
  }

  #inside(kind: Kind, value: unknown, path: Path): unknown {
    if (Array.isArray(value) && (kind === "schemas" || kind === "schemaOrSchemas")) {
      return value.map((item: unknown, index) => this.read(item, [...path, index]));
    }
    if (kind === "schema" || kind === "schemaOrSchemas") return this.read(value, path);
    if (kind !== "schemasByName") return value;
    const entries = Object.entries(value as Record<string, unknown>).filter(
      ([name]) => name !== "__proto__" || this.#refuse([...path, name], "the name `__proto__` is not allowed"),
    );
    return Object.fromEntries(entries.map(([name, schema]) => [name, this.read(schema, [...path, name])]));
  }

  /** INVARIANT: a schema refers to a pattern as a format, which runs in linear time. */
  #patternFormat(source: string, path: Path): string {
    const name = formatOf(source);
    try {
      this.patterns.set(name, this.#compilePattern?.(source) ?? (() => false));
    } catch (error) {
      this.#refuse(path, (error as Error).message);
    }
    return name;
  }

  #refuse(path: Path, message: string, hint?: string): false {
    this.problems.push({ path, message, hint });
    return false;
  }
}

const DATA_KEYWORDS: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** Keywords whose schemas are listed by names, which may equal keywords. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set(
  "properties,patternProperties,$defs,definitions,dependentSchemas,dependencies".split(","),
);

/**
 * Returns true if a value matches the schema of a tool or of a response, as LangChain's validator reads it. Models write
 * the texts, so patterns run in linear time; those that the linear engine does not support, such as lookaheads, run
 * with the default engine.
 *
 * @throws Error for an unusable schema
 */
export async function matchesJsonSchema(schema: object, value: unknown): Promise<boolean> {
  if (!JSON.stringify(schema).includes('"pattern"')) return new Validator(schema as Schema).validate(value).valid;
  const { RE2JS: engine } = await import("re2js");
  const patterns = new Map<string, Matches>();
  const linear = withLinearPatterns(schema, (source) => {
    const matches = WRITTEN_PATTERNS.get(source) ?? compileWritten(source, engine);
    if (matches === undefined) return undefined;
    WRITTEN_PATTERNS.set(source, matches);
    patterns.set(formatOf(source), matches);
    return formatOf(source);
  });
  const validator = new Validator(linear as Schema);
  return withPatterns(patterns, () => validator.validate(value).valid);
}

const WRITTEN_PATTERNS = new LRUCache<string, Matches>({ max: 500 });

function compileWritten(source: string, engine: typeof RE2JS): Matches | undefined {
  try {
    const program = engine.compile(engine.translateRegExp(source));
    return (text) => program.matcher(text).find();
  } catch {
    return undefined;
  }
}

/**
 * Returns the schema with formats instead of patterns.
 *
 * @param toFormat - returns the name of the format; undefined for a pattern to keep
 * @param areNamed - true for an object with schemas by names
 */
function withLinearPatterns(
  schema: unknown,
  toFormat: (pattern: string) => string | undefined,
  areNamed = false,
): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withLinearPatterns(item, toFormat));
  if (!isMap(schema)) return schema;
  const entries = Object.entries(schema).map(([key, part]) => {
    if (!areNamed && DATA_KEYWORDS.has(key)) return [key, part] as const;
    return [key, withLinearPatterns(part, toFormat, !areNamed && NAMED_SCHEMAS.has(key))] as const;
  });
  const copy: Record<string, unknown> = Object.fromEntries(entries);
  if (areNamed) return copy;
  const { pattern, allOf, ...others } = copy;
  const name = typeof pattern === "string" ? toFormat(pattern) : undefined;
  if (name === undefined) return copy;
  return { ...others, allOf: [...(Array.isArray(allOf) ? allOf : []), { format: name }] };
}
