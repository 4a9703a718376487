import { compilePhrases, type PhraseTable } from "./phrase-table.js";
import type { CellNumbers, SymbolTrie } from "./symbol-trie.js";
import type { WordTrie } from "./word-trie.js";
import { type FoldedText, wordsOf } from "./words.js";

/** Called with the index of the name that a phrase stands for, and its range in the text. */
export type PhraseVisitor = (name: number, start: number, end: number) => void;

/** Distance between the positions of two texts, beyond all gaps. */
const FAR = 1000;
/** Position at which counting begins again, below the largest 32-bit number by more words than a text has. */
const LAST_BASE = 1_000_000_000;

/** Numbers of a place in `#places`, side by side in memory. */
const PLACE_SIZE = 4;
/** Of the last match of a place: the offset at which the phrase began, and the position of the last word. */
const START = 0;
const END = 1;
/** Last position at which the next place can follow that match. */
const LATEST = 2;
/** Most positions between the end of a place and the begin of the next one. */
const REACH = 3;

/**
 * Finds phrases with gaps in one pass over the words of a text.
 *
 * INVARIANT: the work for a word is bounded by the phrases, whatever stands before it: of each place of a phrase only the last
 * match is kept.
 */
export class PhraseMatcher {
  readonly names: readonly string[];
  readonly #words: WordTrie;
  readonly #sequences: SymbolTrie;
  readonly #found: Int16Array;
  readonly #places: Int32Array;
  readonly #listsAt: CellNumbers;
  readonly #lists: CellNumbers;
  /** Ids of the word that is read. */
  readonly #ids: Int32Array;
  #base = 0;
  /** States before and after a word, kept from text to text: to make them takes as long as to read a sentence. */
  readonly #states = [new ActiveStates(), new ActiveStates()] as const;

  constructor(tables: readonly PhraseTable[], lists: Readonly<Record<string, string>> = {}) {
    const phrases = compilePhrases(tables, lists);
    this.names = phrases.names;
    this.#words = phrases.words;
    this.#sequences = phrases.sequences;
    this.#found = phrases.found;
    this.#places = new Int32Array(phrases.gaps.length * PLACE_SIZE);
    phrases.gaps.forEach((_, place) => {
      this.#places[place * PLACE_SIZE + REACH] = 1 + (phrases.gaps[place + 1] ?? 0);
    });
    this.#listsAt = phrases.listsAt;
    this.#lists = phrases.lists;
    this.#ids = new Int32Array(phrases.words.longest + 1);
  }

  /** Calls `visit` for each phrase in a lower-case text, in the order of their ends. */
  visit(source: FoldedText, visit: PhraseVisitor): void {
    // INVARIANT: positions grow from text to text, so that no place of an earlier text is near; nothing is reset.
    if (this.#base > LAST_BASE) {
      for (let cell = 0; cell < this.#places.length; cell += PLACE_SIZE) this.#places.fill(0, cell + END, cell + REACH);
      this.#base = 0;
    }
    const base = this.#base + FAR;
    const ids = this.#ids;
    const wordTrie = this.#words;
    const sequences = this.#sequences;
    let [active, next] = this.#states;
    active.count = 0;
    const words = wordsOf(source);
    const { codes } = words;
    for (let word = 0; word < words.count; word++) {
      const start = words.starts[word] ?? 0;
      const end = words.ends[word] ?? 0;
      const count = wordTrie.read(codes, start, end, ids);
      if (count === 0) {
        active.count = 0;
        continue;
      }
      const position = base + (words.positions[word] ?? 0);
      next.count = 0;
      for (let index = 0; index < count; index++) {
        const id = ids[index] ?? 0;
        for (let of = 0; of < active.count; of++) {
          const target = sequences.next(active.states[of] ?? 0, id);
          if (target < 0) continue;
          const begin = active.starts[of] ?? 0;
          const from = active.positions[of] ?? 0;
          if (sequences.continues(target)) next.add(target, begin, from);
          this.#enter(target, begin, from, end, position, visit);
        }
        const target = sequences.next(0, id);
        if (target < 0) continue;
        if (sequences.continues(target)) next.add(target, start, position);
        this.#enter(target, start, position, end, position, visit);
      }
      const read = active;
      active = next;
      next = read;
    }
    if (words.count > 0) this.#base = base + (words.positions[words.count - 1] ?? 0);
  }

  /** Takes a sequence that stands from a position to another, at its places. */
  #enter(state: number, start: number, from: number, end: number, to: number, visit: PhraseVisitor): void {
    let at = this.#listsAt[state] ?? 0;
    if (at === 0) return;
    const lists = this.#lists;
    const places = this.#places;
    // Most places are far from the place before.
    for (let last = at + (lists[at] ?? 0); at < last;) {
      const place = lists[++at] ?? 0;
      if ((places[(place - 1) * PLACE_SIZE + LATEST] ?? 0) >= from) this.#follow(place, { from, end, to }, visit);
    }
    at++;
    for (let last = at + (lists[at] ?? 0); at < last;) visit(lists[++at] ?? 0, start, end);
    at++;
    for (let last = at + (lists[at] ?? 0); at < last;) {
      const cell = (lists[++at] ?? 0) * PLACE_SIZE;
      places[cell + START] = start;
      places[cell + END] = to;
      places[cell + LATEST] = to + (places[cell + REACH] ?? 0);
    }
  }

  /** Takes a sequence at a place that is not too far behind the place before. */
  #follow(place: number, { from, end, to }: { from: number; end: number; to: number }, visit: PhraseVisitor): void {
    const places = this.#places;
    const cell = place * PLACE_SIZE;
    const before = cell - PLACE_SIZE;
    if (from <= (places[before + END] ?? 0)) return;
    const begin = places[before + START] ?? 0;
    const name = this.#found[place] ?? -1;
    if (name >= 0) {
      visit(name, begin, end);
      return;
    }
    places[cell + START] = begin;
    places[cell + END] = to;
    places[cell + LATEST] = to + (places[cell + REACH] ?? 0);
  }
}

/** States of the sequences that the last word reached, with the offset and the position at which each began. */
class ActiveStates {
  readonly states: number[] = [];
  readonly starts: number[] = [];
  readonly positions: number[] = [];
  count = 0;

  add(state: number, start: number, position: number): void {
    const at = this.count++;
    this.states[at] = state;
    this.starts[at] = start;
    this.positions[at] = position;
  }
}
