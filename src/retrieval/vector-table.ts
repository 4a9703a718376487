/** How two vectors are compared; both give 1 for the same direction. */
export type Metric = "angular" | "cosine";

export interface VectorHit {
  /** Number of the row, in the order of adding. */
  readonly row: number;
  readonly score: number;
}

const FIRST_CAPACITY = 64;
const ROUNDING = 1e-6;

/**
 * Unit vectors in one block of memory, dimension by dimension, so that a search reads it in order. Rows are only ever
 * added.
 *
 * INVARIANT: every row has length one, or is all zero and then never matches anything better than a right angle.
 */
export class VectorTable {
  readonly #metric: Metric;
  #dimensions = 0;
  #rows = 0;
  #capacity = 0;
  #data = new Float32Array(0);

  constructor(metric: Metric) {
    this.#metric = metric;
  }

  get size(): number {
    return this.#rows;
  }

  /**
   * Adds all rows or none.
   *
   * @throws RangeError when a vector is not as long as the others or holds what is no finite number
   */
  addAll(vectors: readonly ArrayLike<number>[]): void {
    const dimensions = this.#rows === 0 ? (vectors[0]?.length ?? 0) : this.#dimensions;
    const units = vectors.map((vector) => toUnit(vector, dimensions));
    this.#dimensions = dimensions;
    for (const unit of units) this.#add(unit);
  }

  #add(unit: Float32Array): void {
    if (this.#rows === this.#capacity) this.#grow();
    for (let at = 0; at < unit.length; at += 1) this.#data[at * this.#capacity + this.#rows] = unit[at] as number;
    this.#rows += 1;
  }

  #grow(): void {
    const capacity = Math.max(FIRST_CAPACITY, this.#capacity * 2);
    const data = new Float32Array(capacity * this.#dimensions);
    for (let at = 0; at < this.#dimensions; at += 1) {
      const start = at * this.#capacity;
      data.set(this.#data.subarray(start, start + this.#rows), at * capacity);
    }
    [this.#data, this.#capacity] = [data, capacity];
  }

  /** The nearest rows, best first; of equal ones the earlier row. */
  search(vector: ArrayLike<number>, maxResults: number, threshold: number | undefined): VectorHit[] {
    if (this.#rows === 0 || maxResults <= 0) return [];
    const query = toUnit(vector, this.#dimensions);
    const cosines = this.#cosines(query);
    const least = threshold !== undefined && Number.isFinite(threshold) ? threshold : -Infinity;
    const best: VectorHit[] = [];
    for (let row = 0; row < this.#rows; row += 1) {
      const cosine = withoutRounding(cosines[row] as number);
      const score = this.#metric === "cosine" ? cosine : angularScore(cosine);
      const last = best.length === maxResults ? (best[maxResults - 1] as VectorHit).score : -Infinity;
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

function toUnit(vector: ArrayLike<number>, dimensions: number): Float32Array {
  if (vector.length !== dimensions || dimensions === 0) {
    throw new RangeError(`a vector has ${vector.length} dimensions, the others have ${dimensions}`);
  }
  const unit = Float32Array.from(vector);
  let sum = 0;
  for (const value of unit) sum += value * value;
  if (!Number.isFinite(sum)) throw new RangeError("a vector holds a value that is no finite number");
  if (sum === 0) return unit;
  const length = Math.sqrt(sum);
  for (let at = 0; at < unit.length; at += 1) unit[at] = (unit[at] as number) / length;
  return unit;
}

/** Where a vector is not zero; n-gram vectors of sentences are so in few places. */
function nonZeroPlaces(vector: Float32Array): number[] {
  const places: number[] = [];
  for (let at = 0; at < vector.length; at += 1) if (vector[at] !== 0) places.push(at);
  return places;
}

/** Near 1 the angular score magnifies rounding; the same text must score 1. */
export function withoutRounding(cosine: number): number {
  return cosine > 1 - ROUNDING ? 1 : cosine;
}

/** Thresholds in configurations mean this score: 1 for the same direction, 0.5 at sixty degrees, 0 for the opposite. */
export function angularScore(cosine: number): number {
  const clamped = Math.max(-1, Math.min(1, cosine));
  return 1 - Math.sqrt(2 - 2 * clamped) / 2;
}

function insert(best: VectorHit[], hit: VectorHit, maxResults: number): void {
  let at = best.length;
  while (at > 0 && (best[at - 1] as VectorHit).score < hit.score) at -= 1;
  best.splice(at, 0, hit);
  if (best.length > maxResults) best.pop();
}
