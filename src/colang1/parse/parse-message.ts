import { addAll } from "../../diagnostics/add-all.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import type { LayoutLine } from "../../syntax/layout.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { TextLiteral } from "../ast.js";
import { LineParser } from "./line-parser.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import { isReservedWord } from "./reserved-words.js";

export type MessageOwner = "user" | "bot";

const STRING = /"(?:\\[^]|[^"\\])*"/y;
/** Tags of templates, in which quotes belong to the text around them. */
const TAG = /\{\{[^{}]*\}\}|\{%[^{}]*%\}/g;
const SEPARATOR = /\s*(?:,|\band\b|\bor\b)?\s*/y;
const ESCAPE = /\\(["\\nt])/g;
const ESCAPED: Readonly<Record<string, string>> = { '"': '"', "\\": "\\", n: "\n", t: "\t" };
const RICH_ENTRY = /^(?:quick_replies|snippets?|topics?|templates?|buttons?|cards?)\b|^[\w-]+\s*:|^-\s/;
const LEGACY_ENTRY: ReadonlySet<string> = new Set(["param", "entity", "attr"]);

/**
 * Reads the texts of a message block, one string a line.
 *
 * examples = INDENT { STRING NEWLINE } DEDENT
 */
export function parseMessageLines(
  context: ParseContext,
  lines: readonly LayoutLine[],
  owner: MessageOwner,
): TextLiteral[] {
  const texts: TextLiteral[] = [];
  let isRefused = false;
  for (const line of lines) {
    const text = parseMessageLine(context, line, owner, isRefused);
    if (text) texts.push(text);
    isRefused = text === undefined;
    // Everything below a line that is not a text belongs to the rejected construct.
    if (text) addAll(texts, parseMessageLines(context, line.children, owner));
  }
  return texts;
}

function parseMessageLine(
  context: ParseContext,
  line: LayoutLine,
  owner: MessageOwner,
  isRefused: boolean,
): TextLiteral | undefined {
  if (line.kind === "docstring") {
    return context.report("CO-106", `docstring inside a \`define ${owner}\` block`, line, "use `#` comments here");
  }
  if (line.openString !== undefined) return undefined;
  if (line.text.startsWith('"') || line.text.startsWith("'")) return parseText(new LineParser(context, line), line);
  const word = new LineParser(context, line).takeWord();
  if (word.text === "else" && isRefused) return undefined;
  reportNotAText(context, line, owner, word.text);
  return undefined;
}

function reportNotAText(context: ParseContext, line: LayoutLine, owner: MessageOwner, word: string): void {
  if (word === "if" || word === "else" || word === "elif" || word === "while") {
    const hint = "write conditions into the text, as in `{% if name %}`, or choose the message in a flow";
    context.report("CO-112", `\`${word}\` inside a \`define ${owner}\` block`, line, hint);
  } else if (LEGACY_ENTRY.has(word) || RICH_ENTRY.test(line.text)) {
    const message = `${quoteText(line.text)} is not supported in messages`;
    context.report("CO-111", message, line, "write plain texts in quotes");
  } else if (owner === "user" && isReservedWord(word)) {
    const hint = "end the block and write a `define flow` with `user <name>` and this line";
    context.report("CO-113", `statement ${quoteText(line.text)} inside a \`define user\` block`, line, hint);
  } else {
    context.report("CO-107", `${quoteText(line.text)} is not a string`, line, "put the text in double quotes");
  }
}

/** Reads one string that fills a range. Inner quotes are kept; several strings are rejected. */
export function parseText(parser: LineParser, range: TextRange): TextLiteral | undefined {
  const text = parser.textOf(range);
  const quote = text[0] ?? "";
  const isComplete = text.length >= 2 && text.endsWith(quote);
  if (isComplete && !(quote === '"' && isSeveralStrings(text.replace(TAG, (tag) => " ".repeat(tag.length))))) {
    return { value: unescape(text.slice(1, -1)), span: parser.span(range) };
  }
  if (!isComplete && (quote === "'" || endOfStrings(text) === undefined)) {
    parser.report("CO-108", "string is never closed", range, `close it with \`${quote}\``);
  } else {
    const hint = isComplete
      ? "write one string; in a block, one string a line"
      : "put the whole text in one pair of quotes";
    parser.report("CO-107", `${quoteText(text)} is not a single string`, range, hint);
  }
  return undefined;
}

/** Returns the end of the last closed string of a text in which quotes come in pairs. */
function endOfStrings(text: string): number | undefined {
  let end = 0;
  for (let open = text.indexOf('"'); open !== -1; open = text.indexOf('"', end)) {
    STRING.lastIndex = open;
    if (!STRING.test(text)) return undefined;
    end = STRING.lastIndex;
  }
  return end;
}

/** Returns true for several strings: `"a" and "b"` is several, `"say "hi" to me"` is one. */
function isSeveralStrings(text: string): boolean {
  if (text.indexOf('"', 1) === text.length - 1) return false;
  let count = 0;
  let at = 0;
  while (at < text.length) {
    STRING.lastIndex = at;
    if (!STRING.test(text)) return false;
    count += 1;
    SEPARATOR.lastIndex = STRING.lastIndex;
    SEPARATOR.test(text);
    if (SEPARATOR.lastIndex === STRING.lastIndex && SEPARATOR.lastIndex < text.length) return false;
    at = SEPARATOR.lastIndex;
  }
  return count > 1;
}

function unescape(text: string): string {
  const rows = text.includes("\n") ? trimRows(text) : text;
  if (!rows.includes("\\")) return rows;
  return rows.replace(ESCAPE, (_, escaped: string) => ESCAPED[escaped] ?? escaped);
}

/** Removes the blanks around each row of a text. */
export function trimRows(text: string): string {
  const rows = text.split("\n").map((row) => row.trim());
  return rows.join("\n");
}
