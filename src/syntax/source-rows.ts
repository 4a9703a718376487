import type { SourceFile } from "../diagnostics/source-file.js";
import { isBlank } from "./chars.js";

/** A range of a source by its offsets. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The blanks at the beginning of a row. */
export interface Indentation {
  /** In columns; a tab reaches to the next multiple of eight. */
  readonly indent: number;
  /** The first range that is not spaces. */
  readonly oddBlank: TextRange | undefined;
}

const TAB_WIDTH = 8;

/** The rows of a source without the blanks around them; rows count from 0, those beyond the end are empty. */
export class SourceRows {
  readonly count: number;
  /** Each row is measured once: most questions are about the row that was asked for last. */
  private measured = { row: -1, first: 0, end: 0 };

  constructor(private readonly source: SourceFile) {
    this.count = source.lineStarts.length;
  }

  /** The first character that is not blank, or the end of the row. */
  firstOf(row: number): number {
    return this.measure(row).first;
  }

  /** The end of a row without its line end and the blanks before it. */
  endOf(row: number): number {
    return this.measure(row).end;
  }

  private measure(row: number): { readonly first: number; readonly end: number } {
    const { measured } = this;
    if (measured.row === row) return measured;
    const { text, lineStarts } = this.source;
    const next = lineStarts[row + 1];
    let first = lineStarts[row] ?? text.length;
    const end = this.trimEnd(first, next === undefined ? text.length : next - 1);
    while (first < end && isBlank(text.charCodeAt(first))) first += 1;
    measured.row = row;
    measured.first = first;
    measured.end = end;
    return measured;
  }

  trimEnd(from: number, end: number): number {
    let at = end;
    while (at > from && isBlank(this.source.text.charCodeAt(at - 1))) at -= 1;
    return at;
  }

  isBlankOrComment(row: number): boolean {
    const first = this.firstOf(row);
    return first >= this.endOf(row) || this.source.text[first] === "#";
  }

  /** Tries a pattern with the flag `y` at the first character of a row. */
  matches(row: number, pattern: RegExp): boolean {
    pattern.lastIndex = this.firstOf(row);
    return pattern.test(this.source.text);
  }

  measureIndent(row: number): Indentation {
    const { text, lineStarts } = this.source;
    const first = this.firstOf(row);
    let indent = 0;
    let oddBlank: { start: number; end: number } | undefined;
    for (let at = lineStarts[row] ?? 0; at < first; at += 1) {
      indent += text[at] === "\t" ? TAB_WIDTH - (indent % TAB_WIDTH) : 1;
      if (text[at] === " ") continue;
      if (!oddBlank) oddBlank = { start: at, end: at + 1 };
      else if (oddBlank.end === at) oddBlank.end = at + 1;
    }
    return { indent, oddBlank };
  }
}
