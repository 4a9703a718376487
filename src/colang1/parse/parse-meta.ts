import type { LayoutLine } from "../../syntax/layout.js";
import type { TextRange } from "../../syntax/source-rows.js";
import { scanString } from "../../syntax/string-literal.js";
import { LineCursor } from "./line-cursor.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { expectEnd } from "./parse-parameters.js";
import { findClosing, findOutside, splitAtCommas } from "./scan-text.js";

export type MetaValue = string | number | boolean | null;

const PRIORITY = /^(?:\d+\.?\d*|\.\d+)$/;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const KEY = /^[A-Za-z_][\w-]*$/;
const CONSTANTS: ReadonlyMap<string, MetaValue> = new Map<string, MetaValue>([
  ...(["True", "true", "yes"] as const).map((word): [string, MetaValue] => [word, true]),
  ...(["False", "false", "no"] as const).map((word): [string, MetaValue] => [word, false]),
  ...(["None", "null"] as const).map((word): [string, MetaValue] => [word, null]),
]);

/** Whether a line holds metadata, and not a statement. */
export function isMetaLine(line: LayoutLine): boolean {
  return line.kind === "code" && /^(?:meta|priority)(?![\w-])/.test(line.text);
}

/**
 * Reads a line of metadata and writes what it finds into a map, later values over earlier ones.
 *
 * meta = "priority" NUMBER NEWLINE
 *      | "meta" ( JSONMAP NEWLINE | NEWLINE INDENT { KEY ":" LITERAL NEWLINE } DEDENT )
 */
export function parseMeta(context: ParseContext, line: LayoutLine, meta: Map<string, MetaValue>): void {
  const cursor = new LineCursor(line);
  const word = cursor.takeWord();
  if (word.text === "priority") return parsePriority(context, cursor, word, meta);
  if (cursor.isDone()) {
    if (line.children.length === 0)
      context.report("CO-104", "expected metadata after `meta`", word, 'write `meta {"priority": 2}`');
    for (const child of line.children) parseEntry(context, new LineCursor(child), child, meta);
    return;
  }
  const open = cursor.at;
  const close = cursor.charAt(open) === "{" ? findClosing(cursor, open) : undefined;
  if (close === undefined) {
    context.report("CO-110", "expected a map after `meta`", cursor.rest(), 'write `meta {"priority": 2}`');
    return;
  }
  cursor.at = close + 1;
  expectEnd(context, cursor, "the map");
  for (const part of splitAtCommas(cursor, { start: open + 1, end: close })) {
    if (part.start < part.end) parseEntry(context, cursor, part, meta);
  }
}

function parsePriority(context: ParseContext, cursor: LineCursor, word: TextRange, meta: Map<string, MetaValue>): void {
  const rest = cursor.rest();
  const text = cursor.text(rest);
  if (PRIORITY.test(text)) meta.set("priority", Number(text));
  else
    context.report(
      "CO-110",
      `${text ? quoteText(text) : "nothing"} is not a priority`,
      text ? rest : word,
      PRIORITY_HINT,
    );
}

const PRIORITY_HINT = "a priority is a number of digits, such as `2` or `0.5`";

function parseEntry(context: ParseContext, cursor: LineCursor, range: TextRange, meta: Map<string, MetaValue>): void {
  const colon = findOutside(cursor, range, (character) => character === ":");
  const keyRange = cursor.trim({ start: range.start, end: colon ?? range.end });
  const key = readString(cursor.text(keyRange)) ?? cursor.text(keyRange);
  if (colon === undefined || !KEY.test(key)) {
    context.report("CO-110", `${quoteText(cursor.text(range))} is not metadata`, range, "write `key: value`");
    return;
  }
  const valueRange = cursor.trim({ start: colon + 1, end: range.end });
  const value = readLiteral(cursor.text(valueRange));
  if (value === undefined) {
    const place = valueRange.start < valueRange.end ? valueRange : range;
    const hint = "metadata holds numbers, texts in quotes, `True`, `False` and `None`";
    context.report("CO-110", `${quoteText(cursor.text(place))} is not a value of metadata`, place, hint);
  } else if (key === "priority" && !(typeof value === "number" && value >= 0)) {
    context.report("CO-110", `${quoteText(cursor.text(valueRange))} is not a priority`, valueRange, PRIORITY_HINT);
  } else meta.set(key, value);
}

function readLiteral(text: string): MetaValue | undefined {
  if (NUMBER.test(text)) return Number(text);
  if (CONSTANTS.has(text)) return CONSTANTS.get(text);
  return readString(text);
}

function readString(text: string): string | undefined {
  if (!text.startsWith('"') && !text.startsWith("'")) return undefined;
  const scan = scanString(text, 0);
  return scan.closed && scan.end === text.length ? scan.value : undefined;
}
