import { bestOf } from "../../embedding-index.js";
import { type DenseRows, type HybridTables, NGRAMS } from "./hybrid-model.js";
import type { ScoringTables } from "../intent-model.js";
import type { LeftOut } from "../intent-scorer.js";
import type { DualWeights } from "../linear-svm.js";
import type { QueryVector } from "../sparse-rows.js";

/** A left-out example, with its similarity to the examples of its own intent and of its rival. */
export interface HybridLeftOut extends LeftOut {
  /** Cosine with the nearest other example of its intent; undefined for the only one. */
  readonly ownCosine: number | undefined;
  readonly rivalCosine: number;
}

/** Dual weights of both trainings, by row and class. */
export interface HybridDuals {
  readonly joint: DualWeights;
  readonly ngrams: DualWeights;
}

/** The part of the tables of n-grams that scoring by vectors needs. */
type NgramTables = Pick<ScoringTables, "rows" | "classStarts" | "textOf" | "examples">;

/** Number of classes compared example by example; others cannot reach their score in practice. */
const MAX_COMPARED = 3;
/** Rows whose cosines are computed together. */
const ROWS_AT_ONCE = 4;

/**
 * Scores a text by its n-grams and its vector: a linear function per class, and the similarity of the nearest example
 * for the best classes. The next text overwrites the results.
 */
export class HybridScorer {
  /** The compared classes, best first; ties in label order. */
  labels: readonly number[] = [];
  /** Scores by class, for those in `labels`. */
  readonly scores: Float64Array;
  /** Largest cosine with an example by class, for those in `labels`. */
  readonly cosines: Float64Array;
  /** Row of the nearest example by class, for those in `labels`. */
  readonly nearest: Int32Array;
  readonly #tables: HybridTables;
  readonly #ngrams: NgramTables;
  readonly #linear: Float64Array;
  /** Vector of the text being scored. */
  readonly #vector: Float64Array;
  /** Cosines of the last compared rows. */
  readonly #rowCosines = new Float64Array(ROWS_AT_ONCE);
  /** Values of the text being scored, by n-gram. */
  readonly #ngramValues: Float32Array;

  constructor(tables: HybridTables, ngrams: NgramTables) {
    const classes = tables.constants.length;
    this.#tables = tables;
    this.#ngrams = ngrams;
    this.#linear = new Float64Array(classes);
    this.#vector = new Float64Array(tables.vectors.dimensions);
    this.#ngramValues = new Float32Array(tables.width);
    this.scores = new Float64Array(classes);
    this.cosines = new Float64Array(classes);
    this.nearest = new Int32Array(classes).fill(-1);
  }

  /** Finds at least `max` of the best classes, if there are as many. */
  rank({ places, values, count }: QueryVector, vector: Float32Array, max: number): void {
    this.#score(places, values, 0, count);
    this.#vector.set(vector);
    this.#addVector();
    this.#spread(places, values, 0, count);
    const { nearest } = this.#tables.parts;
    const wanted = Math.min(Math.max(max, MAX_COMPARED), this.#linear.length);
    const labels: number[] = [];
    for (const label of bestOf(this.#linear, wanted)) {
      // A similarity is at most 1: a class that cannot be among the best is not compared.
      const bound = (this.#linear[label] as number) + nearest;
      if (labels.length >= max && labels.every((other) => bound < (this.scores[other] as number))) break;
      this.#compare(label, -1);
      labels.push(label);
    }
    this.#clear(places, 0, count);
    this.labels = labels.sort((a, b) => (this.scores[b] as number) - (this.scores[a] as number) || a - b);
  }

  /** Scores a row as if it were not an example. */
  leaveOut(row: number, own: number, duals: HybridDuals): HybridLeftOut {
    const { rows } = this.#ngrams;
    const { vectors, lengths, parts } = this.#tables;
    const classes = this.#linear.length;
    const start = row * vectors.dimensions;
    const [first, end] = [rows.starts[row] as number, rows.starts[row + 1] as number];
    this.#score(rows.places, rows.values, first, end);
    this.#vector.set(vectors.values.subarray(start, start + vectors.dimensions));
    this.#addVector();
    this.#spread(rows.places, rows.values, first, end);
    // As an example, it is nearest to itself.
    const kept = (this.#linear[own] as number) + parts.nearest;
    const sum = this.#compare(own, row);
    const ownCosine = this.nearest[own] === -1 ? undefined : (this.cosines[own] as number);
    const length = lengths[own] as number;
    const square = length ** 2 - 2 * sum - 1;
    const others = square > Number.EPSILON ? sum / Math.sqrt(square) : 0;
    const middle = length > 0 ? (sum + 1) / length - others : 0;
    const rivals = bestOf(this.#linear, MAX_COMPARED).filter((label) => label !== own);
    for (const label of rivals) this.#compare(label, -1);
    this.#clear(rows.places, first, end);
    const similarity = [own, ...rivals].reduce((best, label) => Math.max(best, this.cosines[label] as number), 0);
    // Without it, similar rows would take over its weight.
    const share = 1 - Math.min(1, similarity);
    const supportOf = (label: number): number => {
      const at = row * classes + label;
      return share * (parts.machine * (duals.joint[at] ?? 0) + NGRAMS * (duals.ngrams[at] ?? 0));
    };
    let [rival, rivalCosine] = [-Infinity, 0];
    for (const label of rivals) {
      const score = (this.scores[label] as number) + supportOf(label);
      if (score > rival) [rival, rivalCosine] = [score, this.cosines[label] as number];
    }
    const ownScore = (this.scores[own] as number) - supportOf(own) - parts.middle * middle;
    return { kept, own: ownScore, rival, ownCosine, rivalCosine };
  }

  /** Best score of a text without words and direction. */
  scoreOfNothing(): number {
    return this.#tables.constants.reduce((best, constant) => Math.max(best, constant), -Infinity);
  }

  /** Average number of multiplications for leaving out a row. */
  get workPerRow(): number {
    const { vectors, weights } = this.#tables;
    const compared = Math.min(1, (MAX_COMPARED + 1) / Math.max(1, this.#linear.length));
    return vectors.values.length * compared + vectors.dimensions * this.#linear.length + weights.length / 100;
  }

  #spread(places: Int32Array, values: Float32Array, start: number, end: number): void {
    for (let entry = start; entry < end; entry += 1)
      this.#ngramValues[places[entry] as number] = values[entry] as number;
  }

  #clear(places: Int32Array, start: number, end: number): void {
    for (let entry = start; entry < end; entry += 1) this.#ngramValues[places[entry] as number] = 0;
  }

  #score(places: Int32Array, values: Float32Array, start: number, end: number): void {
    const { constants, weights } = this.#tables;
    const linear = this.#linear;
    const classes = linear.length;
    linear.set(constants);
    for (let entry = start; entry < end; entry += 1) {
      const base = Math.imul(places[entry] as number, classes);
      const value = values[entry] as number;
      for (let label = 0; label < classes; label += 1) {
        linear[label] = (linear[label] as number) + value * (weights[(base + label) | 0] as number);
      }
    }
  }

  #addVector(): void {
    const vector = this.#vector;
    const { weights, width, vectors } = this.#tables;
    const linear = this.#linear;
    const classes = linear.length;
    const end = vectors.dimensions & ~3;
    let axis = 0;
    for (; axis < end; axis += 4) {
      const a = Math.imul(width + axis, classes);
      const [b, c, d] = [a + classes, a + 2 * classes, a + 3 * classes];
      const w = vector[axis] as number;
      const x = vector[axis + 1] as number;
      const y = vector[axis + 2] as number;
      const z = vector[axis + 3] as number;
      for (let label = 0; label < classes; label += 1) {
        const first = w * (weights[(a + label) | 0] as number) + x * (weights[(b + label) | 0] as number);
        const second = y * (weights[(c + label) | 0] as number) + z * (weights[(d + label) | 0] as number);
        linear[label] = (linear[label] as number) + first + second;
      }
    }
    for (; axis < vectors.dimensions; axis += 1) {
      const base = Math.imul(width + axis, classes);
      const value = vector[axis] as number;
      for (let label = 0; label < classes; label += 1) {
        linear[label] = (linear[label] as number) + value * (weights[(base + label) | 0] as number);
      }
    }
  }

  /** Compares the text with the examples of a class, except one; returns the sum of the cosines. */
  #compare(label: number, except: number): number {
    const { vectors, parts } = this.#tables;
    const { ngramShare } = parts;
    const { classStarts, textOf, examples } = this.#ngrams;
    const rowCosines = this.#rowCosines;
    let [cosine, best, nearest, sum] = [-1, -1, -1, 0];
    const first = classStarts[label] as number;
    const last = classStarts[label + 1] as number;
    for (let row = first; row < last; row += 1) {
      const at = (row - first) % ROWS_AT_ONCE;
      if (at === 0) multiplyRows(vectors, row, Math.min(ROWS_AT_ONCE, last - row), this.#vector, rowCosines);
      if (row === except || (textOf[row] as number) >= examples) continue;
      const found = rowCosines[at] as number;
      sum += found;
      if (found > cosine) cosine = found;
      const ofVectors = (1 - ngramShare) * found;
      if (ofVectors + ngramShare <= best) continue;
      const similarity = ofVectors + ngramShare * this.#sharedNgrams(row);
      if (similarity <= best) continue;
      best = similarity;
      nearest = row;
    }
    this.cosines[label] = nearest === -1 ? 0 : cosine;
    this.nearest[label] = nearest;
    this.scores[label] = (this.#linear[label] as number) + (nearest === -1 ? 0 : parts.nearest * best);
    return sum;
  }

  /** Returns the cosine of a row's n-grams with those of the text. */
  #sharedNgrams(row: number): number {
    const { starts, places, values } = this.#ngrams.rows;
    const end = starts[row + 1] as number;
    let sum = 0;
    for (let entry = starts[row] as number; entry < end; entry += 1) {
      sum += (values[entry] as number) * (this.#ngramValues[places[entry] as number] as number);
    }
    return sum;
  }
}

/** Writes the products of a vector with up to four adjacent rows, reading each of its numbers once. */
function multiplyRows(
  { values, dimensions }: DenseRows,
  row: number,
  count: number,
  vector: Float64Array,
  products: Float64Array,
): void {
  const a = row * dimensions;
  // Missing rows repeat the last one.
  const at = (index: number): number => a + Math.min(index, count - 1) * dimensions;
  const [b, c, d] = [at(1), at(2), at(3)];
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let axis = 0; axis < dimensions; axis += 1) {
    const value = vector[axis] as number;
    first += (values[a + axis] as number) * value;
    second += (values[b + axis] as number) * value;
    third += (values[c + axis] as number) * value;
    fourth += (values[d + axis] as number) * value;
  }
  products[0] = first;
  products[1] = second;
  products[2] = third;
  products[3] = fourth;
}
