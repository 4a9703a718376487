import { compilePhrases, END, FOUND, GAP, PLACE_SIZE, type PhraseTable, START } from "./phrase-table.js";
import type { SymbolTrie } from "./symbol-trie.js";
import type { WordTrie } from "./word-trie.js";
import { type FoldedText, wordsOf } from "./words.js";

/** Called with the index of the name that a phrase stands for, and its range in the text. */
export type PhraseVisitor = (name: number, start: number, end: number) => void;

/** Distance between the positions of two texts, beyond all gaps. */
const FAR = 1000;
/** Position at which counting begins again, below the largest 32-bit number by more words than a text has. */
const LAST_BASE = 1_000_000_000;

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
  readonly #places: Int32Array;
  readonly #listsAt: Int32Array;
  readonly #lists: Int32Array;
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
    this.#places = phrases.places;
    this.#listsAt = phrases.listsAt;
    this.#lists = phrases.lists;
    this.#ids = new Int32Array(phrases.words.longest + 1);
  }

  /** Calls `visit` for each phrase in a lower-case text, in the order of their ends. */
  visit(source: FoldedText, visit: PhraseVisitor): void {
    // INVARIANT: positions grow from text to text, so that no place of an earlier text is near; nothing is reset.
    if (this.#base > LAST_BASE) {
      for (let at = END; at < this.#places.length; at += PLACE_SIZE) this.#places[at] = 0;
      this.#base = 0;
    }
    const base = this.#base + FAR;
    const ids = this.#ids;
    const wordTrie = this.#words;
    const sequences = this.#sequences;
    let [active, next] = this.#states;
    active.count = 0;
    const { folded } = source;
    const words = wordsOf(source);
    for (let word = 0; word < words.count; word++) {
      const start = words.starts[word] ?? 0;
      const end = words.ends[word] ?? 0;
      const count = wordTrie.read(folded, start, end, ids);
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
    for (let last = at + (lists[at] ?? 0); at < last;) {
      const place = lists[++at] ?? 0;
      // The place before it in the phrase stands before it in memory.
      const distance = from - (places[place - PLACE_SIZE + END] ?? 0) - 1;
      if (distance < 0 || distance > (places[place + GAP] ?? 0)) continue;
      const begin = places[place - PLACE_SIZE + START] ?? start;
      places[place + START] = begin;
      places[place + END] = to;
      const name = places[place + FOUND] ?? -1;
      if (name >= 0) visit(name, begin, end);
    }
    at++;
    for (let last = at + (lists[at] ?? 0); at < last;) visit(lists[++at] ?? 0, start, end);
    at++;
    for (let last = at + (lists[at] ?? 0); at < last;) {
      const place = lists[++at] ?? 0;
      places[place + START] = start;
      places[place + END] = to;
    }
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
