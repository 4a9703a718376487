import type { LayoutLine } from "../../syntax/layout.js";
import type { TextRange } from "../../syntax/source-rows.js";
import { scanString } from "../../syntax/string-literal.js";
import { LineParser } from "./line-parser.js";
import type { ParseContext } from "../../syntax/parse-context.js";

export type MetaValue = string | number | boolean | null;

const PRIORITY = /^(?:\d+\.?\d*|\.\d+)$/;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const KEY = /^[A-Za-z_][\w-]*$/;
const CONSTANTS: ReadonlyMap<string, MetaValue> = new Map<string, MetaValue>(
  Object.entries({ True: true, true: true, yes: true, False: false, false: false, no: false, None: null, null: null }),
);

const META_WORD = /^(?:meta|priority)(?![\w-])/;

/** Returns true for a line that holds metadata, and not a statement. */
export function isMetaLine(line: LayoutLine): boolean {
  return line.kind === "code" && META_WORD.test(line.text);
}

/**
 * Reads a line of metadata into a map, later values over earlier ones.
 *
 * meta = "priority" NUMBER NEWLINE
 *      | "meta" ( JSONMAP NEWLINE | NEWLINE INDENT { KEY ":" LITERAL NEWLINE } DEDENT )
 */
export function parseMeta(context: ParseContext, line: LayoutLine, meta: Map<string, MetaValue>): void {
  const parser = new LineParser(context, line);
  const word = parser.takeWord();
  if (word.text === "priority") return parsePriority(parser, word, meta);
  if (parser.isDone()) {
    if (line.children.length === 0)
      context.report("CO-104", "expected metadata after `meta`", word, 'write `meta {"priority": 2}`');
    for (const child of line.children) parseEntry(new LineParser(context, child), child, meta);
    return;
  }
  const open = parser.at;
  const close = parser.charAt(open) === "{" ? parser.findClosing(open) : undefined;
  if (close === undefined) {
    return context.report("CO-110", "expected a map after `meta`", parser.rest(), 'write `meta {"priority": 2}`');
  }
  parser.at = close + 1;
  parser.expectEnd("the map");
  for (const part of parser.splitAtCommas({ start: open + 1, end: close })) {
    if (part.start < part.end) parseEntry(parser, part, meta);
  }
}

function parsePriority(parser: LineParser, word: TextRange, meta: Map<string, MetaValue>): void {
  const rest = parser.rest();
  const text = parser.textOf(rest);
  if (PRIORITY.test(text)) meta.set("priority", Number(text));
  else if (text) parser.refuse("CO-110", rest, "is not a priority", PRIORITY_HINT);
  else parser.report("CO-110", "nothing is not a priority", word, PRIORITY_HINT);
}

const PRIORITY_HINT = "a priority is a number of digits, such as `2` or `0.5`";

function parseEntry(parser: LineParser, range: TextRange, meta: Map<string, MetaValue>): void {
  const colon = parser.findOutside(range, (character) => character === ":");
  const keyRange = parser.trim({ start: range.start, end: colon ?? range.end });
  const key = readString(parser.textOf(keyRange)) ?? parser.textOf(keyRange);
  if (colon === undefined || !KEY.test(key)) {
    return parser.refuse("CO-110", range, "is not metadata", "write `key: value`");
  }
  const valueRange = parser.trim({ start: colon + 1, end: range.end });
  const text = parser.textOf(valueRange);
  const value = NUMBER.test(text) ? Number(text) : CONSTANTS.has(text) ? CONSTANTS.get(text) : readString(text);
  if (value === undefined) {
    const place = valueRange.start < valueRange.end ? valueRange : range;
    const hint = "metadata holds numbers, texts in quotes, `True`, `False` and `None`";
    parser.refuse("CO-110", place, "is not a value of metadata", hint);
  } else if (key === "priority" && !(typeof value === "number" && value >= 0)) {
    parser.refuse("CO-110", valueRange, "is not a priority", PRIORITY_HINT);
  } else meta.set(key, value);
}

function readString(text: string): string | undefined {
  if (!text.startsWith('"') && !text.startsWith("'")) return undefined;
  const scan = scanString(text, 0);
  return scan.closed && scan.end === text.length ? scan.value : undefined;
}
