import { isAccentedLetter, MARK } from "./characters.js";

/** Distance within which other decorated letters decide that marks are decoration and not spelling. */
const NEIGHBOURHOOD = 64;
/** Letters nearby with marks that no alphabet has, from which on all marks are decoration. */
const DECORATED = 2;
/** Marks that are composed with a letter at most; more are decoration. */
const MOST_COMPOSED = 3;

/** Letter with the marks that follow it. */
export interface MarkedLetter {
  /** Offset after the marks. */
  readonly end: number;
  /** Letter without its marks if they are decoration, or the one character that both make; undefined to keep them. */
  readonly text: string | undefined;
}

/**
 * Combining marks of a text. Marks that spell an accented letter are composed with it; marks that no alphabet puts on their
 * letter are decoration, as soon as two of them stand near each other, and so is then every other mark nearby.
 */
export class Marks {
  readonly #text: string;
  readonly #classes: Uint8Array;
  /** Offsets of letters with marks that no alphabet has. */
  readonly #odd: number[] = [];
  /** Odd letters from `#first` to before `#last` are near the last offset that was asked for. */
  #first = 0;
  #last = 0;

  constructor(text: string, classes: Uint8Array) {
    this.#text = text;
    this.#classes = classes;
    let base = 0;
    for (let at = 0; at < text.length;) {
      if (classes[text.charCodeAt(at)] !== MARK) {
        base = at++;
        continue;
      }
      const end = this.endOfMarks(at);
      if (composeLetter(text.slice(base, at), text.slice(at, end)) === undefined) this.#odd.push(base);
      at = end;
    }
  }

  /** Returns the offset after the marks that stand at an offset. */
  endOfMarks(at: number): number {
    let end = at;
    while (this.#classes[this.#text.charCodeAt(end)] === MARK) end++;
    return end;
  }

  /** Reads the letter from `start` to `end` with its marks. Letters are asked for in the order of the text. */
  read(start: number, end: number): MarkedLetter {
    const after = this.endOfMarks(end);
    if (after === end) return { end, text: undefined };
    const base = this.#text.slice(start, end);
    if (this.isDecorated(start)) return { end: after, text: base };
    const marks = this.#text.slice(end, after);
    const composed = composeLetter(base, marks);
    return { end: after, text: composed === base || composed === base + marks ? undefined : composed };
  }

  /** Returns true if marks at an offset are decoration. Offsets are asked for in the order of the text. */
  isDecorated(at: number): boolean {
    while ((this.#odd[this.#first] ?? Infinity) < at - NEIGHBOURHOOD) this.#first++;
    while ((this.#odd[this.#last] ?? Infinity) <= at + NEIGHBOURHOOD) this.#last++;
    return this.#last - this.#first >= DECORATED;
  }
}

/** Returns a letter and its marks as one accented letter; the letter alone for a keycap; undefined if no alphabet has it. */
function composeLetter(base: string, marks: string): string | undefined {
  if (marks.includes("\u20e3")) return base;
  if (marks.length > MOST_COMPOSED) return undefined;
  // Dictionaries mark the stress of Cyrillic words.
  if (/^[\u0300\u0301]$/.test(marks) && /^[\u0400-\u04ff]$/.test(base)) return base + marks;
  const composed = `${base}${marks}`.normalize("NFC");
  return composed.length === 1 && isAccentedLetter(composed.charCodeAt(0)) ? composed : undefined;
}
