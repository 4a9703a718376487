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
  readonly #gaps: Uint16Array;
  readonly #found: Int16Array;
  /** Of the last match of each place: the offset at which the phrase began, and the position of the last word. */
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  /** Last position at which each place can follow the last match of the place before. */
  readonly #latest: Int32Array;
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
    this.#gaps = phrases.gaps;
    this.#found = phrases.found;
    this.#starts = new Int32Array(phrases.gaps.length);
    this.#ends = new Int32Array(phrases.gaps.length);
    this.#latest = new Int32Array(phrases.gaps.length);
    this.#listsAt = phrases.listsAt;
    this.#lists = phrases.lists;
    this.#ids = new Int32Array(phrases.words.longest + 1);
  }

  /** Calls `visit` for each phrase in a lower-case text, in the order of their ends. */
  visit(source: FoldedText, visit: PhraseVisitor): void {
    // INVARIANT: positions grow from text to text, so that no place of an earlier text is near; nothing is reset.
    if (this.#base > LAST_BASE) {
      this.#ends.fill(0);
      this.#latest.fill(0);
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
    const latest = this.#latest;
    // Most places are far from the place before.
    for (let last = at + (lists[at] ?? 0); at < last;) {
      const place = lists[++at] ?? 0;
      if ((latest[place] ?? 0) >= from) this.#follow(place, { from, end, to }, visit);
    }
    at++;
    for (let last = at + (lists[at] ?? 0); at < last;) visit(lists[++at] ?? 0, start, end);
    at++;
    for (let last = at + (lists[at] ?? 0); at < last;) {
      const place = lists[++at] ?? 0;
      this.#starts[place] = start;
      this.#ends[place] = to;
      latest[place + 1] = to + 1 + (this.#gaps[place + 1] ?? 0);
    }
  }

  /** Takes a sequence at a place that is not too far behind the place before. */
  #follow(place: number, { from, end, to }: { from: number; end: number; to: number }, visit: PhraseVisitor): void {
    if (from <= (this.#ends[place - 1] ?? 0)) return;
    const begin = this.#starts[place - 1] ?? 0;
    this.#starts[place] = begin;
    this.#ends[place] = to;
    const name = this.#found[place] ?? -1;
    if (name >= 0) visit(name, begin, end);
    else this.#latest[place + 1] = to + 1 + (this.#gaps[place + 1] ?? 0);
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
