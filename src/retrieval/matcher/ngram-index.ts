import {
  DEFAULT_RESULTS,
  type EmbeddingIndex,
  type EmbeddingIndexOptions,
  type IndexItem,
  angularScore,
  withoutRounding,
} from "../embedding-index.js";
import { embedText, NGRAM_DIMENSIONS } from "./ngram-embeddings.js";

/** Large knowledge bases are read with pauses in which other work of the process goes on. */
const TEXTS_PER_PAUSE = 2000;

/**
 * An index that compares texts by their words and letters, with no model at all. Nothing is read before the first search.
 *
 * @throws TypeError when embeddings are given: their vectors belong into a vector store
 *
 * @example
 * ```ts
 * const index = createNgramIndex({ items: [{ text: "hello", meta: { intent: "express greeting" } }] });
 * const [best] = await index.search("hello there", 1);
 * ```
 */
export function createNgramIndex<Item extends IndexItem>(
  options: EmbeddingIndexOptions<Item> = {},
): EmbeddingIndex<Item> {
  if (options.embeddings !== undefined) throw new TypeError("an n-gram index makes its vectors by itself");
  const table = new NgramTable();
  const items: Item[] = [...(options.items ?? [])];
  // Searches that come while it runs go on with the same rows: nothing is read twice.
  const readAll = async (): Promise<void> => {
    table.reserve(items.length);
    while (table.size < items.length) {
      table.add((items[table.size] as Item).text);
      if (table.size % TEXTS_PER_PAUSE === 0) await new Promise<void>((resolve) => setTimeout(resolve, 0));
    }
  };
  return {
    addItems: (added) => {
      items.push(...added);
      return Promise.resolve();
    },
    search: async (text, maxResults = DEFAULT_RESULTS, threshold = options.threshold) => {
      await readAll();
      const least = threshold !== undefined && Number.isFinite(threshold) ? threshold : Number.NEGATIVE_INFINITY;
      const hits = table.search(text, maxResults, least);
      return hits.map(({ row, score }) => ({ item: items[row] as Item, score }));
    },
  };
}

interface TextHit {
  /** Number of the text, in the order of adding. */
  readonly row: number;
  readonly score: number;
}

const FIRST_CAPACITY = 64;

/**
 * The n-gram vectors of texts in one block of memory, dimension by dimension: a query is zero in most dimensions, and those
 * are never read. Texts are only ever added.
 *
 * INVARIANT: every row has length one, or is all zero and then never matches anything better than a right angle.
 */
class NgramTable {
  #rows = 0;
  #capacity = 0;
  #data = new Float32Array(0);

  get size(): number {
    return this.#rows;
  }

  add(text: string): void {
    if (this.#rows === this.#capacity) this.reserve(Math.max(FIRST_CAPACITY, this.#capacity * 2));
    for (const [at, value] of embedText(text).entries()) {
      if (value !== 0) this.#data[at * this.#capacity + this.#rows] = value;
    }
    this.#rows += 1;
  }

  /** Makes room for so many texts in all. */
  reserve(capacity: number): void {
    if (capacity <= this.#capacity) return;
    const data = new Float32Array(capacity * NGRAM_DIMENSIONS);
    for (let at = 0; at < NGRAM_DIMENSIONS; at += 1) {
      const start = at * this.#capacity;
      data.set(this.#data.subarray(start, start + this.#rows), at * capacity);
    }
    [this.#data, this.#capacity] = [data, capacity];
  }

  /** The nearest texts, best first; of equal ones the earlier. */
  search(text: string, maxResults: number, least: number): TextHit[] {
    if (maxResults <= 0) return [];
    const cosines = this.#cosines(embedText(text));
    const best: TextHit[] = [];
    for (const [row, cosine] of cosines.entries()) {
      const score = angularScore(withoutRounding(cosine));
      const last = best.length === maxResults ? (best[maxResults - 1] as TextHit).score : -Infinity;
      if (score >= least && score > last) insert(best, { row, score }, maxResults);
    }
    return best;
  }

  /** Adds up four dimensions at a time over all rows; dimensions in which the query is zero cost nothing. */
  #cosines(query: Float32Array): Float64Array {
    const cosines = new Float64Array(this.#rows);
    const data = this.#data;
    const places = nonZeroPlaces(query);
    // Padding with a place of weight zero spares the loop a remainder.
    const placeAt = (index: number): number => places[index] ?? 0;
    const weightAt = (index: number): number => (index < places.length ? (query[placeAt(index)] as number) : 0);
    for (let index = 0; index < places.length; index += 4) {
      const a = placeAt(index) * this.#capacity;
      const b = placeAt(index + 1) * this.#capacity;
      const c = placeAt(index + 2) * this.#capacity;
      const d = placeAt(index + 3) * this.#capacity;
      const x = weightAt(index);
      const y = weightAt(index + 1);
      const z = weightAt(index + 2);
      const w = weightAt(index + 3);
      for (let row = 0; row < cosines.length; row += 1) {
        const left = x * (data[a + row] as number) + y * (data[b + row] as number);
        const right = z * (data[c + row] as number) + w * (data[d + row] as number);
        cosines[row] = (cosines[row] as number) + left + right;
      }
    }
    return cosines;
  }
}

/** The non-zero places of a vector; n-gram vectors of sentences have few. */
function nonZeroPlaces(vector: Float32Array): number[] {
  const places: number[] = [];
  for (let at = 0; at < vector.length; at += 1) if (vector[at] !== 0) places.push(at);
  return places;
}

function insert(best: TextHit[], hit: TextHit, maxResults: number): void {
  let at = best.length;
  while (at > 0 && (best[at - 1] as TextHit).score < hit.score) at -= 1;
  best.splice(at, 0, hit);
  if (best.length > maxResults) best.pop();
}
