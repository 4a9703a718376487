const ROOT = 0;
const NONE = -1;

/**
 * Automaton of Aho and Corasick over UTF-16 code units: finds all occurrences of many literals in one pass, in time linear in
 * the length of the text and the number of occurrences. Transitions stand in one hash table, since most states have one; those of
 * the states that most characters lead to, the root and its children, in rows.
 */
export class TriggerAutomaton {
  /** Symbols of code units; 0 for those that no trigger has. For loops over texts, as the next three. */
  readonly classes = new Uint16Array(0x10000);
  /** Next states of the root and its children, a row of all symbols each, and the offset of the row of a state, or -1. */
  readonly rows: Int32Array;
  readonly rowOf: Int32Array;
  /** First state on the chain of failures, itself included, in which a trigger ends, or -1. */
  readonly firstOutputs: Int32Array;
  readonly #failures: Int32Array;
  /** Triggers that end in a state, and the next state on its chain of failures in which one ends. */
  readonly #outputs: readonly (readonly number[] | undefined)[];
  readonly #outputLinks: Int32Array;
  readonly #depths: Uint16Array;
  readonly #keys: Int32Array;
  readonly #targets: Int32Array;
  readonly #mask: number;
  readonly #classCount: number;

  /** Builds the automaton of literals that are not empty. */
  constructor(triggers: readonly string[]) {
    const { nodes, outputs, classCount } = this.#buildTrie(triggers);
    this.#classCount = classCount;
    this.#outputs = outputs;
    const size = 2 ** Math.ceil(Math.log2(2 * nodes.length + 2));
    this.#mask = size - 1;
    this.#keys = new Int32Array(size).fill(NONE);
    this.#targets = new Int32Array(size);
    this.rowOf = new Int32Array(nodes.length).fill(NONE);
    this.rows = new Int32Array(((nodes[ROOT]?.size ?? 0) + 1) * classCount);
    this.#failures = new Int32Array(nodes.length);
    this.#depths = new Uint16Array(nodes.length);
    this.#outputLinks = new Int32Array(nodes.length).fill(NONE);
    this.firstOutputs = new Int32Array(nodes.length);
    this.#link(nodes);
    this.#fillRows([ROOT, ...(nodes[ROOT]?.values() ?? [])]);
    for (let state = 0; state < nodes.length; state++) {
      this.firstOutputs[state] = this.#outputs[state] === undefined ? (this.#outputLinks[state] ?? NONE) : state;
    }
  }

  /** Returns the state after a symbol other than 0; the first state is 0. */
  next(state: number, symbol: number): number {
    for (let from = state; ; from = this.#failures[from] ?? ROOT) {
      const row = this.rowOf[from] ?? NONE;
      if (row !== NONE) return this.rows[row + symbol] ?? ROOT;
      const target = this.#target(from, symbol);
      if (target !== NONE) return target;
    }
  }

  /** Length of the longest end of the text read that begins a trigger. */
  depthOf(state: number): number {
    return this.#depths[state] ?? 0;
  }

  /** Calls `visit` with the index of each trigger that ends in a state. */
  visitOutputs(state: number, visit: (trigger: number) => void): void {
    for (let at = this.firstOutputs[state] ?? NONE; at !== NONE; at = this.#outputLinks[at] ?? NONE) {
      for (const trigger of this.#outputs[at] ?? []) visit(trigger);
    }
  }

  #target(state: number, symbol: number): number {
    const key = state * this.#classCount + symbol;
    for (let slot = hash(key) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const found = this.#keys[slot];
      if (found === key) return this.#targets[slot] ?? NONE;
      if (found === NONE) return NONE;
    }
  }

  #buildTrie(triggers: readonly string[]) {
    const nodes: Map<number, number>[] = [new Map()];
    const outputs: number[][] = [];
    let classCount = 1;
    triggers.forEach((trigger, index) => {
      let state = ROOT;
      for (let at = 0; at < trigger.length; at++) {
        const code = trigger.charCodeAt(at);
        const symbol = this.classes[code] || classCount++;
        this.classes[code] = symbol;
        const target = nodes[state]?.get(symbol) ?? nodes.push(new Map()) - 1;
        nodes[state]?.set(symbol, target);
        state = target;
      }
      (outputs[state] ??= []).push(index);
    });
    return { nodes, outputs, classCount };
  }

  /** Breadth first, so that the failure of a state is known before its children. */
  #link(nodes: readonly ReadonlyMap<number, number>[]): void {
    const queue = [ROOT];
    for (const state of queue) {
      for (const [symbol, target] of nodes[state] ?? []) {
        const failure = state === ROOT ? ROOT : this.next(this.#failures[state] ?? ROOT, symbol);
        this.#failures[target] = failure;
        this.#depths[target] = (this.#depths[state] ?? 0) + 1;
        this.#outputLinks[target] =
          this.#outputs[failure] === undefined ? (this.#outputLinks[failure] ?? NONE) : failure;
        queue.push(target);
      }
      for (const [symbol, target] of nodes[state] ?? []) this.#store(state, symbol, target);
      // The row of the root, from the first: failures lead to it.
      if (state === ROOT) this.#fillRows([ROOT]);
    }
  }

  #fillRows(states: readonly number[]): void {
    states.forEach((state, index) => {
      const row = index * this.#classCount;
      for (let symbol = 1; symbol < this.#classCount; symbol++) {
        const target = this.#target(state, symbol);
        this.rows[row + symbol] = target !== NONE ? target : (this.rows[symbol] ?? ROOT);
      }
      this.rowOf[state] = row;
    });
  }

  #store(state: number, symbol: number, target: number): void {
    const key = state * this.#classCount + symbol;
    let slot = hash(key) & this.#mask;
    while (this.#keys[slot] !== NONE) slot = (slot + 1) & this.#mask;
    this.#keys[slot] = key;
    this.#targets[slot] = target;
  }
}

function hash(key: number): number {
  const mixed = Math.imul(key ^ (key >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
