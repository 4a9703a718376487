import { type FoldedText, type WordList, wordsOf } from "../phrases/words.js";

/** Cells of the table of words; words that share a cell count as one, which makes a text look a little more alike. */
const CELLS = 8192;
/** Letters of a word that count, so that inflected forms are the same. */
const STEM = 6;
/** Letters that a word with content has at least. */
const LEAST = 4;

/** Numbers of occurrences. One table for all texts: a text is read and asked about before the next one. */
const counts = new Uint16Array(CELLS);
/** Cells of the table that the last text uses: to clear them all takes longer than to read a short text. */
const used: number[] = [];

/** Words of a text with their number of occurrences, to see if a sentence is about the same things as the rest. */
export class Topic {
  readonly #folded: string;
  readonly #words: WordList;

  constructor(source: FoldedText) {
    const { folded } = source;
    this.#folded = folded;
    this.#words = wordsOf(source);
    for (const cell of used) counts[cell] = 0;
    used.length = 0;
    const { count, starts, ends, codes } = this.#words;
    for (let word = 0; word < count; word++) {
      const start = starts[word] ?? 0;
      const end = ends[word] ?? 0;
      if (end - start < LEAST) {
        if (isPair(this.#words, word)) this.#count(cellOf(codes, start - 1, end));
        continue;
      }
      this.#count(cellOf(codes, start, end));
    }
  }

  #count(cell: number): void {
    const known = counts[cell] ?? 0;
    if (known === 0) used.push(cell);
    if (known < 0xffff) counts[cell] = known + 1;
  }

  /**
   * Returns how many words of a part of the text have content, and how many of them stand elsewhere in it too. Common words,
   * which occur in any text, have none.
   */
  compare(start: number, end: number, isCommon: (word: string) => boolean): { words: number; shared: number } {
    const { count, starts, ends, codes } = this.#words;
    const own = new Map<number, number>();
    for (let word = this.#firstAfter(start); word < count && (starts[word] ?? 0) < end; word++) {
      const from = starts[word] ?? 0;
      const to = Math.min(end, ends[word] ?? 0);
      const isLong = to - from >= LEAST && !isCommon(this.#folded.slice(from, to));
      if (!isLong && (from === start || !isPair(this.#words, word))) continue;
      const cell = cellOf(codes, isLong ? from : from - 1, to);
      own.set(cell, (own.get(cell) ?? 0) + 1);
    }
    let shared = 0;
    for (const [cell, count] of own) if ((counts[cell] ?? 0) > count) shared++;
    return { words: own.size, shared };
  }

  /** Index of the first word that starts at an offset or after it. */
  #firstAfter(offset: number): number {
    let low = 0;
    let high = this.#words.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#words.starts[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** First code of the characters that are words by themselves; two of them in a row count as a word with content. */
const FIRST_SINGLE = 0x3041;

/** Returns true if a word is such a character, and the one before it too. */
function isPair({ starts, ends, codes }: WordList, word: number): boolean {
  const start = starts[word] ?? 0;
  if ((ends[word] ?? 0) - start !== 1 || (codes[start] ?? 0) < FIRST_SINGLE || word === 0) return false;
  return ends[word - 1] === start && starts[word - 1] === start - 1;
}

function cellOf(codes: Uint16Array, start: number, end: number): number {
  const stop = Math.min(end, start + STEM);
  let hash = 0x811c9dc5;
  for (let at = start; at < stop; at++) hash = Math.imul(hash ^ (codes[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) & (CELLS - 1);
}
