/** How two vectors are compared; both give 1 for the same direction. */
export type Metric = "angular" | "cosine";

export interface VectorHit {
  /** Number of the row, in the order of adding. */
  readonly row: number;
  readonly score: number;
}

const FIRST_CAPACITY = 64;

/**
 * Unit vectors in one block of memory. Rows are only ever added.
 *
 * INVARIANT: every row has length one, or is all zero and then never matches anything better than a right angle.
 */
export class VectorTable {
  readonly #metric: Metric;
  #dimensions = 0;
  #rows = 0;
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
    const start = this.#rows * this.#dimensions;
    if (start + this.#dimensions > this.#data.length) {
      const grown = new Float32Array(Math.max(FIRST_CAPACITY * this.#dimensions, this.#data.length * 2));
      grown.set(this.#data);
      this.#data = grown;
    }
    this.#data.set(unit, start);
    this.#rows += 1;
  }

  /** The nearest rows, best first; of equal ones the earlier row. */
  search(vector: ArrayLike<number>, maxResults: number, threshold: number | undefined): VectorHit[] {
    if (this.#rows === 0 || maxResults <= 0) return [];
    const query = toUnit(vector, this.#dimensions);
    const data = this.#data;
    const size = this.#dimensions;
    const least = threshold !== undefined && Number.isFinite(threshold) ? threshold : -Infinity;
    const best: VectorHit[] = [];
    for (let row = 0, start = 0; row < this.#rows; row += 1, start += size) {
      let cosine = 0;
      for (let at = 0; at < size; at += 1) cosine += (query[at] as number) * (data[start + at] as number);
      const score = this.#metric === "cosine" ? cosine : angularScore(cosine);
      const last = best.length === maxResults ? (best[maxResults - 1] as VectorHit).score : -Infinity;
      if (score < least || score <= last) continue;
      insert(best, { row, score }, maxResults);
    }
    return best;
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
