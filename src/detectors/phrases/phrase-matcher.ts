import { parsePhrase, splitPhrases } from "./phrase-notation.js";
import { type FoldedText, lettersOf, wordsOf } from "./words.js";
import { SymbolTrie, SymbolTrieBuilder } from "./symbol-trie.js";
import { WordTrie, WordTrieBuilder } from "./word-trie.js";

/** Phrases that stand for one thing, in the notation of `parsePhrase`. */
export type PhraseTable<Name extends string = string> = Readonly<Partial<Record<Name, readonly string[]>>>;

/** Called with the index of the name that a phrase stands for, and its range in the text. */
export type PhraseVisitor = (name: number, start: number, end: number) => void;

/** Distance between the positions of two texts, beyond all gaps. */
const FAR = 1000;
/** Numbers of a place, and which is which. */
const PLACE = 4;
const GAP = 0;
const FOUND = 1;
const START = 2;
const END = 3;
/** Gap of the first place of a phrase. */
const FIRST = -1;
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
  /** Sequences of ids of words. */
  readonly #sequences: SymbolTrie;
  /** Where the list of a state of the sequences begins; 0 for the empty one. */
  readonly #listAt: Int32Array;
  /** Lists of the places whose alternatives end in a state, each after its length; of a phrase the last place first. */
  readonly #lists: Int32Array;
  /**
   * Of each place, together in memory: the gap before it; the name that is found with it, or -1 if it is not the last one of its
   * phrase; and of its last match the offset at which the phrase began, and the position of the last word.
   */
  readonly #places: Int32Array;
  /** Ids of the word that is read. */
  readonly #ids: Int32Array;
  #base = 0;
  /** States before and after a word, kept from text to text: to make them takes as long as to read a sentence. */
  readonly #states = [new ActiveStates(), new ActiveStates()] as const;

  constructor(tables: readonly PhraseTable[], lists: Readonly<Record<string, string>> = {}) {
    this.names = [...new Set(tables.flatMap((table) => Object.keys(table)))];
    const words = new WordTrieBuilder();
    const sequences = new SymbolTrieBuilder();
    const placesOfNode = new Map<number, number[]>();
    const numbers: number[] = [];
    for (const { name, places } of readTables(tables, lists)) {
      places.forEach(({ alternatives, gap }, index) => {
        const place = numbers.length;
        numbers.push(index === 0 ? FIRST : gap, index === places.length - 1 ? this.names.indexOf(name) : -1, 0, 0);
        for (const alternative of alternatives) {
          let node = 0;
          for (const { text, isStem } of alternative) node = sequences.step(node, words.add(text, isStem));
          const known = placesOfNode.get(node);
          if (known === undefined) placesOfNode.set(node, [place]);
          else known.push(place);
        }
      });
    }
    this.#words = new WordTrie(words);
    this.#ids = new Int32Array(words.longest + 1);
    this.#sequences = new SymbolTrie(sequences);
    const placeLists = [0];
    this.#listAt = new Int32Array(this.#sequences.size);
    for (const [node, places] of placesOfNode) {
      this.#listAt[this.#sequences.stateOf[node] ?? 0] = placeLists.push(places.length) - 1;
      placeLists.push(...places.reverse());
    }
    this.#lists = Int32Array.from(placeLists);
    this.#places = Int32Array.from(numbers);
  }

  /** Calls `visit` for each phrase that stands in a text in lower case, in the order of their ends. */
  visit(source: FoldedText, visit: PhraseVisitor): void {
    // INVARIANT: positions grow from text to text, so that no place of an earlier text is near; nothing is reset.
    if (this.#base > LAST_BASE) {
      for (let at = END; at < this.#places.length; at += PLACE) this.#places[at] = 0;
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

  #enter(state: number, start: number, from: number, end: number, to: number, visit: PhraseVisitor): void {
    const list = this.#listAt[state] ?? 0;
    if (list === 0) return;
    const lists = this.#lists;
    const places = this.#places;
    const last = list + (lists[list] ?? 0);
    for (let at = list + 1; at <= last; at++) {
      const place = lists[at] ?? 0;
      const gap = places[place + GAP] ?? FIRST;
      let begin = start;
      if (gap !== FIRST) {
        // The place before it in the phrase stands before it in memory.
        const distance = from - (places[place - PLACE + END] ?? 0) - 1;
        if (distance < 0 || distance > gap) continue;
        begin = places[place - PLACE + START] ?? start;
      }
      const name = places[place + FOUND] ?? -1;
      if (name >= 0) visit(name, begin, end);
      places[place + START] = begin;
      places[place + END] = to;
    }
  }
}

function readTables(tables: readonly PhraseTable[], lists: Readonly<Record<string, string>>) {
  return tables.flatMap((table) =>
    Object.entries(table).flatMap(([name, sources]) =>
      (sources ?? []).flatMap(splitPhrases).map((source) => ({ name, places: parsePhrase(source, lists, splitWords) })),
    ),
  );
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

/** Returns the words of a part of a phrase, as they are read from a text. */
function splitWords(text: string): readonly string[] {
  const folded = text.toLowerCase();
  const { count, starts, ends } = wordsOf({ folded });
  return Array.from({ length: count }, (_, word) => lettersOf(folded.slice(starts[word], ends[word])));
}
