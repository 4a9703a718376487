import type { Field } from "../schema/fields.js";

/**
 * Returns the hint for a value that is not valid: the description of the setting with its unit and its default. For a value in free
 * data, the description of the setting that contains it; undefined if there is none.
 *
 * @example
 * ```ts
 * describeSetting(settingsField(), ["rails", "config", "f5", "timeout"]);
 * // "time limit for the service, including all attempts; in seconds; default: 30"
 * ```
 */
export function describeSetting(settings: Field<unknown>, path: readonly (string | number)[]): string | undefined {
  let described: Field<unknown> = settings;
  let schema: Field<unknown> | undefined = settings;
  for (const step of path) {
    schema = schema && childOf(schema, step);
    if (schema?.about !== undefined) described = schema;
  }
  const { about } = described;
  if (about === undefined) return undefined;
  const text = about.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, "");
  return [text, ...(schema === undefined ? [] : unitOf(schema)), ...defaultOf(described)].join("; ");
}

/** Returns a field without wrappers, such as the one for a key that may be omitted. */
function unwrap(field: Field<unknown>): Field<unknown>["kind"] {
  const { kind } = field;
  if (kind.name === "optional" || kind.name === "rewritten") return unwrap(kind.field);
  return kind.name === "late" ? unwrap(kind.field()) : kind;
}

function childOf(field: Field<unknown>, step: string | number): Field<unknown> | undefined {
  const kind = unwrap(field);
  if (kind.name === "list") return kind.items;
  if (kind.name === "map") return kind.values;
  if (kind.name !== "section" && kind.name !== "entry") return undefined;
  const child = Object.hasOwn(kind.shape, step) ? kind.shape[step] : undefined;
  return child?.kind.name === "late" ? child.kind.field() : child;
}

/** Longest default that is shown. */
const MAX_DEFAULT = 60;

function unitOf(field: Field<unknown>): readonly string[] {
  const kind = unwrap(field);
  if (kind.name !== "number") return [];
  return [kind.unit.startsWith("from ") ? kind.unit : `in ${kind.unit}`];
}

function defaultOf({ kind }: Field<unknown>): readonly string[] {
  if (kind.name !== "optional") return [];
  const { fallback } = kind;
  const shown = ["string", "number", "boolean"].includes(typeof fallback) ? JSON.stringify(fallback) : "";
  return shown === "" || shown.length > MAX_DEFAULT ? [] : [`default: ${shown}`];
}
