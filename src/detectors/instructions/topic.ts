import { readWords } from "../phrases/words.js";

/** Cells of the table of words; words that share a cell count as one, which makes a text look a little more alike. */
const CELLS = 8192;
/** Letters of a word that count, so that inflected forms are the same. */
const STEM = 6;
/** Letters that a word with content has at least. */
const LEAST = 4;

/** Numbers of occurrences. One table for all texts: a text is read and asked about before the next one. */
const counts = new Uint16Array(CELLS);

/** Words of a text with their number of occurrences, to see if a sentence is about the same things as the rest. */
export class Topic {
  readonly #folded: string;

  constructor(folded: string) {
    this.#folded = folded;
    counts.fill(0);
    readWords(folded, (start, end) => {
      if (end - start < LEAST) return;
      const cell = cellOf(folded, start, end);
      counts[cell] = Math.min(0xffff, (counts[cell] ?? 0) + 1);
    });
  }

  /**
   * Returns how many words of a part of the text have content, and how many of them stand elsewhere in it too. Common words,
   * which occur in any text, have none.
   */
  compare(start: number, end: number, isCommon: (word: string) => boolean): { words: number; shared: number } {
    const part = this.#folded.slice(start, end);
    const own = new Map<number, number>();
    readWords(part, (from, to) => {
      if (to - from < LEAST || isCommon(part.slice(from, to))) return;
      const cell = cellOf(part, from, to);
      own.set(cell, (own.get(cell) ?? 0) + 1);
    });
    let shared = 0;
    for (const [cell, count] of own) if ((counts[cell] ?? 0) > count) shared++;
    return { words: own.size, shared };
  }
}

function cellOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < Math.min(end, start + STEM); at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & (CELLS - 1);
}
