const NONE = -1;
/** First characters with a slot of their own; all others go through a map. */
const DIRECT = 0x600;
/** Second characters with a slot of their own. */
const ASCII = 0x80;

/** Words and stems, found while the characters of a word are read. Nodes are numbers; -1 means that nothing continues. */
export class WordTrie {
  readonly #codes: number[] = [0];
  readonly #children: number[] = [NONE];
  readonly #siblings: number[] = [NONE];
  readonly #words: number[] = [NONE];
  readonly #stems: number[] = [NONE];
  readonly #first = new Int32Array(DIRECT).fill(NONE);
  readonly #others = new Map<number, number>();
  /** Children of the nodes of the first character by ASCII character: most words leave the trie here. */
  readonly #second: (Int32Array | undefined)[] = [undefined];
  #size = 0;

  /** Number of the words and stems that were added. */
  get size(): number {
    return this.#size;
  }

  /** Returns the id of a word or stem; adds it unless it is known. */
  add(text: string, isStem: boolean): number {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const next = at === 0 ? this.first(code) : this.next(node, code);
      node = next === NONE ? this.#append(node, code) : next;
    }
    const ids = isStem ? this.#stems : this.#words;
    const id = ids[node] ?? NONE;
    return id === NONE ? (ids[node] = this.#size++) : id;
  }

  /** Returns the node of the first character of a word. */
  first(code: number): number {
    return (code < DIRECT ? this.#first[code] : this.#others.get(code)) ?? NONE;
  }

  /** Returns the node after a further character. */
  next(node: number, code: number): number {
    if (code < ASCII) {
      const row = this.#second[node];
      if (row !== undefined) return row[code] ?? NONE;
    }
    let child = this.#children[node] ?? NONE;
    while (child !== NONE && this.#codes[child] !== code) child = this.#siblings[child] ?? NONE;
    return child;
  }

  /** Returns the id of the word that ends at a node, or -1. */
  wordAt(node: number): number {
    return this.#words[node] ?? NONE;
  }

  /** Returns the id of the stem that ends at a node, or -1. */
  stemAt(node: number): number {
    return this.#stems[node] ?? NONE;
  }

  #append(parent: number, code: number): number {
    const node = this.#codes.push(code) - 1;
    this.#children.push(NONE);
    this.#words.push(NONE);
    this.#stems.push(NONE);
    this.#siblings.push(NONE);
    this.#second.push(parent === 0 ? new Int32Array(ASCII).fill(NONE) : undefined);
    const row = this.#second[parent];
    if (parent === 0) {
      if (code < DIRECT) this.#first[code] = node;
      else this.#others.set(code, node);
    } else if (row !== undefined && code < ASCII) row[code] = node;
    else {
      this.#siblings[node] = this.#children[parent] ?? NONE;
      this.#children[parent] = node;
    }
    return node;
  }
}
