import { toPythonRepr } from "../expressions/values/format.js";
import type { Runtime } from "../expressions/evaluate/runtime.js";
import { isList, isMap, isSet, readOwn, toValue, type Value } from "../expressions/values/value.js";

const STEP = "    ";

/** A list or a dictionary as JSON over several indented lines; other values as `str` writes them. */
export function prettyText(runtime: Runtime, value: Value): string {
  if (typeof value === "string") return value;
  return isList(value) || isSet(value) || isMap(value) ? write(runtime, value, "", 0) : toPythonRepr(value, runtime);
}

function write(runtime: Runtime, value: Value, margin: string, depth: number): string {
  if (depth > runtime.limits.depth) runtime.exceed("depth", "a value is too deeply nested to be written");
  const inner = margin + STEP;
  const items = linesOf(value, (item) => write(runtime, item, inner, depth + 1));
  if (items === undefined) return writeLeaf(runtime, value);
  const [open, close] = isMap(value) ? ["{", "}"] : ["[", "]"];
  if (items.length === 0) return open + close;
  const text = `${open}\n${items.map((item) => inner + item).join(",\n")}\n${margin}${close}`;
  runtime.checkText(text.length);
  return text;
}

function writeLeaf(runtime: Runtime, value: Value): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  const text = toPythonRepr(value, runtime);
  return typeof value === "number" ? text : JSON.stringify(text);
}

function linesOf(value: Value, writeItem: (item: Value) => string): readonly string[] | undefined {
  if (isList(value) || isSet(value)) return [...value].map((item) => writeItem(toValue(item)));
  if (!isMap(value)) return undefined;
  return Object.keys(value).map((key) => `${JSON.stringify(key)}: ${writeItem(readOwn(value, key) ?? null)}`);
}
