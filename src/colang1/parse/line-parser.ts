import type { DiagnosticCode } from "../../diagnostics/codes.js";
import { quoteText } from "../../diagnostics/diagnostic.js";
import type { Span } from "../../diagnostics/source-file.js";
import type { Argument, Expression } from "../../expressions/ast.js";
import { parseArguments, parseExpression } from "../../expressions/parse/parse.js";
import type { LayoutLine, BlockReader, Scope } from "../../syntax/layout.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import type { TextRange } from "../../syntax/source-rows.js";
import { scanString, startsString } from "../../syntax/string-literal.js";
import type { Name, Statement } from "../ast.js";
import { COLANG_1_DIALECT } from "../expression-dialect.js";

const WORD = /[A-Za-z_][\w-]*/y;
const OPENERS = "([{";
const CLOSERS = ")]}";

/**
 * Reads one logical line. Positions are offsets into the source; texts come from the line, in which comments and line
 * ends are already blanked out. A colon at the end of a line is not part of it.
 */
export class LineParser {
  readonly start: number;
  readonly end: number;
  readonly hasColon: boolean;
  /** Without the colon, so that `$` in a pattern means the end. */
  readonly text: string;
  at: number;

  constructor(
    readonly context: ParseContext,
    readonly line: LayoutLine,
  ) {
    this.start = line.start;
    this.at = line.start;
    this.hasColon = line.text.endsWith(":");
    this.text = this.hasColon ? line.text.slice(0, -1).trimEnd() : line.text;
    this.end = line.start + this.text.length;
  }

  /** The line without its colon. */
  get range(): TextRange {
    return { start: this.start, end: this.end };
  }

  /** Skips blanks and returns true at the end. */
  isDone(): boolean {
    const { text, start, end } = this;
    let { at } = this;
    while (at < end && isSpace(text.charCodeAt(at - start))) at += 1;
    this.at = Math.min(at, end);
    return at >= end;
  }

  /** Returns the remaining range, trimmed. */
  rest(): TextRange {
    return this.isDone() ? { start: this.end, end: this.end } : { start: this.at, end: this.end };
  }

  /** Returns the word here, such as `else`, or an empty text. */
  peekWord(): string {
    if (this.isDone()) return "";
    const from = this.at - this.start;
    WORD.lastIndex = from;
    // A match ends at `lastIndex`, which is 0 without one.
    return WORD.test(this.text) ? this.text.slice(from, WORD.lastIndex) : "";
  }

  takeWord(): TextRange & { readonly text: string } {
    const text = this.peekWord();
    const start = this.at;
    this.at += text.length;
    return { text, start, end: this.at };
  }

  /** Takes the word if it is here. */
  skipWord(word: string): boolean {
    if (this.peekWord() !== word) return false;
    this.at += word.length;
    return true;
  }

  /** Matches a sticky pattern at an offset without moving. */
  match(pattern: RegExp, at = this.at): RegExpExecArray | undefined {
    pattern.lastIndex = at - this.start;
    const found = pattern.exec(this.text);
    return found && at + found[0].length <= this.end ? found : undefined;
  }

  /** Returns the offset of the next match of a global pattern, or the end. */
  nextOf(pattern: RegExp, at: number): number {
    pattern.lastIndex = at - this.start;
    return pattern.test(this.text) ? this.start + pattern.lastIndex - 1 : this.end;
  }

  textOf(range: TextRange): string {
    return this.text.slice(range.start - this.start, range.end - this.start);
  }

  /** Returns the character code at an offset; `NaN` beyond the line. */
  codeAt(offset: number): number {
    return offset < this.end ? this.text.charCodeAt(offset - this.start) : Number.NaN;
  }

  charAt(offset: number): string {
    return offset < this.end ? (this.text[offset - this.start] ?? "") : "";
  }

  trim(range: TextRange): TextRange {
    const text = this.textOf(range);
    const start = range.start + (text.length - text.trimStart().length);
    return { start, end: Math.max(start, range.start + text.trimEnd().length) };
  }

  /** Reports a problem; returns undefined, so that parsing functions can return it. */
  report(code: DiagnosticCode, message: string, range: TextRange, hint?: string): undefined {
    this.context.report(code, message, range, hint);
  }

  /** Reports the text of a range with a description: "is not an intent". */
  refuse(code: DiagnosticCode, range: TextRange, problem: string, hint?: string): undefined {
    this.report(code, `${quoteText(this.textOf(range))} ${problem}`, range, hint);
  }

  /** Reports the rest of a line that should end here. */
  expectEnd(after: string, hint?: string): undefined {
    if (this.isDone()) return undefined;
    const rest = this.rest();
    this.report(
      "CO-110",
      `unexpected ${quoteText(this.textOf(rest))} after ${after}`,
      rest,
      hint ?? "a line holds one statement",
    );
    this.at = this.end;
  }

  /** Reports the first deeper line below a line that allows none. */
  refuseDeeper(hint?: string): void {
    const [deeper] = this.line.children;
    if (deeper)
      this.report(
        "CO-105",
        `unexpected indentation of ${quoteText(deeper.text)}`,
        deeper,
        hint ?? "nothing can stand below this line: indent it like the line above",
      );
  }

  span(range: TextRange): Span {
    return this.context.span(range);
  }

  /** Reads a name from the line's own text: comments between joined rows are not part of it. */
  name(range: TextRange): Name {
    const trimmed = this.trim(range);
    return { text: collapseBlanks(this.textOf(trimmed)), span: this.span(trimmed) };
  }

  expression(range: TextRange): Expression | undefined {
    const parsed = parseExpression(this.context.source, range.start, range.end, COLANG_1_DIALECT);
    for (const diagnostic of parsed.diagnostics) this.context.add(diagnostic);
    return parsed.expression;
  }

  arguments(range: TextRange): readonly Argument[] {
    const parsed = parseArguments(this.context.source, range.start, range.end, COLANG_1_DIALECT);
    for (const diagnostic of parsed.diagnostics) this.context.add(diagnostic);
    return parsed.arguments;
  }

  /** Returns the first offset in a range, outside strings and brackets, that the test accepts. */
  findOutside(range: TextRange, test: (character: string, at: number) => boolean): number | undefined {
    const skip = createStringSkipper(this, range.end);
    let depth = 0;
    for (let at = range.start; at < range.end;) {
      const character = this.charAt(at);
      if (depth === 0 && test(character, at)) return at;
      const isQuote = character === '"' || character === "'";
      if (!isQuote && OPENERS.includes(character)) depth += 1;
      else if (!isQuote && CLOSERS.includes(character) && depth > 0) depth -= 1;
      at = (isQuote ? skip(at) : undefined) ?? at + 1;
    }
    return undefined;
  }

  /** Returns the offset of the bracket that closes the one at `open`. */
  findClosing(open: number): number | undefined {
    return this.findOutside({ start: open + 1, end: this.end }, (character) => CLOSERS.includes(character));
  }

  /** Splits a range at the commas outside strings and brackets; the parts have no blanks around them. */
  splitAtCommas(range: TextRange): readonly TextRange[] {
    const parts: TextRange[] = [];
    let start = range.start;
    this.findOutside(range, (character, at) => {
      if (character === ",") {
        parts.push(this.trim({ start, end: at }));
        start = at + 1;
      }
      return false;
    });
    parts.push(this.trim({ start, end: range.end }));
    return parts;
  }
}

/**
 * Creates a function that returns the end of a string starting at an offset, if any. An unclosed double quote extends
 * to the end; an unclosed single one is an apostrophe, as are all after it, which are then skipped.
 */
function createStringSkipper(parser: LineParser, end: number): (at: number) => number | undefined {
  let hasApostrophe = false;
  return (at) => {
    const character = parser.charAt(at);
    if (character !== '"' && (character !== "'" || hasApostrophe)) return undefined;
    if (!startsString(parser.text, at - parser.start)) return undefined;
    const scan = scanString(parser.text, at - parser.start, end - parser.start);
    if (scan.closed) return parser.start + scan.end;
    if (character === '"') return end;
    hasApostrophe = true;
    return undefined;
  };
}

const ODD_BLANKS = /\s\s|[^\S ]/;
const BLANKS = /\s+/g;

/** Collapses runs of spaces in a name for comparison. */
export function collapseBlanks(text: string): string {
  const trimmed = text.trim();
  return ODD_BLANKS.test(trimmed) ? trimmed.replace(BLANKS, " ") : trimmed;
}

const SPACE = /\s/;

/** Returns true for the code of white space or a line end; false beyond the end of a text. */
export function isSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return code >= 0x80 && SPACE.test(String.fromCharCode(code));
}

/** Input of a statement parser. */
export interface StatementInput {
  /** Positioned after the first word. */
  readonly parser: LineParser;
  readonly word: TextRange & { readonly text: string };
  /** Fields of every statement: the span of its line and the comment above it. */
  readonly base: { readonly span: Span; readonly comment?: string };
  readonly scope: Scope;
  /** The lines after the current one. */
  readonly siblings: BlockReader;
  /** Reads the statements of the deeper lines; reports if there are none. */
  parseBody(line: LayoutLine, scope?: Scope): readonly Statement[];
}

/** Reads the statements of one line. An invalid line is reported and yields none. */
export type ParseStatement = (input: StatementInput) => Statement | readonly Statement[] | undefined;

/** Returns the parser of the next line if it starts with one of the words. */
export function peekSibling({ parser, siblings }: StatementInput, ...words: readonly string[]): LineParser | undefined {
  const line = siblings.peek();
  const next = line?.kind === "code" ? new LineParser(parser.context, line) : undefined;
  return next && words.includes(next.peekWord()) ? next : undefined;
}
