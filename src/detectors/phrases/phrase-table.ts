import { parsePhrases, type PhrasePlace } from "./phrase-notation.js";
import { type CellNumbers, cellNumbers, SymbolTrie, SymbolTrieBuilder } from "./symbol-trie.js";
import { WordTrie, WordTrieBuilder } from "./word-trie.js";
import { lettersOf, wordsOf } from "./words.js";

/** Phrases with the same meaning by name, in the notation of `parsePhrases`. */
export type PhraseTable<Name extends string = string> = Readonly<Partial<Record<Name, readonly string[]>>>;

/** Compiled phrases: their words, the sequences of words, and what stands at the end of each sequence. */
interface CompiledPhrases {
  readonly names: readonly string[];
  readonly words: WordTrie;
  /** Sequences of ids of words. */
  readonly sequences: SymbolTrie;
  /**
   * Of the places of the phrases that have several the most words between the place before and this one, and the name that is
   * found with the place, or -1 if it is not the last one of its phrase. The places of a phrase have consecutive numbers.
   */
  readonly gaps: Uint16Array;
  readonly found: Int16Array;
  /** Of a state of the sequences, where its lists begin in `lists`; 0 for none. */
  readonly listsAt: CellNumbers;
  /**
   * Three lists of each state, each after its length: numbers of the places behind the first of a phrase, the last place of a
   * phrase first; names of phrases with one place; numbers of first places.
   */
  readonly lists: CellNumbers;
}

/** Compiles tables of phrases. */
export function compilePhrases(
  tables: readonly PhraseTable[],
  lists: Readonly<Record<string, string>>,
): CompiledPhrases {
  const names = [...new Set(tables.flatMap((table) => Object.keys(table)))];
  const numbers = new Map(names.map((name, index) => [name, index]));
  const sequences = new SequenceBuilder();
  for (const table of tables) {
    for (const [name, sources] of Object.entries(table)) {
      const number = numbers.get(name) ?? -1;
      for (const source of sources ?? []) {
        for (const phrase of parsePhrases(source, lists)) sequences.add(phrase, number);
      }
    }
  }
  return { names, ...sequences.build() };
}

/** Lists of a state, in their order. */
const LATER = 0;
const NAMES = 1;
const FIRSTS = 2;
const LISTS = 3;

/** Sequences of words while they are collected, with what stands at the end of each. */
class SequenceBuilder {
  readonly #words = new WordTrieBuilder();
  readonly #sequences = new SymbolTrieBuilder();
  /** Nodes by the source of their alternatives: many phrases name the same lists. */
  readonly #nodes = new Map<string, readonly number[]>();
  /** Ids of words by their source. */
  readonly #ids = new Map<string, readonly number[]>();
  readonly #gaps: number[] = [];
  readonly #found: number[] = [];
  /** Entries of all lists in the order in which they were added: list of a node, and value. Small arrays for each node cost more. */
  readonly #listOfEntry: number[] = [];
  readonly #entries: number[] = [];

  /** Adds a phrase that stands for a name. */
  add(phrase: readonly PhrasePlace[], name: number): void {
    const last = phrase.length - 1;
    phrase.forEach(({ alternatives, gap }, index) => {
      if (last === 0) {
        this.#put(alternatives, NAMES, name);
        return;
      }
      this.#put(alternatives, index === 0 ? FIRSTS : LATER, this.#gaps.length);
      this.#gaps.push(gap);
      this.#found.push(index === last ? name : -1);
    });
  }

  #put(alternatives: string, list: number, value: number): void {
    for (const node of this.#nodesOf(alternatives)) {
      this.#listOfEntry.push(node * LISTS + list);
      this.#entries.push(value);
    }
  }

  /** Returns the nodes that alternatives end in. */
  #nodesOf(alternatives: string): readonly number[] {
    let nodes = this.#nodes.get(alternatives);
    if (nodes === undefined) {
      nodes = alternatives.split("|").map((sequence) => {
        let node = 0;
        for (const part of sequence.split(" ")) {
          for (const id of this.#idsOf(part)) node = this.#sequences.step(node, id);
        }
        return node;
      });
      this.#nodes.set(alternatives, nodes);
    }
    return nodes;
  }

  /** Returns the ids of a part without blanks: of one word or stem, or of several ideographs. */
  #idsOf(part: string): readonly number[] {
    let ids = this.#ids.get(part);
    if (ids === undefined) {
      const isStem = part.endsWith("*");
      const words = splitWords(isStem ? part.slice(0, -1) : part);
      ids = words.map((word, index) => this.#words.add(word, isStem && index === words.length - 1));
      this.#ids.set(part, ids);
    }
    return ids;
  }

  build(): Omit<CompiledPhrases, "names"> {
    const sequences = new SymbolTrie(this.#sequences);
    const { lists, at } = this.#buildLists();
    const listsAt = cellNumbers(sequences.size, lists.length);
    at.forEach((offset, node) => (listsAt[sequences.stateOf[node] ?? 0] = offset));
    const gaps = Uint16Array.from(this.#gaps);
    return { words: new WordTrie(this.#words), sequences, gaps, found: Int16Array.from(this.#found), listsAt, lists };
  }

  /** Puts the entries of each node together; returns the lists, and where those of each node begin. */
  #buildLists(): { lists: CellNumbers; at: Int32Array } {
    const nodes = this.#sequences.size;
    const lengths = new Int32Array(nodes * LISTS);
    for (const list of this.#listOfEntry) lengths[list] = (lengths[list] ?? 0) + 1;
    const at = new Int32Array(nodes);
    /** Ends of the lists, which are filled from there: the last entry comes first. */
    const ends = new Int32Array(nodes * LISTS);
    const largest = this.#entries.reduce((most, entry) => Math.max(most, entry), this.#entries.length);
    const lists = cellNumbers(1 + nodes * LISTS + this.#entries.length, largest);
    let end = 1;
    for (let node = 0; node < nodes; node++) {
      const start = end;
      for (let list = node * LISTS; list < (node + 1) * LISTS; list++) {
        lists[end] = lengths[list] ?? 0;
        ends[list] = end += 1 + (lengths[list] ?? 0);
      }
      // A node without entries needs no lists.
      if (end === start + LISTS) end = start;
      else at[node] = start;
    }
    this.#entries.forEach((entry, index) => {
      const list = this.#listOfEntry[index] ?? 0;
      ends[list] = (ends[list] ?? 0) - 1;
      lists[ends[list] ?? 0] = entry;
    });
    return { lists, at };
  }
}

/** Words without a sign that has a meaning within words: Latin, Greek and Cyrillic small letters, and digits. */
const PLAIN = /^[a-z0-9\u00df-\u00f6\u00f8-\u0530]+$/;

/** Returns the words of a part of a phrase, as they are read from a text. */
function splitWords(text: string): readonly string[] {
  const folded = text.toLowerCase();
  if (PLAIN.test(folded)) return [folded];
  const { count, starts, ends } = wordsOf({ folded });
  return Array.from({ length: count }, (_, word) => lettersOf(folded.slice(starts[word], ends[word])));
}
