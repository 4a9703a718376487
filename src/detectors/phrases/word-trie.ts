import { codeAt } from "../scan/code-at.js";
import { SymbolTrie, SymbolTrieBuilder } from "./symbol-trie.js";
import { isApostrophe } from "./words.js";

/** Words and stems while they are collected. */
export class WordTrieBuilder {
  readonly nodes = new SymbolTrieBuilder();
  /** Numbers of the characters that occur, from 1. */
  readonly symbols = new Uint16Array(0x10000);
  readonly words = new Map<number, number>();
  readonly stems = new Map<number, number>();
  /** Characters of the longest of them: a word has at most so many ids of stems, and one of its own. */
  longest = 0;
  #symbolCount = 0;
  #size = 0;

  /** Number of the words and stems that were added. */
  get size(): number {
    return this.#size;
  }

  /** Returns the id of a word or stem, from 1; adds it unless it is known. */
  add(text: string, isStem: boolean): number {
    this.longest = Math.max(this.longest, text.length);
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      node = this.nodes.step(node, (this.symbols[code] ||= ++this.#symbolCount));
    }
    const ids = isStem ? this.stems : this.words;
    let id = ids.get(node);
    if (id === undefined) ids.set(node, (id = ++this.#size));
    return id;
  }
}

/** Words and stems, found while the characters of a word are read. */
export class WordTrie {
  readonly #trie: SymbolTrie;
  readonly #symbols: Uint16Array;
  readonly #words: Int32Array;
  readonly #stems: Int32Array;

  constructor({ nodes, symbols, words, stems }: WordTrieBuilder) {
    this.#trie = new SymbolTrie(nodes);
    this.#symbols = symbols;
    this.#words = new Int32Array(this.#trie.size);
    this.#stems = new Int32Array(this.#trie.size);
    for (const [node, id] of words) this.#words[this.#trie.stateOf[node] ?? 0] = id;
    for (const [node, id] of stems) this.#stems[this.#trie.stateOf[node] ?? 0] = id;
  }

  /** Writes the ids of a word, without its apostrophes, and of the stems that it begins with; returns how many there are. */
  read(folded: string, start: number, end: number, ids: Int32Array): number {
    const { bases, parents } = this.#trie;
    const symbols = this.#symbols;
    let count = 0;
    let state = 0;
    for (let at = start; at < end; at++) {
      const code = codeAt(folded, at);
      const symbol = symbols[code] ?? 0;
      if (symbol === 0 && isApostrophe(code)) continue;
      const next = (bases[state] ?? 0) + symbol;
      if (parents[next] !== state) return count;
      state = next;
      const stem = this.#stems[state] ?? 0;
      if (stem > 0) ids[count++] = stem;
    }
    const word = this.#words[state] ?? 0;
    if (word > 0) ids[count++] = word;
    return count;
  }
}
