import { parsePhrase, splitPhrases } from "./phrase-notation.js";
import { isApostrophe, lettersOf, readWords } from "./words.js";
import { WordTrie } from "./word-trie.js";

/** Phrases that stand for one thing, in the notation of `parsePhrase`. */
export type PhraseTable<Name extends string = string> = Readonly<Partial<Record<Name, readonly string[]>>>;

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
  readonly #words = new WordTrie();
  /** Trie over ids of words: `node * stride + id` gives the next node. */
  readonly #steps = new Map<number, number>();
  #nodes = 1;
  /** Places whose alternatives end in a node; of a phrase the last place first. */
  readonly #placesAt: (number[] | undefined)[] = [];
  readonly #gaps: number[] = [];
  /** Name that is found with a place, if it is the last one of its phrase. */
  readonly #found: number[] = [];
  readonly #isFirst: boolean[] = [];

  /** Nodes that a word leads to from the root. */
  readonly #firstSteps: Int32Array;
  /** 1 for the nodes of the trie that have children. */
  readonly #continues: Uint8Array;
  /** Ids of the word that is read. */
  readonly #ids: number[] = [];
  /** Of each place the last match: the offset at which its phrase began, and the position of its last word. */
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #base = 0;

  constructor(tables: readonly PhraseTable[], lists: Readonly<Record<string, string>> = {}) {
    this.names = [...new Set(tables.flatMap((table) => Object.keys(table)))];
    const phrases = tables.flatMap((table) =>
      Object.entries(table).flatMap(([name, sources]) =>
        (sources ?? [])
          .flatMap(splitPhrases)
          .map((source) => ({ name, places: parsePhrase(source, lists, splitWords) })),
      ),
    );
    for (const { name, places } of phrases) {
      places.forEach(({ alternatives, gap }, index) => {
        const place = this.#gaps.push(gap) - 1;
        this.#isFirst.push(index === 0);
        this.#found.push(index === places.length - 1 ? this.names.indexOf(name) : -1);
        for (const words of alternatives) (this.#placesAt[this.#nodeOf(words)] ??= []).unshift(place);
      });
    }
    this.#firstSteps = new Int32Array(this.#words.size).map((_, id) => this.#steps.get(id) ?? -1);
    this.#continues = new Uint8Array(this.#nodes);
    for (const key of this.#steps.keys()) this.#continues[Math.floor(key / STRIDE)] = 1;
    this.#starts = new Int32Array(this.#gaps.length);
    this.#ends = new Int32Array(this.#gaps.length);
  }

  /** Calls `visit` for each phrase that stands in a text in lower case, in the order of their ends. */
  visit(folded: string, visit: PhraseVisitor): void {
    // INVARIANT: positions grow from text to text, so that no place of an earlier text is near; nothing is reset.
    if (this.#base > LAST_BASE) {
      this.#ends.fill(0);
      this.#base = 0;
    }
    const base = this.#base + FAR;
    let active = new ActiveNodes();
    let next = new ActiveNodes();
    readWords(folded, (start, end, at) => {
      const position = base + at;
      this.#base = position;
      const count = this.#readIds(folded, start, end);
      if (count === 0) {
        active.count = 0;
        return;
      }
      next.count = 0;
      for (let index = 0; index < count; index++) {
        const id = this.#ids[index] ?? 0;
        for (let of = 0; of < active.count; of++) {
          const target = this.#steps.get((active.nodes[of] ?? 0) * STRIDE + id);
          if (target === undefined) continue;
          const begin = active.starts[of] ?? 0;
          const from = active.positions[of] ?? 0;
          if (this.#continues[target] === 1) next.add(target, begin, from);
          this.#enter(target, begin, from, end, position, visit);
        }
        const target = this.#firstSteps[id] ?? -1;
        if (target < 0) continue;
        if (this.#continues[target] === 1) next.add(target, start, position);
        this.#enter(target, start, position, end, position, visit);
      }
      [active, next] = [next, active];
    });
  }

  /** Collects the ids of a word and of the stems that it begins with; returns how many there are. */
  #readIds(folded: string, start: number, end: number): number {
    let node = this.#words.first(folded.charCodeAt(start));
    for (let at = start + 1, count = 0; ; at++) {
      if (node < 0) return count;
      const stem = this.#words.stemAt(node);
      if (stem >= 0) this.#ids[count++] = stem;
      while (at < end && isApostrophe(folded.charCodeAt(at))) at++;
      if (at >= end) {
        const word = this.#words.wordAt(node);
        if (word >= 0) this.#ids[count++] = word;
        return count;
      }
      node = this.#words.next(node, folded.charCodeAt(at));
    }
  }

  #enter(node: number, start: number, from: number, end: number, to: number, visit: PhraseVisitor): void {
    const places = this.#placesAt[node];
    if (places === undefined) return;
    for (const place of places) {
      let begin = start;
      if (this.#isFirst[place] !== true) {
        const distance = from - (this.#ends[place - 1] ?? 0) - 1;
        if (distance < 0 || distance > (this.#gaps[place] ?? 0)) continue;
        begin = this.#starts[place - 1] ?? start;
      }
      const name = this.#found[place] ?? -1;
      if (name >= 0) visit(name, begin, end);
      this.#starts[place] = begin;
      this.#ends[place] = to;
    }
  }

  #nodeOf(words: readonly { readonly text: string; readonly isStem: boolean }[]): number {
    let node = 0;
    for (const { text, isStem } of words) {
      const key = node * STRIDE + this.#words.add(text, isStem);
      let next = this.#steps.get(key);
      if (next === undefined) this.#steps.set(key, (next = this.#nodes++));
      node = next;
    }
    return node;
  }
}

/** More than the words and stems of all phrases. */
const STRIDE = 0x4000;

/** Nodes of the trie of words that the last word reached, with the offset and the position at which each began. */
class ActiveNodes {
  readonly nodes: number[] = [];
  readonly starts: number[] = [];
  readonly positions: number[] = [];
  count = 0;

  add(node: number, start: number, position: number): void {
    const at = this.count++;
    this.nodes[at] = node;
    this.starts[at] = start;
    this.positions[at] = position;
  }
}

/** Returns the words of a part of a phrase, as they are read from a text. */
function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  const folded = text.toLowerCase();
  readWords(folded, (start, end) => words.push(lettersOf(folded.slice(start, end))));
  return words;
}
