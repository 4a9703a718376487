import { type DualWeights, Margins, passesFor, type TrainingSet } from "./linear-svm.js";
import type { SparseVector } from "./sparse-rows.js";

/** Score of a text in every class, and its nearest row there. */
export interface ClassScores {
  readonly scores: Float64Array;
  /** The example most similar to the text in each class; -1 where none shares anything with it. */
  readonly nearest: Int32Array;
  /** The greatest similarity to any row; 0 when nothing is shared. */
  readonly similarity: number;
}

/**
 * Scores a text in each class: the margin of its machine, the cosine with its nearest row and the cosine with the middle
 * of its rows, added up. Not safe for use from inside its own results: they are overwritten by the next call.
 */
export class IntentScorer {
  readonly #set: TrainingSet;
  readonly #dual: DualWeights;
  readonly #machines: Margins | undefined;
  readonly #postings: Postings;
  readonly #similarities: Float32Array;
  /** Squared length of the sum of a class's rows. */
  readonly #squares: Float64Array;
  readonly #best: Float64Array;
  readonly #sums: Float64Array;
  readonly #scores: Float64Array;
  readonly #nearest: Int32Array;
  readonly #closeness: Float64Array;
  readonly #examples: number;
  /** The vector that similarities and margins belong to: a row is often scored with and without itself. */
  #vector: SparseVector | undefined;
  #margins: Float32Array | undefined;

  /** @param examples how many rows are examples; the rows after them count, but are never the nearest example */
  constructor(set: TrainingSet, dual: DualWeights, examples: number = set.rows.length) {
    this.#examples = examples;
    this.#closeness = new Float64Array(set.classes);
    this.#set = set;
    this.#dual = dual;
    this.#machines = passesFor(set) > 0 ? new Margins(set, dual) : undefined;
    this.#postings = invert(set);
    this.#similarities = new Float32Array(set.rows.length);
    this.#squares = squaresOfSums(set, this.#postings);
    this.#best = new Float64Array(set.classes);
    this.#sums = new Float64Array(set.classes);
    this.#scores = new Float64Array(set.classes);
    this.#nearest = new Int32Array(set.classes);
  }

  /** Multiplications that scoring a row takes on average. */
  get workPerRow(): number {
    const { starts } = this.#postings;
    let comparisons = 0;
    for (let place = 0; place < this.#set.width; place += 1) {
      comparisons += ((starts[place + 1] as number) - (starts[place] as number)) ** 2;
    }
    const entries = starts[this.#set.width] as number;
    return (comparisons + entries * this.#set.classes) / Math.max(1, this.#set.rows.length) + this.#set.rows.length;
  }

  /**
   * @param row scores this row's vector as if the row were not there: it is not compared with itself, its class's middle is
   * that of the others, and what it added to the machines is taken back
   */
  score(vector: SparseVector, row?: number): ClassScores {
    this.#read(vector);
    const similarity = this.#compare(row);
    const { classes, classOf } = this.#set;
    for (let label = 0; label < classes; label += 1) {
      const sum = this.#sums[label] as number;
      let square = this.#squares[label] as number;
      let margin = this.#margins?.[label] ?? 0;
      if (row !== undefined) {
        const isOwn = label === classOf[row];
        if (isOwn) square -= 2 * sum + 1;
        // Without it the rows near to it would take over its weight, the more the nearer they are.
        const support = (1 - similarity) * (this.#dual[row * classes + label] ?? 0);
        margin += isOwn ? -support : support;
      }
      const middle = square > Number.EPSILON ? sum / Math.sqrt(square) : 0;
      this.#scores[label] = margin + (this.#best[label] as number) + middle;
    }
    return { scores: this.#scores, nearest: this.#nearest, similarity };
  }

  /** Computes the margins of a vector and its cosine with every row. */
  #read(vector: SparseVector): void {
    if (this.#vector === vector) return;
    this.#vector = vector;
    this.#margins = this.#machines?.score(vector);
    const { places, values } = vector;
    const { starts, rows, weights } = this.#postings;
    const similarities = this.#similarities.fill(0);
    for (let entry = 0; entry < places.length; entry += 1) {
      const value = values[entry] as number;
      const end = starts[(places[entry] as number) + 1] as number;
      for (let at = starts[places[entry] as number] as number; at < end; at += 1) {
        const row = rows[at] as number;
        similarities[row] = (similarities[row] as number) + value * (weights[at] as number);
      }
    }
  }

  /** Fills the best similarity, its row and the sum of similarities of every class; gives the greatest. */
  #compare(left: number | undefined): number {
    const similarities = this.#similarities;
    this.#best.fill(0);
    this.#sums.fill(0);
    this.#nearest.fill(-1);
    this.#closeness.fill(0);
    let greatest = 0;
    for (let row = 0; row < similarities.length; row += 1) {
      const similarity = similarities[row] as number;
      if (similarity === 0 || row === left) continue;
      const label = this.#set.classOf[row] as number;
      this.#sums[label] = (this.#sums[label] as number) + similarity;
      if (similarity > greatest) greatest = similarity;
      if (similarity > (this.#best[label] as number)) this.#best[label] = similarity;
      if (row >= this.#examples || similarity <= (this.#closeness[label] as number)) continue;
      this.#closeness[label] = similarity;
      this.#nearest[label] = row;
    }
    return greatest;
  }
}

/** For every n-gram the rows that have it. */
interface Postings {
  readonly starts: Int32Array;
  readonly rows: Int32Array;
  readonly weights: Float32Array;
}

function invert({ rows, width }: TrainingSet): Postings {
  const starts = new Int32Array(width + 1);
  for (const { places } of rows) for (const place of places) starts[place + 1] = (starts[place + 1] as number) + 1;
  for (let place = 0; place < width; place += 1) {
    starts[place + 1] = (starts[place + 1] as number) + (starts[place] as number);
  }
  const next = starts.slice();
  const total = starts[width] as number;
  const postings = { starts, rows: new Int32Array(total), weights: new Float32Array(total) };
  for (const [row, { places, values }] of rows.entries()) {
    for (let entry = 0; entry < places.length; entry += 1) {
      const at = next[places[entry] as number] as number;
      postings.rows[at] = row;
      postings.weights[at] = values[entry] as number;
      next[places[entry] as number] = at + 1;
    }
  }
  return postings;
}

/** Squared length of the sum of every class's rows. */
function squaresOfSums({ classOf, classes, width }: TrainingSet, { starts, rows, weights }: Postings): Float64Array {
  const squares = new Float64Array(classes);
  const sums = new Float64Array(classes);
  for (let place = 0; place < width; place += 1) {
    const [start, end] = [starts[place] as number, starts[place + 1] as number];
    for (let at = start; at < end; at += 1) {
      const label = classOf[rows[at] as number] as number;
      const before = sums[label] as number;
      const after = before + (weights[at] as number);
      squares[label] = (squares[label] as number) + after * after - before * before;
      sums[label] = after;
    }
    for (let at = start; at < end; at += 1) sums[classOf[rows[at] as number] as number] = 0;
  }
  return squares;
}
