import type { ScoringTables } from "../intent-model.js";
import type { DualWeights, TrainingSet } from "../linear-svm.js";
import type { SparseRows } from "../sparse-rows.js";

/** Vectors of equal length, concatenated. */
export interface DenseRows {
  readonly values: Float32Array;
  readonly dimensions: number;
}

/** Turns scores into similarities: `slope * score + offset`. */
export interface SimilarityLine {
  readonly slope: number;
  readonly offset: number;
}

/** Everything needed to score a text by n-grams and vector. Plain data that can be sent to threads. */
export interface HybridTables {
  /** Unit vectors of the examples, class by class; zeros for texts without a vector, such as names of intents. */
  readonly vectors: DenseRows;
  /** By n-gram, then by dimension, each class by class. */
  readonly weights: Float32Array;
  readonly constants: Float32Array;
  /** Length of the sum of each class's vectors. */
  readonly lengths: Float64Array;
  /** Number of n-grams. */
  readonly width: number;
  readonly parts: ScoreParts;
}

/**
 * Weights of a score's parts: the machine's margin, the cosine with the centroid, the similarity of the nearest
 * example.
 */
interface ScoreParts {
  readonly machine: number;
  readonly middle: number;
  readonly nearest: number;
  /** Share of n-grams in the similarity with the nearest example; the rest is the cosine of the vectors. */
  readonly ngramShare: number;
}

/** A model of n-grams and vectors. Plain data that can be sent to threads. */
export interface HybridModel {
  readonly tables: HybridTables;
  readonly line: SimilarityLine;
  /** Score from which a text is accepted. */
  readonly threshold: number;
}

/** Share of n-grams in the similarity of two texts for the machines; the rest is the cosine of their vectors. */
const NGRAM_SHARE = 0.3;
/** With few examples per intent, their centroid counts; among hundreds, the nearest one is most informative. */
const FEW: ScoreParts = { machine: 0.4, middle: 0.5, nearest: 0.5, ngramShare: 0 };
const MANY: ScoreParts = { machine: 0.1, middle: 0.05, nearest: 0.85, ngramShare: 0.29 };
/** Number of examples per intent halfway between few and many. */
const BETWEEN = 50;
/** Weight of the score by n-grams alone, without their nearest example. */
export const NGRAMS = 0.05;

/** Rows of n-grams with their vectors appended; each keeps length one. */
export function joinRows(rows: SparseRows, { values: dense, dimensions }: DenseRows, width: number): SparseRows {
  const count = rows.starts.length - 1;
  const starts = new Int32Array(count + 1);
  const places = new Int32Array(rows.places.length + count * dimensions);
  const values = new Float32Array(places.length);
  const vectorScale = Math.sqrt(1 - NGRAM_SHARE);
  let at = 0;
  for (let row = 0; row < count; row += 1) {
    const hasVector = isVector(dense, row * dimensions, dimensions);
    const scale = hasVector ? Math.sqrt(NGRAM_SHARE) : 1;
    for (let entry = rows.starts[row] as number; entry < (rows.starts[row + 1] as number); entry += 1) {
      places[at] = rows.places[entry] as number;
      values[at] = scale * (rows.values[entry] as number);
      at += 1;
    }
    for (let axis = 0; axis < (hasVector ? dimensions : 0); axis += 1) {
      places[at] = width + axis;
      values[at] = vectorScale * (dense[row * dimensions + axis] as number);
      at += 1;
    }
    starts[row + 1] = at;
  }
  return { starts, places: places.slice(0, at), values: values.slice(0, at) };
}

function isVector(values: Float32Array, start: number, dimensions: number): boolean {
  for (let at = start; at < start + dimensions; at += 1) if (values[at] !== 0) return true;
  return false;
}

function partsFor(examplesPerClass: number): ScoreParts {
  const square = examplesPerClass ** 2;
  const share = square / (square + BETWEEN ** 2);
  const between = (few: number, many: number): number => few + share * (many - few);
  return {
    machine: between(FEW.machine, MANY.machine),
    middle: between(FEW.middle, MANY.middle),
    nearest: between(FEW.nearest, MANY.nearest),
    ngramShare: between(FEW.ngramShare, MANY.ngramShare),
  };
}

interface HybridInput {
  readonly joint: TrainingSet;
  /** Result of training over `joint`; empty if nothing was trained. */
  readonly dual: DualWeights;
  readonly ngrams: ScoringTables;
  readonly vectors: DenseRows;
  readonly width: number;
}

/** Combines machines, centroids and the linear score of n-grams into one linear model. */
export function createHybridTables({ joint, dual, ngrams, vectors, width }: HybridInput): HybridTables {
  const { classes, classOf } = joint;
  const { dimensions, values } = vectors;
  const parts = partsFor(ngrams.examples / Math.max(1, classes));
  const weights = new Float32Array((width + dimensions) * classes);
  const constants = ngrams.constants.map((constant) => NGRAMS * constant);
  if (ngrams.weights !== undefined) {
    for (let at = 0; at < ngrams.weights.length; at += 1) weights[at] = NGRAMS * (ngrams.weights[at] as number);
  }
  const sums = new Float64Array(classes * dimensions);
  for (let row = 0; row < classOf.length; row += 1) {
    const base = (classOf[row] as number) * dimensions;
    for (let axis = 0; axis < dimensions; axis += 1) {
      sums[base + axis] = (sums[base + axis] as number) + (values[row * dimensions + axis] as number);
    }
  }
  const lengths = new Float64Array(classes);
  for (let label = 0; label < classes; label += 1) {
    const sum = sums.subarray(label * dimensions, (label + 1) * dimensions);
    const length = Math.sqrt(sum.reduce((square, value) => square + value * value, 0));
    lengths[label] = length > Number.EPSILON ? length : 0;
    for (let axis = 0; lengths[label] !== 0 && axis < dimensions; axis += 1) {
      weights[(width + axis) * classes + label] = (parts.middle * (sum[axis] as number)) / length;
    }
  }
  if (dual.length > 0) addMachines({ joint, dual, weights, constants, width, parts });
  return { vectors, weights, constants, lengths, width, parts };
}

interface MachinesInput extends Pick<HybridTables, "weights" | "constants" | "width" | "parts"> {
  readonly joint: TrainingSet;
  readonly dual: DualWeights;
}

/** Adds every row to the machines that it supports, scaled like a text: its n-grams and its vector by their shares. */
function addMachines({ joint, dual, weights, constants, width, parts }: MachinesInput): void {
  const [ngramScale, vectorScale] = [Math.sqrt(NGRAM_SHARE), Math.sqrt(1 - NGRAM_SHARE)];
  const { classes, classOf, rows } = joint;
  const { starts, places, values } = rows;
  const labels = new Int32Array(classes);
  const steps = new Float64Array(classes);
  for (let row = 0; row < classOf.length; row += 1) {
    let count = 0;
    for (let label = 0; label < classes; label += 1) {
      const weight = dual[row * classes + label] as number;
      if (weight === 0) continue;
      labels[count] = label;
      steps[count] = parts.machine * (label === classOf[row] ? weight : -weight);
      constants[label] = (constants[label] as number) + (steps[count] as number);
      count += 1;
    }
    for (let entry = starts[row] as number; entry < (starts[row + 1] as number); entry += 1) {
      const base = Math.imul(places[entry] as number, classes);
      const value = (values[entry] as number) * ((places[entry] as number) < width ? ngramScale : vectorScale);
      for (let at = 0; at < count; at += 1) {
        const place = base + (labels[at] as number);
        weights[place] = (weights[place] as number) + value * (steps[at] as number);
      }
    }
  }
}
