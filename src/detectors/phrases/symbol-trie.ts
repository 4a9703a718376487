const NONE = -1;
const ROOTLESS = -2;

/** More than the symbols of a trie. */
const STRIDE = 0x8000;

/** Set of sequences of symbols while it grows. Nodes are numbers; the root is 0. Symbols are between 1 and 32,767. */
export class SymbolTrieBuilder {
  readonly #steps = new Map<number, number>();
  /** Symbols that lead on from a node, and their nodes. */
  readonly #symbols: (number[] | undefined)[] = [];
  readonly #targets: (number[] | undefined)[] = [];
  #size = 1;

  get size(): number {
    return this.#size;
  }

  /** Returns the node after a symbol; adds it unless it is known. */
  step(node: number, symbol: number): number {
    const key = node * STRIDE + symbol;
    let next = this.#steps.get(key);
    if (next !== undefined) return next;
    this.#steps.set(key, (next = this.#size++));
    (this.#symbols[node] ??= []).push(symbol);
    (this.#targets[node] ??= []).push(next);
    return next;
  }

  symbolsOf(node: number): readonly number[] {
    return this.#symbols[node] ?? [];
  }

  targetsOf(node: number): readonly number[] {
    return this.#targets[node] ?? [];
  }
}

/**
 * Set of sequences of symbols as a double array: the children of a state lie in one table at its base plus their symbol, so
 * that a step is one addition and one comparison. States are numbers; the root is 0.
 */
export class SymbolTrie {
  /** State of each node of the builder. */
  readonly stateOf: Int32Array;
  /** Of each state the cell of its first symbol; of a cell the state whose child lies in it. For loops over many steps. */
  readonly bases: Int32Array;
  readonly parents: Int32Array;

  constructor(builder: SymbolTrieBuilder) {
    const cells = new Cells();
    this.stateOf = new Int32Array(builder.size);
    const base = new Int32Array(builder.size);
    const queue = [0];
    for (const node of queue) {
      const symbols = builder.symbolsOf(node);
      if (symbols.length === 0) continue;
      const offset = cells.take(symbols, this.stateOf[node] ?? 0);
      base[node] = offset;
      builder.targetsOf(node).forEach((target, index) => {
        this.stateOf[target] = offset + (symbols[index] ?? 0);
        queue.push(target);
      });
    }
    // States without children get a base beyond all cells that have a parent.
    const size = cells.parents.length;
    this.bases = new Int32Array(size).fill(size);
    for (const node of queue) {
      if (builder.symbolsOf(node).length > 0) this.bases[this.stateOf[node] ?? 0] = base[node] ?? 0;
    }
    this.parents = new Int32Array(2 * size + STRIDE).fill(NONE);
    this.parents.set(cells.parents);
  }

  /** Number that is larger than all states. */
  get size(): number {
    return this.bases.length;
  }

  /** Returns the state after a symbol, or -1. */
  next(state: number, symbol: number): number {
    const target = (this.bases[state] ?? 0) + symbol;
    return this.parents[target] === state ? target : NONE;
  }

  /** Returns true if a state has children. */
  continues(state: number): boolean {
    return (this.bases[state] ?? 0) < this.bases.length;
  }
}

/** Cells before the last place with room that are searched again. */
const SCATTER = 200;

/** Cells of a double array while it is filled. */
class Cells {
  /** State whose child lies in a cell, or -1. The first cell is the root, which is the child of no state. */
  readonly parents: number[] = [ROOTLESS];
  /** Cell from which the search for a free one goes on. */
  readonly #next: number[] = [1];

  /** Cell from which on there is room for several symbols: the gaps before it are left for single ones. */
  #roomy = 1;

  /** Takes the cells at an offset plus each of the symbols; returns the offset. */
  take(symbols: readonly number[], state: number): number {
    const least = symbols.reduce((a, b) => Math.min(a, b));
    let first = this.#freeFrom(symbols.length === 1 ? least : Math.max(least, this.#roomy));
    while (symbols.some((symbol) => !this.#isFree(first - least + symbol))) first = this.#freeFrom(first + 1);
    if (symbols.length > 1) this.#roomy = Math.max(this.#roomy, first - SCATTER);
    for (const symbol of symbols) {
      const cell = first - least + symbol;
      for (let added = this.parents.length; added <= cell; added++) {
        this.parents.push(NONE);
        this.#next.push(added);
      }
      this.parents[cell] = state;
      this.#next[cell] = cell + 1;
    }
    return first - least;
  }

  #isFree(cell: number): boolean {
    return (this.parents[cell] ?? NONE) === NONE;
  }

  /** Returns the first free cell from a cell on, and shortens the way to it. */
  #freeFrom(cell: number): number {
    let free = cell;
    while (!this.#isFree(free)) free = this.#next[free] ?? free + 1;
    for (let at = cell; at < free;) {
      const next = this.#next[at] ?? at + 1;
      this.#next[at] = free;
      at = next;
    }
    return free;
  }
}
