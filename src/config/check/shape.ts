import { type Diagnostic, createDiagnostic } from "../../diagnostics/diagnostic.js";
import type { Span } from "../../diagnostics/source-file.js";
import { type RawMap, toPlain, firstLineOf, formatPath, keySpanAt, nodeAt, type RawNode } from "../yaml/raw-node.js";
import { type ParsedSettings, settingsField } from "../schema/settings-schema.js";
import type { Field } from "../schema/fields.js";
import { settingsSchema } from "../schema/zod-schema.js";
import type { z } from "zod/v4";
import { didYouMean, suggest } from "../../diagnostics/suggestion.js";
import { describeSetting } from "./setting-hint.js";

/**
 * Validates settings against the schema. INVARIANT: this is the only path from loading to zod, taken only for
 * configurations that may be invalid.
 */
export function checkShape(
  root: RawMap,
  ownRails?: readonly string[],
): {
  readonly data?: ParsedSettings;
  readonly diagnostics: readonly Diagnostic[];
} {
  const schema = settingsSchema(ownRails);
  // The schema runs once per configuration, so compiling it would cost more than it saves.
  const parsed = schema.safeParse(toPlain(root), { jitless: true });
  if (parsed.success) return { data: parsed.data, diagnostics: [] };
  const scope: Scope = { root, schema, fields: settingsField(ownRails), meant: new Set() };
  const diagnostics: Diagnostic[] = [];
  for (const issue of parsed.error.issues) {
    if (diagnostics.length >= MAX_DESCRIBED) break;
    diagnostics.push(...describe(issue, [], scope));
  }
  // A key that is missing because it was misspelt needs one diagnostic, about the misspelt key.
  return { diagnostics: diagnostics.filter(({ code, path = "" }) => code !== "CF-105" || !scope.meant.has(path)) };
}

type Issue = z.core.$ZodIssue;

type Schema = z.core.$ZodType;

type Definition = z.core.$ZodTypes["_zod"]["def"];

type Path = readonly (string | number)[];

const MAX_SHOWN = 40;

/** Keys set by the loader, which would overwrite a written value. */
const LOADER_KEYS = new Set(["config_path", "imported_paths"]);

/** Maximum number of described issues: an invalid file may have one per line. */
const MAX_DESCRIBED = 200;

interface Scope {
  readonly root: RawMap;
  readonly schema: Schema;
  readonly fields: Field<unknown>;
  /** Paths of the keys that unknown keys are likely misspellings of. */
  readonly meant: Set<string>;
}

/** Describes a schema issue in the terms of the file, at its key or value. */
function describe(issue: Issue, prefix: Path, scope: Scope): Diagnostic[] {
  const { root } = scope;
  const path = [...prefix, ...issue.path] as Path;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, MAX_DESCRIBED).map((key) => unknownKey(key, path, scope));
  }
  const node = nodeAt(root, path);
  if (issue.code === "invalid_union" && node !== undefined && node.kind !== "scalar") {
    // For a union of text and keys, the issues of the keys are more helpful.
    const ofKeys = issue.errors.find((issues) =>
      issues.every((inner) => inner.path.length > 0 || inner.code === "unrecognized_keys"),
    );
    if (ofKeys) return ofKeys.flatMap((inner) => describe(inner, path, scope));
  }
  if (node !== undefined || issue.code === "custom") return [wrongValue(issue, path, node, scope)];
  const parent = path.slice(0, -1);
  const owner = parent.length > 0 ? `\`${formatPath(parent)}\`` : "the configuration";
  const span = firstLineOf(nodeAt(root, parent)?.span);
  const message = `${owner} has no \`${String(path.at(-1))}\``;
  const hint = describeSetting(scope.fields, path);
  return [createDiagnostic("CF-105", message, { span, path: formatPath(path), hint })];
}

function unknownKey(key: string, path: Path, scope: Scope): Diagnostic {
  const where = path.length > 0 ? ` in \`${formatPath(path)}\`` : "";
  const full = [...path, key];
  return createDiagnostic("CF-103", `unknown key \`${shorten(key)}\`${where}`, {
    span: keySpanAt(scope.root, full),
    hint: hintForKey(key, path, scope),
    path: formatPath(full),
  });
}

/** Plausible but wrong keys, by path, with the correct ones. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  "rails.tool_call": "rails on tool calls belong under `tool_output`",
  "rails.tool_calls": "rails on tool calls belong under `tool_output`",
  "rails.tool_result": "rails on tool results belong under `tool_input`",
  "rails.tool_results": "rails on tool results belong under `tool_input`",
};

const STAGES: ReadonlySet<string> = new Set(["input", "output", "retrieval", "tool_output", "tool_input"]);

function hintForKey(key: string, path: Path, { root, schema, meant }: Scope): string | undefined {
  if (path.length === 0 && LOADER_KEYS.has(key)) return "the loader sets this; remove it";
  const other = `${formatPath(path)}.${key}`;
  if (Object.hasOwn(OTHER_NAMES, other)) return OTHER_NAMES[other];
  const known = keysAt(schema, path);
  if (path[1] === "config" && STAGES.has(key)) {
    const stages = known.filter((name) => STAGES.has(name)).map((stage) => `\`${stage}\``);
    if (stages.length > 0) return `the rail has flows for ${stages.join(", ")} alone; remove it`;
  }
  const near = suggest(key, known);
  if (near !== undefined) {
    meant.add(formatPath([...path, near]));
    return `did you mean \`${near}\`?`;
  }
  const places = placesOf(schema, key);
  if (places.length > 0 && places.length <= 2) {
    const named = places.map((place) => (place === key ? "the top level of the configuration" : `\`${place}\``));
    return `\`${key}\` belongs at ${named.join(" or ")}`;
  }
  const customData = "data of your own goes under `custom_data`";
  const file = path.length > 0 ? undefined : keySpanAt(root, [key])?.source.name;
  const isConfig = file === undefined || /(?:^|\/)(?:config|prompts)\.ya?ml$/.test(file);
  return isConfig ? customData : `${customData}; a file that is not a configuration goes into \`.railsignore\``;
}

const VERSION_HINT = 'write `colang_version: "2.x"` for Colang 2, and leave it out for Colang 1.0';

function wrongValue(issue: Issue, path: Path, node: RawNode | undefined, { root, fields }: Scope): Diagnostic {
  const name = path.length > 0 ? `\`${formatPath(path)}\`` : "the configuration";
  const isVersion = path.length === 1 && path[0] === "colang_version";
  const rule = `must be ${expected(issue)}, not ${found(node, issue)}`;
  const message = `${name} ${isBlank(issue, node) ? "must not be blank" : rule}`;
  return createDiagnostic(isVersion ? "CF-108" : "CF-104", message, {
    span: firstLineOf(node?.span) ?? placeAbove(root, path),
    hint: isVersion ? VERSION_HINT : (hintForValue(issue, path, node) ?? describeSetting(fields, path)),
    path: formatPath(path),
  });
}

function isBlank({ code }: Issue, node: RawNode | undefined): boolean {
  return code === "invalid_format" && node?.kind === "scalar" && String(node.value).trim() === "";
}

function isEmptyItem(path: Path, node: RawNode | undefined): boolean {
  return typeof path.at(-1) === "number" && node?.kind === "scalar" && node.value === null;
}

/** The key of a value without text, such as an empty item of a list, or the nearest key above it. */
function placeAbove(root: RawMap, path: Path): Span | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const span = keySpanAt(root, path.slice(0, length));
    if (span !== undefined) return span;
  }
  return undefined;
}

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "`true` or `false`",
  array: "a list",
  object: "keys and values",
  record: "keys and values",
};

function expected(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return KINDS[issue.expected] ?? issue.expected;
    case "invalid_value":
      return issue.values
        .map((value) => `\`${String(value)}\``)
        .join(", ")
        .replace(/, ([^,]*)$/, " or $1");
    case "too_small":
      return `${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
    case "too_big":
      return `${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}`;
    default:
      // INVARIANT: the schema defines these messages itself, see `schema/fields.ts`.
      return issue.message;
  }
}

function found(node: RawNode | undefined, issue: Issue): string {
  if (!node) return "nothing";
  if (node.kind === "list") return "a list";
  if (node.kind === "map") return "keys and values";
  const { value } = node;
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") {
    if (value.trim() === "") return "blank text";
    return `${expectsNumber(issue) && isNumeric(value) ? "the text " : ""}\`${shorten(value)}\``;
  }
  if (typeof value === "number" || typeof value === "boolean") return `\`${String(value)}\``;
  return typeof value === "function" ? "a function" : "an object of a program";
}

function expectsNumber(issue: Issue): boolean {
  return issue.code === "invalid_type" && (issue.expected === "number" || issue.expected === "int");
}

function isNumeric(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}

function hintForValue(issue: Issue, path: Path, node: RawNode | undefined): string | undefined {
  if (isEmptyItem(path, node)) return "remove the empty `-`";
  if (issue.code === "invalid_type" && issue.expected === "array") return "write it as a list, each entry after `- `";
  if (node?.kind !== "scalar") return undefined;
  const { value } = node;
  if (expectsNumber(issue) && typeof value === "string" && isNumeric(value)) return "remove the quotes";
  if (issue.code === "invalid_type" && issue.expected === "string" && value !== null) return "put it in quotes";
  if (issue.code === "invalid_type" && issue.expected === "object") return "indent its keys below it";
  if (issue.code === "invalid_value" && typeof value === "string") {
    return didYouMean(value, issue.values.map(String));
  }
  return undefined;
}

function shorten(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? "";
  return line.length > MAX_SHOWN || line.length < text.trim().length ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

/** Definitions of the schemas that apply to a value, without optional keys, transforms and the like. */
function definitionsOf(schema: Schema): Definition[] {
  const definition = (schema as z.core.$ZodTypes)._zod.def;
  switch (definition.type) {
    case "optional":
    case "nullable":
      return definitionsOf(definition.innerType);
    case "pipe":
      return definitionsOf(definition.in);
    case "lazy":
      return definitionsOf(definition.getter());
    case "union":
      return definition.options.flatMap(definitionsOf);
    default:
      return [definition];
  }
}

/** The allowed keys of a map at this path. */
function keysAt(schema: Schema, path: Path): string[] {
  let definitions = definitionsOf(schema);
  for (const key of path) {
    definitions = definitions.flatMap((definition) => {
      if (definition.type === "array") return definitionsOf(definition.element);
      if (definition.type === "record") return definitionsOf(definition.valueType);
      if (definition.type !== "object") return [];
      const child = Object.hasOwn(definition.shape, key) ? definition.shape[key] : definition.catchall;
      return child ? definitionsOf(child) : [];
    });
  }
  return definitions.flatMap((definition) => (definition.type === "object" ? Object.keys(definition.shape) : []));
}

/** Paths, outside of lists and free maps, where a key of this name exists. */
function placesOf(schema: Schema, key: string, path: readonly string[] = []): string[] {
  return definitionsOf(schema).flatMap((definition) =>
    definition.type !== "object"
      ? []
      : Object.entries(definition.shape).flatMap(([name, child]) => {
          const below = [...path, name];
          const inside = path.join(".") === "rails.config" ? [] : placesOf(child, key, below);
          return name === key ? [below.join("."), ...inside] : inside;
        }),
  );
}
