import { beginsTurn, mayBeginTurn } from "./turn-marker.js";
import type { GradualText } from "./gradual-text.js";

/** Line breaks, other white space, the two characters that mean something in quotes, and all between them. */
const TOKENS = /\n|[^\S\n]+|\\|"|[^\s\\"]+/g;

/**
 * The bot's utterance at the beginning of a completion. A quoted one ends at the quote that closes a line, any other at
 * the line where the next turn begins. Blank lines and indentation inside stay, so that lists and code survive.
 *
 * What may still turn out to be the end waits: white space, a quote, a backslash, the beginning of a line that may be a
 * turn.
 */
export class UtteranceReader implements GradualText {
  isOver = false;
  readonly #firstMayBeTurn: boolean;
  #isQuoted: boolean | undefined;
  #hasSpoken = false;
  #endsWithReturn = false;
  /** The beginning of a line that may still be that of a turn. */
  #line: string | undefined;
  /** A quote or a backslash that has not been given, the white space before it, and what follows it. */
  #before = "";
  #mark: "" | '"' | '\\"' | "\\" = "";
  #space = "";
  #out = "";

  /** @param options.firstMayBeTurn - whether the text may be missing and its first line belong to a turn already */
  constructor(options: { readonly firstMayBeTurn?: boolean } = {}) {
    this.#firstMayBeTurn = options.firstMayBeTurn === true;
  }

  push(fresh: string): string {
    for (const [token] of this.#normalized(fresh).matchAll(TOKENS)) {
      if (this.isOver) break;
      this.#take(token);
    }
    return this.#given();
  }

  end(): string {
    if (this.isOver) return "";
    this.#settleLine();
    this.#finish();
    return this.#given();
  }

  /** Every line end as one character, also where a piece ends between its two. */
  #normalized(fresh: string): string {
    const text = this.#endsWithReturn && fresh.startsWith("\n") ? fresh.slice(1) : fresh;
    if (fresh !== "") this.#endsWithReturn = fresh.endsWith("\r");
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }

  #take(token: string): void {
    const isSpace = token.trim() === "";
    if (this.#isQuoted === undefined) {
      if (isSpace) return;
      this.#isQuoted = token === '"';
      if (this.#isQuoted) return;
      if (this.#firstMayBeTurn) this.#line = "";
    }
    if (token === "\n") this.#breakLine();
    else if (this.#line !== undefined) this.#takeInLine(token);
    else if (isSpace) this.#takeSpace(token);
    else this.#takeWord(token);
  }

  #breakLine(): void {
    this.#settleLine();
    if (this.#mark === '"') {
      this.#finish();
      this.isOver = true;
      return;
    }
    this.#takeSpace("\n");
    this.#line = "";
  }

  #takeInLine(token: string): void {
    this.#line += token;
    const line = this.#line ?? "";
    if (beginsTurn(line)) {
      this.#line = undefined;
      this.#finish();
      this.isOver = true;
    } else if (!mayBeginTurn(line)) this.#settleLine();
  }

  /** The line is one of the utterance. */
  #settleLine(): void {
    const line = this.#line ?? "";
    this.#line = undefined;
    for (const [token] of line.matchAll(TOKENS)) {
      if (token.trim() === "") this.#takeSpace(token);
      else this.#takeWord(token);
    }
  }

  #takeSpace(space: string): void {
    if (this.#mark === "\\") this.#giveMark();
    this.#space += space;
  }

  #takeWord(token: string): void {
    if (this.#isQuoted === true && token === '"') {
      if (this.#mark === "\\" && this.#space === "") {
        this.#mark = '\\"';
        return;
      }
      this.#holdMark('"');
    } else if (this.#isQuoted === true && token === "\\") this.#holdMark("\\");
    else {
      this.#giveMark();
      this.#give(this.#space + token);
      this.#space = "";
    }
  }

  #holdMark(mark: '"' | "\\"): void {
    this.#giveMark();
    this.#before = this.#space;
    this.#space = "";
    this.#mark = mark;
  }

  #giveMark(): void {
    if (this.#mark === "") return;
    this.#give(this.#before + (this.#mark === '\\"' ? '"' : this.#mark));
    this.#before = "";
    this.#mark = "";
  }

  /** A quote at the end is the one that closes the utterance, whatever stands before it. */
  #finish(): void {
    if (this.#mark === "\\" || this.#mark === '\\"') this.#give(`${this.#before}\\`);
    this.#mark = "";
  }

  #give(text: string): void {
    const given = this.#hasSpoken ? text : text.trimStart();
    this.#hasSpoken ||= given !== "";
    this.#out += given;
  }

  #given(): string {
    const text = this.#out;
    this.#out = "";
    return text;
  }
}
