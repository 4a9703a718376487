import { SymbolTrie, SymbolTrieBuilder } from "./symbol-trie.js";

/** Words and stems while they are collected. */
export class WordTrieBuilder {
  readonly nodes = new SymbolTrieBuilder();
  /** Numbers of the characters that occur, from 1. */
  readonly symbols = new Uint16Array(0x10000);
  readonly words = new Map<number, number>();
  readonly stems = new Map<number, number>();
  #symbolCount = 0;
  #size = 0;

  /** Number of the words and stems that were added. */
  get size(): number {
    return this.#size;
  }

  /** Returns the id of a word or stem, from 1; adds it unless it is known. */
  add(text: string, isStem: boolean): number {
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

  /** Returns the state after a character, or -1; the first state is 0. */
  next(state: number, code: number): number {
    return this.#trie.next(state, this.#symbols[code] ?? 0);
  }

  /** Returns the id of the word that ends in a state, or 0. */
  wordAt(state: number): number {
    return this.#words[state] ?? 0;
  }

  /** Returns the id of the stem that ends in a state, or 0. */
  stemAt(state: number): number {
    return this.#stems[state] ?? 0;
  }
}
