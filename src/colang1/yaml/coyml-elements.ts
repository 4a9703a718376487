import { literal, readMap, type YamlElement } from "./coyml-values.js";
import type { CoymlWriter, YamlPath } from "./coyml-writer.js";

type WriteElement = (writer: CoymlWriter, element: YamlElement, place: ElementPlace) => void;

interface ElementPlace {
  /** The key that gave the element its kind. */
  readonly key: string;
  readonly path: YamlPath;
  readonly depth: number;
}

/** What can be waited for, by its key, with the keyword of Colang. */
export const MATCHERS: ReadonlyMap<string, string> = new Map([
  ...["user", "intent", "you"].map((key) => [key, "user"] as const),
  ...["bot", "utter", "ask", "bot_ask"].map((key) => [key, "bot"] as const),
  ["event", "event"],
]);

/** `key: text` is the line `keyword text`. */
function textLine(keyword: string): WriteElement {
  return (writer, element, { key, path, depth }) => writer.writeValue(keyword, element.get(key), path, depth);
}

/** A key whose value says nothing: `stop:`. */
function bareLine(text: string): WriteElement {
  return (writer, _element, { path, depth }) => writer.line(text, path, depth);
}

const writeRun: WriteElement = (writer, element, { key, path, depth }) => {
  const text = writer.readText(element.get(key), path);
  if (text === undefined) return;
  const assignment = /^(\$[\w.]+)\s*=\s*(?!=)(?:(?:execute|exec|run)\s+)?/.exec(text);
  if (!assignment) return writer.line(`execute ${text}`, path, depth);
  writer.line(`${assignment[1]} = execute ${text.slice(assignment[0].length)}`, path, depth);
};

const writeIf: WriteElement = (writer, element, { key, path, depth }) => {
  writer.writeValue("if", element.get(key), path, depth);
  writer.writeElements(element.get("then"), [...path, "then"], depth + 1);
  if (!element.has("else")) return;
  writer.line("else", [...path, "else"], depth);
  writer.writeElements(element.get("else"), [...path, "else"], depth + 1);
};

const writeWhile: WriteElement = (writer, element, { key, path, depth }) => {
  writer.writeValue("while", element.get(key), path, depth);
  writer.writeElements(element.get("do"), [...path, "do"], depth + 1);
};

const writeAny: WriteElement = (writer, element, { key, path, depth }) => {
  writer.line("any", path, depth);
  writer.writeElements(element.get(key), [...path, key], depth + 1);
};

/** `infer: Bell(times=2)`, or a list of `event`, `user` and `bot` elements, created in order. */
const writeEmit: WriteElement = (writer, element, { key, path, depth }) => {
  const value = element.get(key);
  if (!Array.isArray(value)) return writer.writeValue("create event", value, path, depth);
  for (const [index, one] of value.entries()) {
    const place = [...path, key, index];
    const keys = readMap(one);
    const kind = keys?.keys().next().value;
    const keyword = kind === undefined ? undefined : MATCHERS.get(kind);
    if (!keys || kind === undefined || !keyword) writer.complain(place, "expected `event`, `user` or `bot`");
    else writer.writeValue(keyword === "event" ? "create event" : `infer ${keyword}`, keys.get(kind), place, depth);
  }
};

const writeReturn: WriteElement = (writer, element, { key, path, depth }) => {
  const value = element.get(key);
  if (value === null || value === undefined) writer.line("return", path, depth);
  else writer.writeValue("return", value, path, depth);
};

const writeMeta: WriteElement = (writer, element, { key, path, depth }) => {
  const value = readMap(element.get(key));
  if (value) writer.line(`meta ${literal(Object.fromEntries(value))}`, path, depth);
  else writer.complain(path, "`meta` is a map", "for example `meta: {priority: 2}`");
};

/** How an element is written, by the key that gives it its kind. */
export const ELEMENT_WRITERS: ReadonlyMap<string, WriteElement> = new Map<string, WriteElement>([
  ...[...MATCHERS].map(([key, keyword]) => [key, textLine(keyword)] as const),
  ...["run", "action", "execute"].map((key) => [key, writeRun] as const),
  ["set", textLine("set")],
  ["if", writeIf],
  ["while", writeWhile],
  ...["any", "or"].map((key) => [key, writeAny] as const),
  ...["infer", "add", "new", "post"].map((key) => [key, writeEmit] as const),
  ...["flow", "call", "activate"].map((key) => [key, textLine("do")] as const),
  ...["label", "checkpoint"].map((key) => [key, textLine("label")] as const),
  ["goto", textLine("goto")],
  ["return", writeReturn],
  ["break", bareLine("break")],
  ["pass", bareLine("pass")],
  ["continue", bareLine("continue")],
  ...["stop", "abort"].map((key) => [key, bareLine("stop")] as const),
  ["check", textLine("check")],
  ["meta", writeMeta],
]);

export const KNOWN_KEYS = [...ELEMENT_WRITERS.keys()].map((key) => `\`${key}\``).join(", ");

/** Further keys that an element may have. */
export const COMPANIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["if", ["then", "else"]],
  ["while", ["do"]],
]);
