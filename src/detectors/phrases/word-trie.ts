import { type CellNumbers, cellNumbers, SymbolTrie, SymbolTrieBuilder } from "./symbol-trie.js";
import { foldLetter, NO_LETTER, VARIANTS } from "./fold-letters.js";
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
  /** Number of the characters that occur. */
  symbolCount = 0;
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
      const letter = foldLetter(text.charCodeAt(at));
      if (letter !== NO_LETTER) node = this.nodes.step(node, (this.symbols[letter] ||= ++this.symbolCount));
    }
    const ids = isStem ? this.stems : this.words;
    let id = ids.get(node);
    if (id === undefined) ids.set(node, (id = ++this.#size));
    return id;
  }
}

/** Numbers of a cell of the trie, and the offset of each of them. */
const CELL_SIZE = 4;
/** State whose child the cell is, or the number of states. */
const PARENT = 0;
/** Cell of the first child. */
const BASE = 1;
/** Ids of the stem and of the word that end in the cell, or 0. */
const STEM = 2;
const WORD = 3;

/** Words and stems, found while the characters of a word are read. */
export class WordTrie {
  /** Cells of a double array with all that is read of each, side by side in memory. */
  readonly #cells: CellNumbers;
  readonly #symbols: Uint16Array;
  readonly longest: number;

  constructor({ nodes, symbols, symbolCount, words, stems, longest, size }: WordTrieBuilder) {
    const { bases, parents, stateOf } = new SymbolTrie(nodes);
    this.#symbols = symbols;
    for (const variant of VARIANTS) symbols[variant] = symbols[foldLetter(variant)] ?? 0;
    this.longest = longest;
    // The children of states without any would lie behind all states.
    const length = (bases.length + symbolCount + 1) * CELL_SIZE;
    this.#cells = cellNumbers(length, Math.max(bases.length, size));
    for (let at = 0, cell = 0; at < length; at += CELL_SIZE, cell++) {
      this.#cells[at + PARENT] = parents[cell] ?? 0;
      this.#cells[at + BASE] = bases[cell] ?? bases.length;
    }
    for (const [node, id] of words) this.#cells[(stateOf[node] ?? 0) * CELL_SIZE + WORD] = id;
    for (const [node, id] of stems) this.#cells[(stateOf[node] ?? 0) * CELL_SIZE + STEM] = id;
  }

  /** Writes the ids of a word, without its apostrophes, and of the stems that it begins with; returns how many there are. */
  read(codes: Uint16Array, start: number, end: number, ids: Int32Array): number {
    const cells = this.#cells;
    const symbols = this.#symbols;
    let count = 0;
    let state = 0;
    let cell = 0;
    for (let at = start; at < end; at++) {
      const code = codes[at] ?? 0;
      const symbol = symbols[code] ?? 0;
      if (symbol === 0 && (isApostrophe(code) || foldLetter(code) === NO_LETTER)) continue;
      const next = (cells[cell + BASE] ?? 0) + symbol;
      cell = next * CELL_SIZE;
      if (cells[cell + PARENT] !== state) return count;
      state = next;
      const stem = cells[cell + STEM] ?? 0;
      if (stem > 0) ids[count++] = stem;
    }
    const word = cells[cell + WORD] ?? 0;
    if (word > 0) ids[count++] = word;
    return count;
  }
}
