import type { SourceFile } from "../diagnostics/source-file.js";
import { type Indentation, SourceRows, type TextRange } from "./source-rows.js";
import { scanString, startsString } from "./string-literal.js";

/** Rules of a dialect for its lines. The patterns are constants with the flag `y`; they are tried at a first word. */
export interface LayoutOptions {
  /** A line that ends in one of these words goes on in the next line. */
  readonly trailingWords: ReadonlySet<string>;
  /** Begins a definition. At the depth of the outermost lines nothing that was left open runs past it. */
  readonly definition: RegExp;
  /** Begins a statement and never an operand; an unclosed bracket does not run past it. */
  readonly statement: RegExp;
  /** Begins a line of free text, in which an unclosed bracket means nothing. */
  readonly freeText: RegExp;
  /** Lines nested deeper than this are kept at this depth and marked. */
  readonly maxDepth: number;
  /** A row that begins so goes on with the line above, whatever its indentation. */
  readonly leading?: RegExp;
  /** A line that begins with a quote is code like any other, and a backslash joins nothing. */
  readonly plainRows?: boolean;
}

export interface LogicalLine {
  /** A docstring stands alone on its lines, between triple double quotes. */
  readonly kind: "code" | "docstring";
  /** From the first character that is not blank to the last one that is neither blank nor part of a comment. */
  readonly start: number;
  readonly end: number;
  /**
   * INVARIANT: `text[i]` stands at offset `start + i`. Comments, line ends and backslashes between joined rows are blanks
   * here; strings are as written.
   */
  readonly text: string;
  /** Columns of indentation; a tab reaches to the next multiple of eight. */
  readonly indent: number;
  /** Anything but spaces in the indentation. */
  readonly oddBlank: TextRange | undefined;
  /** The quote that opens a docstring, or a text at the beginning of the line, and is never closed. */
  readonly openString: number | undefined;
}

export interface CommentLine {
  readonly kind: "comment";
  readonly text: string;
}

/** The row in which a text left open ends, or in which it turns out never to have ended. */
interface TextEnd {
  readonly from: number;
  readonly row: number;
  readonly close: number | undefined;
  readonly isDefinition: boolean;
}

interface Brackets {
  depth: number;
}

const DOCSTRING_QUOTES = '"""';
const QUOTE_BEFORE_COMMENT = /"[^\S\n]*#/;
/** Characters that comments, strings and brackets begin and end with. */
const SPECIAL = /[#"'()[\]{}]/g;
/** Characters that matter inside and behind a text; a line end ends the search. */
const MARK = /["#\\\n]/g;
const BLANK_IN_ROW = /[^\S\n]/;

/**
 * Reads a source row by row, joining rows that belong together into logical lines.
 *
 * INVARIANT: a row is read a bounded number of times, whatever was left open in the rows before it.
 */
export class LogicalLineReader {
  private row = 0;
  private outermostIndent = Number.POSITIVE_INFINITY;
  private indentation: Indentation = { indent: 0, oddBlank: undefined };
  /** Triple quotes that were once found to have no end: looking again for each of them would take quadratic time. */
  private readonly endless = new Set<string>();
  private textEnd: TextEnd | undefined;
  /** The last search for a character that means something: where it began, and what it found. */
  private readonly special = { from: 0, at: -1 };

  private readonly rows: SourceRows;

  constructor(
    private readonly source: SourceFile,
    private readonly options: LayoutOptions,
  ) {
    this.rows = new SourceRows(source);
  }

  next(): LogicalLine | CommentLine | undefined {
    const { text } = this.source;
    while (this.row < this.rows.count) {
      const first = this.rows.firstOf(this.row);
      const end = this.rows.endOf(this.row);
      if (first < end && text[first] !== "#") return this.readLine(first);
      this.row += 1;
      if (first < end) return { kind: "comment", text: text.slice(first + 1, end).trim() };
    }
    return undefined;
  }

  private readLine(first: number): LogicalLine {
    this.indentation = this.rows.measureIndent(this.row);
    this.outermostIndent = Math.min(this.outermostIndent, this.indentation.indent);
    const { text } = this.source;
    if (this.options.plainRows) return this.readCode(first);
    if (text.startsWith(DOCSTRING_QUOTES, first)) return this.readDocstring(first);
    return text[first] === '"' ? this.readText(first) : this.readCode(first);
  }

  private readDocstring(first: number): LogicalLine {
    const { text } = this.source;
    const isEndless = this.endless.has(DOCSTRING_QUOTES);
    const found = isEndless ? -1 : text.indexOf(DOCSTRING_QUOTES, first + DOCSTRING_QUOTES.length);
    if (found === -1) this.endless.add(DOCSTRING_QUOTES);
    while (!this.isInRow(found)) {
      if (this.endsWhatIsOpen(this.row + 1)) {
        return this.finish("docstring", [{ start: first, end: this.rows.endOf(this.row) }], first);
      }
      this.row += 1;
    }
    const close = found + DOCSTRING_QUOTES.length;
    const rest = this.scanRow(close, { depth: 0 });
    return this.finish("docstring", [{ start: first, end: Math.max(close, rest.end) }]);
  }

  /** A line that begins with a double quote runs up to the first row that ends with one. */
  private readText(first: number): LogicalLine {
    const end = this.rows.endOf(this.row);
    const opening = this.measureText(first, end);
    if (!opening.isOpen) return this.finish("code", [{ start: first, end: opening.end }]);
    const found = this.findTextEnd(this.row);
    if (found.close !== undefined) {
      this.row = found.row;
      return this.finish("code", [{ start: first, end: found.close }]);
    }
    // The text runs up to the next definition; if another text comes before that, only the quote is missing.
    if (found.isDefinition) this.row = found.row - 1;
    return this.finish("code", [{ start: first, end }], first);
  }

  /** Finds the row that decides about a text left open in the given row. */
  private findTextEnd(opening: number): TextEnd {
    if (this.textEnd && opening >= this.textEnd.from && opening < this.textEnd.row) return this.textEnd;
    for (let row = opening + 1; ; row += 1) {
      const isDefinition = this.endsWhatIsOpen(row);
      const start = this.rows.firstOf(row);
      const isText =
        !isDefinition && this.source.text[start] === '"' && !this.measureText(start, this.rows.endOf(row)).isOpen;
      const close = isDefinition || isText ? undefined : this.closingQuote(start, this.rows.endOf(row));
      if (!isDefinition && !isText && close === undefined) continue;
      this.textEnd = { from: opening, row, close, isDefinition };
      return this.textEnd;
    }
  }

  private readCode(first: number): LogicalLine {
    this.options.freeText.lastIndex = first;
    const isFreeText = this.options.freeText.test(this.source.text);
    const brackets: Brackets = { depth: isFreeText ? Number.NEGATIVE_INFINITY : 0 };
    const pieces: TextRange[] = [];
    let from = first;
    for (;;) {
      const scan = this.scanRow(from, brackets);
      pieces.push({ start: from, end: Math.max(from, scan.end) });
      const next = this.rowAfter(scan, brackets);
      if (next === undefined) break;
      this.row = next;
      from = this.rows.firstOf(next);
    }
    return this.finish("code", pieces);
  }

  /** Reads to the end of the row, or to a comment in it; a long string may carry it into a later row. */
  private scanRow(from: number, brackets: Brackets): { end: number; isEscaped: boolean } {
    const { text } = this.source;
    let end = this.rows.endOf(this.row);
    let at = from;
    let hasApostrophe = false;
    while (at < end) {
      at = Math.min(end, this.nextSpecial(at));
      if (at === end) break;
      const character = text[at];
      if (character === "#") return { end: this.rows.trimEnd(from, at), isEscaped: false };
      if ((character === '"' || (character === "'" && !hasApostrophe)) && startsString(text, at)) {
        const close = this.skipString(at, end);
        hasApostrophe ||= close === undefined;
        at = close ?? at + 1;
        while (at > end) {
          this.row += 1;
          end = this.rows.endOf(this.row);
        }
        continue;
      }
      if (character === "(" || character === "[" || character === "{") {
        brackets.depth += 1;
      } else if ((character === ")" || character === "]" || character === "}") && brackets.depth > 0) {
        brackets.depth -= 1;
      }
      at += 1;
    }
    const isEscaped = !this.options.plainRows && end > from && text[end - 1] === "\\" && at === end;
    return { end: this.rows.trimEnd(from, isEscaped ? end - 1 : end), isEscaped };
  }

  /**
   * The next character that starts or ends comments, strings or brackets. A search, since a load is too short for a
   * character loop to be compiled. INVARIANT: no stretch of the source is searched twice in a row.
   */
  private nextSpecial(at: number): number {
    const { special } = this;
    if (at < special.from || at > special.at) {
      const { text } = this.source;
      SPECIAL.lastIndex = at;
      special.from = at;
      special.at = SPECIAL.test(text) ? SPECIAL.lastIndex - 1 : text.length;
    }
    return special.at;
  }

  /** Returns the row that continues this line. */
  private rowAfter(scan: { end: number; isEscaped: boolean }, brackets: Brackets): number | undefined {
    if (scan.isEscaped) {
      const next = this.row + 1;
      return this.endsWhatIsOpen(next) || this.rows.firstOf(next) >= this.rows.endOf(next) ? undefined : next;
    }
    const isTrailing = this.endsInTrailingWord(scan.end);
    const { leading, statement } = this.options;
    if (brackets.depth <= 0 && !isTrailing && !leading) return undefined;
    let next = this.row + 1;
    while (next < this.rows.count && this.rows.isBlankOrComment(next)) next += 1;
    if (this.endsWhatIsOpen(next)) return undefined;
    if (leading && this.rows.matches(next, leading)) return next;
    if (brackets.depth <= 0 && !isTrailing) return undefined;
    return !isTrailing && this.rows.matches(next, statement) ? undefined : next;
  }

  private endsInTrailingWord(end: number): boolean {
    const { text } = this.source;
    for (const word of this.options.trailingWords) {
      if (text.endsWith(word, end) && BLANK_IN_ROW.test(text.charAt(end - word.length - 1))) return true;
    }
    return false;
  }

  /** The end of the string that begins here; unclosed double quotes reach to the end of the row, an unclosed single one is an apostrophe. */
  private skipString(at: number, rowEnd: number): number | undefined {
    const { text } = this.source;
    const quote = text[at] ?? "";
    const triple = quote.repeat(3);
    if (text.startsWith(triple, at)) {
      if (this.endless.has(triple)) return rowEnd;
      const scan = scanString(text, at);
      if (scan.closed) return scan.end;
      this.endless.add(triple);
      return rowEnd;
    }
    const scan = scanString(text, at, rowEnd);
    if (scan.closed) return scan.end;
    return quote === "'" ? undefined : rowEnd;
  }

  /** Measures the text of a row that begins with a double quote, which the row may leave open. */
  private measureText(first: number, end: number): { isOpen: boolean; end: number } {
    const { text } = this.source;
    let isInside = false;
    let at = first;
    for (; at < end; at += 1) {
      MARK.lastIndex = at;
      at = Math.min(end, MARK.test(text) ? MARK.lastIndex - 1 : end);
      if (text[at] === "\\" && isInside) at += 1;
      else if (text[at] === '"') isInside = !isInside;
      else if (text[at] === "#" && !isInside) break;
    }
    const stripped = this.rows.trimEnd(first, Math.min(at, end));
    if (stripped - first >= 2 && text[stripped - 1] === '"') return { isOpen: false, end: stripped };
    if (end - first >= 2 && text[end - 1] === '"') return { isOpen: false, end };
    return isInside ? { isOpen: true, end } : { isOpen: false, end: stripped };
  }

  private closingQuote(start: number, end: number): number | undefined {
    const { text } = this.source;
    if (end > start && text[end - 1] === '"') return end;
    const found = QUOTE_BEFORE_COMMENT.exec(text.slice(start, end));
    return found ? start + found.index + 1 : undefined;
  }

  /** Returns true if nothing left open runs into this row: it begins a definition, or there is no such row. */
  private endsWhatIsOpen(row: number): boolean {
    if (row >= this.rows.count) return true;
    if (!this.rows.matches(row, this.options.definition)) return false;
    return this.rows.measureIndent(row).indent <= this.outermostIndent;
  }

  private isInRow(offset: number): boolean {
    return offset >= 0 && offset < this.rows.endOf(this.row);
  }

  private finish(kind: LogicalLine["kind"], pieces: readonly TextRange[], openString?: number): LogicalLine {
    const { text } = this.source;
    const start = pieces[0]?.start ?? 0;
    let end = start;
    let joined = "";
    for (const piece of pieces) {
      if (piece.end === piece.start) continue;
      joined += " ".repeat(piece.start - end) + text.slice(piece.start, piece.end);
      end = piece.end;
    }
    this.row += 1;
    const { indent, oddBlank } = this.indentation;
    return { kind, start, end, text: joined, indent, oddBlank, openString };
  }
}
