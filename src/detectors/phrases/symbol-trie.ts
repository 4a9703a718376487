const NONE = -1;
const ROOTLESS = -2;

/** Numbers of a trie: in 16 bits if all fit, so that twice as many of them stay in the processor's cache. */
export type CellNumbers = Uint16Array | Int32Array;

/** Returns an array of numbers from 0 to a largest one. */
export function cellNumbers(length: number, largest: number): CellNumbers {
  return largest <= 0xffff ? new Uint16Array(length) : new Int32Array(length);
}

/** More than the symbols of a trie. */
const STRIDE = 0x8000;
/** Steps for which a builder has room at first. */
const FIRST_SIZE = 0x1000;

/**
 * Set of sequences of symbols while it grows. Nodes are numbers; the root is 0. Symbols are between 1 and 32,767.
 *
 * Steps are kept in one hash table of numbers: a map, and arrays for each node, took three times as long in a new process.
 */
export class SymbolTrieBuilder {
  /** Steps by their hash: node and symbol as one number, or 0 for none. */
  #keys = new Float64Array(2 * FIRST_SIZE);
  /** Node that the step of a slot leads to. */
  #nodes = new Int32Array(2 * FIRST_SIZE);
  /** Of each node its symbol, its last child and the child of its parent before it; 0 for none. */
  #symbols = new Int32Array(FIRST_SIZE);
  #children = new Int32Array(FIRST_SIZE);
  #siblings = new Int32Array(FIRST_SIZE);
  #size = 1;

  get size(): number {
    return this.#size;
  }

  /** Returns the node after a symbol; adds it unless it is known. */
  step(node: number, symbol: number): number {
    const key = node * STRIDE + symbol;
    const keys = this.#keys;
    const mask = keys.length - 1;
    let slot = hash(key) & mask;
    while (keys[slot] !== 0) {
      if (keys[slot] === key) return this.#nodes[slot] ?? 0;
      slot = (slot + 1) & mask;
    }
    const added = this.#size++;
    keys[slot] = key;
    this.#nodes[slot] = added;
    if (added === this.#symbols.length) this.#grow();
    this.#symbols[added] = symbol;
    this.#siblings[added] = this.#children[node] ?? 0;
    this.#children[node] = added;
    return added;
  }

  /** Returns the last child of a node, or 0. */
  lastChildOf(node: number): number {
    return this.#children[node] ?? 0;
  }

  /** Returns the child of the same parent that was added before a node, or 0. */
  siblingOf(node: number): number {
    return this.#siblings[node] ?? 0;
  }

  /** Returns the symbol that leads to a node. */
  symbolOf(node: number): number {
    return this.#symbols[node] ?? 0;
  }

  #grow(): void {
    this.#symbols = doubled(this.#symbols);
    this.#children = doubled(this.#children);
    this.#siblings = doubled(this.#siblings);
    const [keys, nodes] = [this.#keys, this.#nodes];
    this.#keys = new Float64Array(2 * keys.length);
    this.#nodes = new Int32Array(2 * keys.length);
    const mask = this.#keys.length - 1;
    keys.forEach((key, from) => {
      if (key === 0) return;
      let slot = hash(key) & mask;
      while (this.#keys[slot] !== 0) slot = (slot + 1) & mask;
      this.#keys[slot] = key;
      this.#nodes[slot] = nodes[from] ?? 0;
    });
  }
}

/**
 * Set of sequences of symbols as a double array: the children of a state lie in one table at its base plus their symbol, so
 * that a step is one addition and one comparison. States are numbers; the root is 0.
 */
export class SymbolTrie {
  /** State of each node of the builder. */
  readonly stateOf: Int32Array;
  /** Of each state the cell of its first symbol; of a cell the state whose child lies in it, or `size`. For loops over many steps. */
  readonly bases: CellNumbers;
  readonly parents: CellNumbers;

  constructor(builder: SymbolTrieBuilder) {
    const cells = new Cells(builder.size);
    const stateOf = new Int32Array(builder.size);
    const base = new Int32Array(builder.size);
    const queue = new Int32Array(builder.size);
    const symbols: number[] = [];
    // Breadth first: children follow in the queue.
    for (let read = 0, written = 1; read < written; read++) {
      const node = queue[read] ?? 0;
      symbols.length = 0;
      for (let child = builder.lastChildOf(node); child !== 0; child = builder.siblingOf(child)) {
        symbols.push(builder.symbolOf(child));
        queue[written++] = child;
      }
      if (symbols.length === 0) continue;
      const offset = cells.take(symbols, stateOf[node] ?? 0);
      base[node] = offset;
      for (let child = builder.lastChildOf(node); child !== 0; child = builder.siblingOf(child)) {
        stateOf[child] = offset + builder.symbolOf(child);
      }
    }
    this.stateOf = stateOf;
    // States without children get a base beyond all cells that have a parent.
    const { size } = cells;
    this.bases = cellNumbers(size, size).fill(size);
    for (const node of queue) {
      if (builder.lastChildOf(node) !== 0) this.bases[stateOf[node] ?? 0] = base[node] ?? 0;
    }
    this.parents = cellNumbers(2 * size + STRIDE, size).fill(size);
    for (let cell = 0; cell < size; cell++) {
      const parent = cells.parents[cell] ?? NONE;
      if (parent >= 0) this.parents[cell] = parent;
    }
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
  parents: Int32Array<ArrayBuffer>;
  /** Number of cells up to the last one in use. */
  size = 1;
  /** Cell from which the search for a free one goes on; 0 for the cell itself. */
  #next: Int32Array<ArrayBuffer>;
  /** Cell from which on there is room for several symbols: the gaps before it are left for single ones. */
  #roomy = 1;

  constructor(states: number) {
    this.parents = new Int32Array(2 * states + STRIDE).fill(NONE);
    this.parents[0] = ROOTLESS;
    this.#next = new Int32Array(this.parents.length);
    this.#next[0] = 1;
  }

  /** Takes the cells at an offset plus each of the symbols; returns the offset. */
  take(symbols: readonly number[], state: number): number {
    let least = STRIDE;
    for (const symbol of symbols) if (symbol < least) least = symbol;
    let first = this.#freeFrom(symbols.length === 1 ? least : Math.max(least, this.#roomy));
    while (!this.#hasRoom(symbols, first - least)) first = this.#freeFrom(first + 1);
    if (symbols.length > 1) this.#roomy = Math.max(this.#roomy, first - SCATTER);
    const offset = first - least;
    for (const symbol of symbols) {
      const cell = offset + symbol;
      while (cell >= this.parents.length) this.#grow();
      this.parents[cell] = state;
      this.#next[cell] = cell + 1;
      if (cell >= this.size) this.size = cell + 1;
    }
    return offset;
  }

  #hasRoom(symbols: readonly number[], offset: number): boolean {
    for (const symbol of symbols) if ((this.parents[offset + symbol] ?? NONE) !== NONE) return false;
    return true;
  }

  /** Returns the first free cell from a cell on, and shortens the way to it. */
  #freeFrom(cell: number): number {
    const parents = this.parents;
    const next = this.#next;
    let free = cell;
    while ((parents[free] ?? NONE) !== NONE) free = next[free] ?? free + 1;
    for (let at = cell; at < free;) {
      const on = next[at] ?? free;
      next[at] = free;
      at = on;
    }
    return free;
  }

  #grow(): void {
    const { length } = this.parents;
    const parents = new Int32Array(2 * length).fill(NONE);
    parents.set(this.parents);
    this.parents = parents;
    this.#next = doubled(this.#next);
  }
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(2 * numbers.length);
  grown.set(numbers);
  return grown;
}

function hash(key: number): number {
  const mixed = Math.imul(key ^ (key >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
