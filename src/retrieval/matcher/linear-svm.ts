import { createRandom, shuffle } from "./random.js";
import type { SparseVector } from "./sparse-rows.js";

/** Training data: rows of one width, each of one class. */
export interface TrainingSet {
  readonly rows: readonly SparseVector[];
  readonly classOf: Int32Array;
  readonly classes: number;
  readonly width: number;
}

/** The dual solution: one number for every row and class, row by row; most are zero. */
export type DualWeights = Float32Array;

const MAX_PASSES = 11;
/** Of every so many passes one looks at all classes of a row, the others at those that still matter for it. */
const FULL_EVERY = 3;
const TOLERANCE = 0.05;
const STILL = 1e-3;
const SOFTNESS = 0.5;
const SEED = 12345;
/** Multiplications of a whole training; larger sets get fewer passes. */
const MAX_WORK = 6e9;
/** Numbers in the largest table; 128 MB. */
const MAX_TABLE = 32_000_000;
/** N-grams that are added up at once, so that each score is read and written once for all of them. */
const LANES = 4;
/** Multiplications between two reports. */
const WORK_PER_REPORT = 30e6;

/** How many passes fit the work a training may take; none when the tables would not fit into memory. */
export function passesFor({ rows, classes, width }: TrainingSet): number {
  if (classes < 2 || width * classes > MAX_TABLE || rows.length * classes > MAX_TABLE) return 0;
  let entries = 0;
  for (const { places } of rows) entries += places.length;
  return Math.min(MAX_PASSES, Math.floor(MAX_WORK / (entries * classes + 1)));
}

/**
 * One-versus-rest linear machines with squared hinge loss, all trained together by dual coordinate descent. Rows are
 * visited in a fixed pseudo-random order, so that the same rows give the same weights. Yields the share that is done.
 */
export function* trainSvm(set: TrainingSet): Generator<number, DualWeights> {
  const { rows, classOf, classes } = set;
  const passes = passesFor(set);
  if (passes === 0) return new Float32Array(0);
  const dual = new Float32Array(rows.length * classes);
  const margins = new Margins(set);
  const random = createRandom(SEED);
  let order: readonly number[] = [...rows.keys()];
  const some = new Int32Array(classes);
  let work = 0;
  for (let pass = 0; pass < passes; pass += 1) {
    const isFull = pass < 2 || pass % FULL_EVERY === 0;
    let worst = 0;
    order = shuffle(order, random);
    for (const [visited, row] of order.entries()) {
      const vector = rows[row] as SparseVector;
      const own = classOf[row] as number;
      const weights = dual.subarray(row * classes, (row + 1) * classes);
      const active = isFull ? margins.all : activeClasses(weights, own, some);
      worst = Math.max(worst, margins.descend(vector, own, active, weights));
      work += active.length * vector.places.length;
      if (work < WORK_PER_REPORT) continue;
      work = 0;
      yield (pass + visited / rows.length) / passes;
    }
    if (isFull && worst < TOLERANCE) break;
  }
  return dual;
}

/** The classes that matter for a row, its own among them; `room` holds them until the next call. */
function activeClasses(weights: Float32Array, own: number, room: Int32Array): Int32Array {
  let count = 0;
  for (let label = 0; label < weights.length; label += 1) {
    if (weights[label] !== 0 || label === own) room[count++] = label;
  }
  return room.subarray(0, count);
}

/** The primal weights, n-gram by n-gram and therein class by class, so that a score reads them in order. */
export class Margins {
  /** Every class, for scores in all of them. */
  readonly all: Int32Array;
  readonly #weights: Float32Array;
  readonly #constants: Float32Array;
  readonly #scores: Float32Array;
  readonly #labels: Int32Array;
  readonly #steps: Float32Array;

  /**
   * INVARIANT: weights that were just trained and weights that come from a cache are summed up row by row, so that both
   * give the same scores to the last bit.
   */
  constructor({ rows, classOf, classes, width }: TrainingSet, dual?: DualWeights) {
    this.all = Int32Array.from({ length: classes }, (_, label) => label);
    this.#weights = new Float32Array(width * classes);
    this.#constants = new Float32Array(classes);
    this.#scores = new Float32Array(classes);
    this.#labels = new Int32Array(classes);
    this.#steps = new Float32Array(classes);
    if (dual === undefined) return;
    for (const [row, vector] of rows.entries()) {
      const weights = dual.subarray(row * classes, (row + 1) * classes);
      const labels = this.all.filter((label) => weights[label] !== 0);
      const signed = (label: number): number => (weights[label] as number) * (label === classOf[row] ? 1 : -1);
      this.#labels.set(labels);
      this.#steps.set(Float32Array.from(labels, signed));
      this.#move(vector, labels.length);
    }
  }

  /** Scores of a vector in some classes; valid until the next call. */
  score({ places, values }: SparseVector, active: Int32Array = this.all): Float32Array {
    const scores = this.#scores;
    const weights = this.#weights;
    for (const label of active) scores[label] = this.#constants[label] as number;
    for (let entry = 0; entry < places.length; entry += LANES) {
      // After the last n-gram stand places of weight zero.
      const a = (places[entry] ?? 0) * scores.length;
      const b = (places[entry + 1] ?? 0) * scores.length;
      const c = (places[entry + 2] ?? 0) * scores.length;
      const d = (places[entry + 3] ?? 0) * scores.length;
      const x = values[entry] ?? 0;
      const y = values[entry + 1] ?? 0;
      const z = values[entry + 2] ?? 0;
      const w = values[entry + 3] ?? 0;
      if (active === this.all) {
        for (let label = 0; label < scores.length; label += 1) {
          const left = x * (weights[a + label] as number) + y * (weights[b + label] as number);
          const right = z * (weights[c + label] as number) + w * (weights[d + label] as number);
          scores[label] = (scores[label] as number) + (left + right);
        }
      } else {
        for (let at = 0; at < active.length; at += 1) {
          const label = active[at] as number;
          const left = x * (weights[a + label] as number) + y * (weights[b + label] as number);
          const right = z * (weights[c + label] as number) + w * (weights[d + label] as number);
          scores[label] = (scores[label] as number) + (left + right);
        }
      }
    }
    return scores;
  }

  /** One step for a row in each active class, which changes its dual weights; returns the largest violation it met. */
  descend(vector: SparseVector, own: number, active: Int32Array, dual: Float32Array): number {
    const scores = this.score(vector, active);
    let worst = 0;
    let changed = 0;
    for (let at = 0; at < active.length; at += 1) {
      const label = active[at] as number;
      const sign = label === own ? 1 : -1;
      const before = dual[label] as number;
      const gradient = sign * (scores[label] as number) - 1 + SOFTNESS * before;
      const violation = before === 0 ? Math.min(gradient, 0) : gradient;
      worst = Math.max(worst, Math.abs(violation));
      if (Math.abs(violation) <= STILL) continue;
      // A row has length one, and one more for the constant.
      const after = Math.fround(Math.max(before - gradient / (2 + SOFTNESS), 0));
      if (after === before) continue;
      dual[label] = after;
      this.#labels[changed] = label;
      this.#steps[changed] = sign * (after - before);
      changed += 1;
    }
    this.#move(vector, changed);
    return worst;
  }

  /** Adds the first `count` steps, each so much of the vector and of the constant, to the machines of their labels. */
  #move({ places, values }: SparseVector, count: number): void {
    const labels = this.#labels;
    const steps = this.#steps;
    const weights = this.#weights;
    for (let at = 0; at < count; at += 1) {
      const label = labels[at] as number;
      this.#constants[label] = (this.#constants[label] as number) + (steps[at] as number);
    }
    const { length } = this.all;
    for (let entry = 0; entry < places.length; entry += 1) {
      const base = (places[entry] as number) * length;
      const value = values[entry] as number;
      for (let at = 0; at < count; at += 1) {
        const place = base + (labels[at] as number);
        weights[place] = (weights[place] as number) + value * (steps[at] as number);
      }
    }
  }
}
