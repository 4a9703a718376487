import type { DualWeights, TrainingSet } from "./linear-svm.js";
import type { SparseRows, Vocabulary } from "./sparse-rows.js";

/** Turns scores into probabilities: `1 / (1 + exp(-(slope * score + offset)))`. */
export interface Logistic {
  readonly slope: number;
  readonly offset: number;
}

/** Calibration of summed scores, learnt from the examples alone. */
export interface Calibration {
  readonly logistic: Logistic;
  /** Sum of scores from which a text is accepted. */
  readonly threshold: number;
}

/** Everything needed to score a vector. Plain data that can be sent to threads. */
export interface ScoringTables {
  /** Rows by class: those of a class are from `classStarts[label]` to `classStarts[label + 1]`. */
  readonly rows: SparseRows;
  /** The transposed rows: for every n-gram, the rows that contain it, ascending. */
  readonly postings: SparseRows;
  readonly classStarts: Int32Array;
  /** Text of each row; ascending within a class. */
  readonly textOf: Int32Array;
  /** Length of the sum of each class's rows. */
  readonly lengths: Float64Array;
  /** Number of texts that are examples; the texts after them count, but are never the nearest example. */
  readonly examples: number;
  /**
   * By n-gram, then by class: the weight of the class's machine and its share in the centroid. Undefined if no machine
   * was trained.
   */
  readonly weights: Float32Array | undefined;
  readonly constants: Float32Array;
}

/** A trained matcher. Plain data that can be sent to threads. */
export interface IntentModel {
  readonly vocabulary: Vocabulary;
  readonly tables: ScoringTables;
  readonly calibration: Calibration;
}

export type ClassOrder = Pick<ScoringTables, "classStarts" | "textOf">;

interface TablesInput extends ClassOrder {
  readonly set: TrainingSet;
  readonly postings: SparseRows;
  /** Result of training; empty if nothing was trained. */
  readonly dual: DualWeights;
  readonly examples: number;
}

/** Builds the tables for scoring. */
export function createTables({ set, postings, dual, examples, classStarts, textOf }: TablesInput): ScoringTables {
  const { rows, classes, width } = set;
  const lengths = squaresOfSums(set, postings).map((square) => (square > Number.EPSILON ? Math.sqrt(square) : 0));
  const constants = new Float32Array(classes);
  const weights = dual.length > 0 ? new Float32Array(width * classes) : undefined;
  if (weights !== undefined) addRows({ set, dual, lengths, weights, constants });
  return { rows, postings, classStarts, textOf, lengths, examples, weights, constants };
}

/** Orders texts by class, keeping their order within a class. */
export function orderByClass(classOf: Int32Array, classes: number): ClassOrder {
  const classStarts = new Int32Array(classes + 1);
  for (const label of classOf) classStarts[label + 1] = (classStarts[label + 1] as number) + 1;
  for (let label = 0; label < classes; label += 1) {
    classStarts[label + 1] = (classStarts[label + 1] as number) + (classStarts[label] as number);
  }
  const next = classStarts.slice();
  const textOf = new Int32Array(classOf.length);
  for (let text = 0; text < classOf.length; text += 1) {
    const label = classOf[text] as number;
    textOf[next[label] as number] = text;
    next[label] = (next[label] as number) + 1;
  }
  return { classStarts, textOf };
}

/** Squared length of the sum of every class's rows. */
function squaresOfSums({ classOf, classes, width }: TrainingSet, { starts, places, values }: SparseRows): Float64Array {
  const squares = new Float64Array(classes);
  const sums = new Float64Array(classes);
  for (let place = 0; place < width; place += 1) {
    const [start, end] = [starts[place] as number, starts[place + 1] as number];
    for (let at = start; at < end; at += 1) {
      const label = classOf[places[at] as number] as number;
      const before = sums[label] as number;
      const after = before + (values[at] as number);
      squares[label] = (squares[label] as number) + after * after - before * before;
      sums[label] = after;
    }
    for (let at = start; at < end; at += 1) sums[classOf[places[at] as number] as number] = 0;
  }
  return squares;
}

interface RowsInput extends Pick<ScoringTables, "lengths" | "constants"> {
  readonly set: TrainingSet;
  readonly dual: DualWeights;
  readonly weights: Float32Array;
}

/**
 * Adds every row to the machines that it supports and to the centroid of its class, whose cosine is also a sum over
 * n-grams.
 *
 * INVARIANT: fresh and cached weights are summed row by row, so that both give bit-identical scores.
 */
function addRows({ set, dual, lengths, weights, constants }: RowsInput): void {
  const { classOf, classes } = set;
  const { starts, places, values } = set.rows;
  const labels = new Int32Array(classes);
  const steps = new Float64Array(classes);
  for (let row = 0; row < classOf.length; row += 1) {
    let count = 0;
    for (let label = 0; label < classes; label += 1) {
      const isOwn = label === classOf[row];
      const weight = dual[row * classes + label] as number;
      if (weight === 0 && !isOwn) continue;
      const length = lengths[label] as number;
      const step = isOwn ? weight : -weight;
      constants[label] = (constants[label] as number) + step;
      labels[count] = label;
      steps[count] = isOwn && length > 0 ? step + 1 / length : step;
      count += 1;
    }
    const end = starts[row + 1] as number;
    for (let entry = starts[row] as number; entry < end; entry += 1) {
      const base = Math.imul(places[entry] as number, classes);
      const value = values[entry] as number;
      for (let at = 0; at < count; at += 1) {
        const place = (base + (labels[at] as number)) | 0;
        weights[place] = (weights[place] as number) + value * (steps[at] as number);
      }
    }
  }
}
