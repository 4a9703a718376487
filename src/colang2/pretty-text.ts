import { toPythonRepr } from "../expressions/format.js";
import type { Runtime } from "../expressions/runtime.js";
import { isList, isMap, isSet, readOwn, toValue, type Value } from "../expressions/value.js";

/** A value over several indented lines, for people. Texts at the top stand without quotes. */
export function prettyText(runtime: Runtime, value: Value): string {
  return typeof value === "string" ? value : write(runtime, value, "", 0);
}

function write(runtime: Runtime, value: Value, margin: string, depth: number): string {
  if (depth > runtime.limits.depth) runtime.exceed("depth", "a value is too deeply nested to be written");
  const inner = `${margin}  `;
  const items = linesOf(runtime, value, (item) => write(runtime, item, inner, depth + 1));
  if (!items || items.length === 0) return toPythonRepr(value, runtime);
  const [open, close] = isList(value) ? ["[", "]"] : ["{", "}"];
  const text = `${open}\n${items.map((item) => inner + item).join(",\n")}\n${margin}${close}`;
  runtime.checkText(text.length);
  return text;
}

function linesOf(runtime: Runtime, value: Value, writeItem: (item: Value) => string): readonly string[] | undefined {
  if (isList(value) || isSet(value)) return [...value].map((item) => writeItem(toValue(item)));
  if (!isMap(value)) return undefined;
  return Object.keys(value).map((key) => `${toPythonRepr(key, runtime)}: ${writeItem(readOwn(value, key) ?? null)}`);
}
