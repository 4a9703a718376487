import type { LayoutLine } from "../../syntax/layout.js";
import type { TextRange } from "../../syntax/source-rows.js";

const BLANK = /\s*/y;
const WORD = /[A-Za-z_][\w-]*/y;

/**
 * A reading position in one logical line. Positions are offsets into the source, texts come from the line, in which
 * comments and line ends are blanks already. One colon at the end of a line is not part of it (spec 2.1).
 */
export class LineCursor {
  readonly start: number;
  readonly end: number;
  readonly hasColon: boolean;
  /** Without the colon, so that `$` in a pattern means the end. */
  readonly lineText: string;
  at: number;

  constructor(readonly line: LayoutLine) {
    this.start = line.start;
    this.at = line.start;
    this.hasColon = line.text.endsWith(":");
    this.lineText = this.hasColon ? line.text.slice(0, -1).trimEnd() : line.text;
    this.end = line.start + this.lineText.length;
  }

  /** Goes to the next character that is not blank and tells whether there is none. */
  isDone(): boolean {
    BLANK.lastIndex = this.at - this.start;
    BLANK.test(this.lineText);
    this.at = Math.min(this.start + BLANK.lastIndex, this.end);
    return this.at >= this.end;
  }

  /** What is left, without blanks around it. */
  rest(): TextRange {
    return this.isDone() ? { start: this.end, end: this.end } : { start: this.at, end: this.end };
  }

  /** The word here, such as `else`, or an empty text. */
  peekWord(): string {
    if (this.isDone()) return "";
    WORD.lastIndex = this.at - this.start;
    const word = WORD.exec(this.lineText)?.[0] ?? "";
    return word.slice(0, this.end - this.at);
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

  /** Tries a pattern with the flag `y` at an offset (here, if none is given), without moving. */
  match(pattern: RegExp, at = this.at): RegExpExecArray | undefined {
    pattern.lastIndex = at - this.start;
    const found = pattern.exec(this.lineText);
    return found && at + found[0].length <= this.end ? found : undefined;
  }

  text(range: TextRange): string {
    return this.lineText.slice(range.start - this.start, range.end - this.start);
  }

  charAt(offset: number): string {
    return offset < this.end ? (this.lineText[offset - this.start] ?? "") : "";
  }

  trim(range: TextRange): TextRange {
    const text = this.text(range);
    const start = range.start + (text.length - text.trimStart().length);
    return { start, end: Math.max(start, range.start + text.trimEnd().length) };
  }
}

/** A name as it is compared: blanks collapsed (spec 2.6). */
export function collapseBlanks(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}
