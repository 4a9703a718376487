import type { FeatureReader } from "./features.js";

/**
 * Rows of a sparse matrix: row `r` has the entries from `starts[r]` to `starts[r + 1]`, each a position and its value,
 * in ascending position. Plain data that can be sent to threads.
 */
export interface SparseRows {
  readonly starts: Int32Array;
  readonly places: Int32Array;
  readonly values: Float32Array;
}

/**
 * Transposes the matrix: for every position, the rows that are nonzero there.
 *
 * @param order - the included rows, first to last
 */
function transpose({ starts, places, values }: SparseRows, width: number, order: Int32Array): SparseRows {
  const turned = new Int32Array(width + 1);
  for (const place of places) turned[place + 1] = (turned[place + 1] as number) + 1;
  for (let place = 0; place < width; place += 1) {
    turned[place + 1] = (turned[place + 1] as number) + (turned[place] as number);
  }
  const next = turned.slice();
  const rows = { starts: turned, places: new Int32Array(places.length), values: new Float32Array(places.length) };
  for (let position = 0; position < order.length; position += 1) {
    const row = order[position] as number;
    const end = starts[row + 1] as number;
    for (let entry = starts[row] as number; entry < end; entry += 1) {
      const place = places[entry] as number;
      const at = next[place] as number;
      rows.places[at] = position;
      rows.values[at] = values[entry] as number;
      next[place] = at + 1;
    }
  }
  return rows;
}

/** Rare n-grams of the examples count more, but the background weights cover most of that. */
const RARITY_POWER = 0.4;
const FREE = -1;

/** N-grams of the examples. Plain data that can be sent to threads. */
export interface Vocabulary {
  /** An open hash table: the codes of n-grams with their positions, or -1 for a free slot. */
  readonly codes: Int32Array;
  readonly placeOf: Int32Array;
  /** By position; one more at the end for n-grams that no example has. */
  readonly rarity: Float64Array;
}

/** Number of distinct n-grams. */
export function widthOf({ rarity }: Vocabulary): number {
  return rarity.length - 1;
}

interface Encoded {
  readonly vocabulary: Vocabulary;
  readonly rows: SparseRows;
  /** The transposed rows: for every n-gram, the rows that contain it. */
  readonly postings: SparseRows;
}

/** Collects the n-grams of examples, and converts the examples to rows at the end. */
export class VocabularyBuilder {
  #codes = new Int32Array(1024);
  #ids = new Int32Array(1024).fill(FREE);
  /** Number of texts with each n-gram, in the order of first appearance. */
  #counts = new Int32Array(512);
  #size = 0;
  readonly #starts: Int32Array;
  #row = 0;
  #places = new Int32Array(4096);
  #weights = new Float64Array(4096);

  /** @param texts - number of texts that will be added */
  constructor(texts: number) {
    this.#starts = new Int32Array(texts + 1);
  }

  add({ count, codes, weights }: FeatureReader): void {
    let entry = this.#starts[this.#row] as number;
    if (entry + count > this.#places.length) {
      this.#places = grown(this.#places, 2 * (entry + count));
      this.#weights = grown(this.#weights, 2 * (entry + count));
    }
    for (let at = 0; at < count; at += 1) {
      const id = this.#idOf(codes[at] as number);
      this.#counts[id] = (this.#counts[id] as number) + 1;
      this.#places[entry] = id;
      this.#weights[entry] = weights[at] as number;
      entry += 1;
    }
    this.#row += 1;
    this.#starts[this.#row] = entry;
  }

  /**
   * Common n-grams get the first positions, so that the most frequent reads are adjacent.
   *
   * @param order - texts in the order of their rows
   */
  finish(order: Int32Array): Encoded {
    const texts = this.#row;
    const counts = this.#counts.subarray(0, this.#size);
    const placeOf = placesByCount(counts, texts);
    const rarity = new Float64Array(this.#size + 1).fill(rarityOf(0, texts));
    for (let id = 0; id < this.#size; id += 1) rarity[placeOf[id] as number] = rarityOf(counts[id] as number, texts);
    const entries = this.#starts[texts] as number;
    const places = this.#places.subarray(0, entries);
    const values = new Float32Array(entries);
    for (let row = 0; row < texts; row += 1) {
      const [start, end] = [this.#starts[row] as number, this.#starts[row + 1] as number];
      let sum = 0;
      for (let entry = start; entry < end; entry += 1) {
        const place = placeOf[places[entry] as number] as number;
        const value = (this.#weights[entry] as number) * (rarity[place] as number);
        places[entry] = place;
        this.#weights[entry] = value;
        sum += value * value;
      }
      const length = Math.sqrt(sum) || 1;
      for (let entry = start; entry < end; entry += 1) values[entry] = (this.#weights[entry] as number) / length;
    }
    const ids = this.#ids.map((id) => (id === FREE ? FREE : (placeOf[id] as number)));
    const unsorted = { starts: this.#starts, places, values };
    const postings = transpose(unsorted, this.#size, order);
    const rows = transpose(
      postings,
      texts,
      Int32Array.from({ length: this.#size }, (_, place) => place),
    );
    return { vocabulary: { codes: this.#codes, placeOf: ids, rarity }, rows, postings };
  }

  #idOf(code: number): number {
    const slot = slotOf(this.#codes, this.#ids, code);
    const known = this.#ids[slot] as number;
    if (known !== FREE) return known;
    const id = this.#size;
    this.#size += 1;
    this.#codes[slot] = code;
    this.#ids[slot] = id;
    if (this.#size === this.#counts.length) this.#grow();
    return id;
  }

  /** Keeps the hash table at most half full. */
  #grow(): void {
    const [codes, ids] = [this.#codes, this.#ids];
    this.#counts = grown(this.#counts, 2 * this.#counts.length);
    this.#codes = new Int32Array(2 * codes.length);
    this.#ids = new Int32Array(2 * codes.length).fill(FREE);
    for (let at = 0; at < codes.length; at += 1) {
      if (ids[at] === FREE) continue;
      const slot = slotOf(this.#codes, this.#ids, codes[at] as number);
      this.#codes[slot] = codes[at] as number;
      this.#ids[slot] = ids[at] as number;
    }
  }
}

function rarityOf(count: number, texts: number): number {
  return Math.log((texts + 1) / (count + 0.5)) ** RARITY_POWER;
}

/** Ranks by descending count; ties in order. */
function placesByCount(counts: Int32Array, texts: number): Int32Array {
  const next = new Int32Array(texts + 1);
  for (const count of counts) next[texts - count] = (next[texts - count] as number) + 1;
  let before = 0;
  for (let at = 0; at <= texts; at += 1) {
    const found = next[at] as number;
    next[at] = before;
    before += found;
  }
  return counts.map((count) => {
    const place = next[texts - count] as number;
    next[texts - count] = place + 1;
    return place;
  });
}

/** Returns the slot of a code, or the free one where it belongs. */
function slotOf(codes: Int32Array, ids: Int32Array, code: number): number {
  const mask = codes.length - 1;
  let slot = code & mask;
  while (ids[slot] !== FREE && codes[slot] !== code) slot = (slot + 1) & mask;
  return slot;
}

function grown<Numbers extends Int32Array | Float64Array>(numbers: Numbers, length: number): Numbers {
  const more = new (numbers.constructor as new (length: number) => Numbers)(length);
  more.set(numbers);
  return more;
}

/** A text as a unit vector over the n-grams of a vocabulary, in buffers that the next text overwrites. */
export class QueryVector {
  /** Number of entries of `places` and `values` used by the text. */
  count = 0;
  places: Int32Array = new Int32Array(256);
  values: Float32Array = new Float32Array(256);
  /** Length of the vector without n-grams that no example has. */
  norm = 0;
  readonly #vocabulary: Vocabulary;
  #weights = new Float64Array(256);
  /** Values of the text being read, by position. */
  readonly #dense: Float32Array;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#dense = new Float32Array(widthOf(vocabulary));
  }

  /** N-grams that no example has are not part of the vector, but reduce the weight of others. */
  read({ count, codes, weights }: FeatureReader): this {
    const dense = this.#dense;
    const { codes: table, placeOf, rarity } = this.#vocabulary;
    this.count = 0;
    if (this.places.length < count) {
      this.places = new Int32Array(2 * count);
      this.values = new Float32Array(2 * count);
      this.#weights = new Float64Array(2 * count);
    }
    let known = 0;
    let sum = 0;
    for (let at = 0; at < count; at += 1) {
      const place = placeOf[slotOf(table, placeOf, codes[at] as number)] as number;
      const value = (weights[at] as number) * (rarity[place === FREE ? rarity.length - 1 : place] as number);
      sum += value * value;
      if (place === FREE) continue;
      known += value * value;
      this.places[this.count] = place;
      this.#weights[this.count] = value;
      this.count += 1;
    }
    const length = Math.sqrt(sum) || 1;
    this.norm = Math.sqrt(known) / length;
    for (let entry = 0; entry < this.count; entry += 1) {
      dense[this.places[entry] as number] = (this.#weights[entry] as number) / length;
    }
    // Values follow their places into the order of rows.
    this.places.subarray(0, this.count).sort();
    for (let entry = 0; entry < this.count; entry += 1) {
      this.values[entry] = dense[this.places[entry] as number] as number;
    }
    return this;
  }
}
