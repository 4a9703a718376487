import { type DualWeights, type Margins, marginsOf, passesFor, type TrainingSet } from "./linear-svm.js";
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
  readonly #margins: Margins | undefined;
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
  #compared: SparseVector | undefined;
  #margined: SparseVector | undefined;
  #marginScores: Float32Array | undefined;

  /** @param examples how many rows are examples; the rows after them count, but are never the nearest example */
  constructor(set: TrainingSet, dual: DualWeights, examples: number = set.rows.length) {
    this.#examples = examples;
    this.#closeness = new Float64Array(set.classes);
    this.#set = set;
    this.#dual = dual;
    this.#margins = passesFor(set) > 0 ? marginsOf(set, dual) : undefined;
    this.#postings = invert(set);
    this.#similarities = new Float32Array(set.rows.length);
    this.#squares = squaresOfSums(set);
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

  score(vector: SparseVector): ClassScores {
    const similarity = this.#compare(vector, -1);
    const margins = this.#marginsOf(vector);
    for (let label = 0; label < this.#set.classes; label += 1) {
      this.#combine(label, margins?.[label] ?? 0, this.#sums[label] as number, this.#squares[label] as number);
    }
    return { scores: this.#scores, nearest: this.#nearest, similarity };
  }

  /**
   * Scores a row as if it were not there: it is not compared with itself, its class's middle is that of the others, and
   * what it added to the machines is taken back.
   */
  scoreWithout(row: number): ClassScores {
    const vector = this.#set.rows[row] as SparseVector;
    const own = this.#set.classOf[row] as number;
    const similarity = this.#compare(vector, row);
    const margins = this.#marginsOf(vector);
    for (let label = 0; label < this.#set.classes; label += 1) {
      const sum = this.#sums[label] as number;
      const square = (this.#squares[label] as number) - (label === own ? 2 * sum + 1 : 0);
      // Without it the rows near to it would take over its weight, the more the nearer they are.
      const support =
        margins === undefined ? 0 : (1 - similarity) * (this.#dual[row * this.#set.classes + label] as number);
      this.#combine(label, (margins?.[label] ?? 0) - (label === own ? support : -support), sum, square);
    }
    return { scores: this.#scores, nearest: this.#nearest, similarity };
  }

  #combine(label: number, margin: number, sum: number, square: number): void {
    const middle = square > Number.EPSILON ? sum / Math.sqrt(square) : 0;
    this.#scores[label] = margin + (this.#best[label] as number) + middle;
  }

  #marginsOf(vector: SparseVector): Float32Array | undefined {
    if (this.#margined !== vector) this.#marginScores = this.#margins?.score(vector);
    this.#margined = vector;
    return this.#marginScores;
  }

  /** The cosine of a vector with every row. */
  #similaritiesOf(vector: SparseVector): Float32Array {
    if (this.#compared === vector) return this.#similarities;
    this.#compared = vector;
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
    return similarities;
  }

  /** Fills the best similarity, its row and the sum of similarities of every class; gives the greatest. */
  #compare(vector: SparseVector, left: number): number {
    const similarities = this.#similaritiesOf(vector);
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

function squaresOfSums({ rows, classOf, classes, width }: TrainingSet): Float64Array {
  const squares = new Float64Array(classes);
  const members: number[][] = Array.from({ length: classes }, () => []);
  for (const [row, label] of classOf.entries()) members[label]?.push(row);
  const sum = new Float64Array(width);
  for (const [label, own] of members.entries()) {
    let square = 0;
    for (const row of own) {
      const { places, values } = rows[row] as SparseVector;
      for (let entry = 0; entry < places.length; entry += 1) {
        const place = places[entry] as number;
        const before = sum[place] as number;
        const after = before + (values[entry] as number);
        square += after * after - before * before;
        sum[place] = after;
      }
    }
    squares[label] = square;
    for (const row of own) for (const place of (rows[row] as SparseVector).places) sum[place] = 0;
  }
  return squares;
}
