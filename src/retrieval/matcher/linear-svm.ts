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
  const dual = new Float32Array(passes === 0 ? 0 : rows.length * classes);
  const margins = new Margins(set);
  const order = Int32Array.from(rows, (_, row) => row);
  const random = congruence(SEED);
  const all = Int32Array.from({ length: classes }, (_, label) => label);
  const some = new Int32Array(classes);
  let work = 0;
  for (let pass = 0; pass < passes; pass += 1) {
    const isFull = pass < 2 || pass % FULL_EVERY === 0;
    let worst = 0;
    shuffle(order, random);
    for (let visited = 0; visited < order.length; visited += 1) {
      const row = order[visited] as number;
      const start = row * classes;
      const own = classOf[row] as number;
      const active = isFull ? all : some;
      const count = isFull ? classes : selectActive(dual, { start, own, active });
      worst = Math.max(worst, descend(dual, margins, { row, start, own, active, count }));
      work += count * (rows[row] as SparseVector).places.length;
      if (work < WORK_PER_REPORT) continue;
      work = 0;
      yield (pass + visited / rows.length) / passes;
    }
    if (isFull && worst < TOLERANCE) break;
  }
  return dual;
}

interface Visit {
  readonly row: number;
  /** Offset of the row in the dual weights. */
  readonly start: number;
  readonly own: number;
  /** Classes to look at: the first `count` of these. */
  readonly active: Int32Array;
  readonly count: number;
}

/** Fills the classes that matter for a row, its own among them; gives their number. */
function selectActive(dual: Float32Array, { start, own, active }: Pick<Visit, "start" | "own" | "active">): number {
  let count = 0;
  for (let label = 0; label < active.length; label += 1) {
    if (dual[start + label] !== 0 || label === own) active[count++] = label;
  }
  return count;
}

/** One step for a row in each of its active classes; gives the largest violation it met. */
function descend(dual: Float32Array, margins: Margins, { row, start, own, active, count }: Visit): number {
  const scores = margins.of(row, active, count);
  let worst = 0;
  let changed = 0;
  for (let at = 0; at < count; at += 1) {
    const label = active[at] as number;
    const sign = label === own ? 1 : -1;
    const before = dual[start + label] as number;
    const gradient = sign * (scores[label] as number) - 1 + SOFTNESS * before;
    const violation = before === 0 ? Math.min(gradient, 0) : gradient;
    worst = Math.max(worst, Math.abs(violation));
    if (Math.abs(violation) <= STILL) continue;
    // A row has length one, and one more for the constant.
    const after = Math.fround(Math.max(before - gradient / (2 + SOFTNESS), 0));
    if (after === before) continue;
    dual[start + label] = after;
    margins.move(changed, label, sign * (after - before));
    changed += 1;
  }
  margins.apply(row, changed);
  return worst;
}

/** The primal weights, n-gram by n-gram and therein class by class, so that a score reads them in order. */
export class Margins {
  readonly #rows: readonly SparseVector[];
  readonly #classes: number;
  readonly #weights: Float32Array;
  readonly #constants: Float32Array;
  readonly #scores: Float32Array;
  readonly #labels: Int32Array;
  readonly #steps: Float32Array;

  constructor({ rows, classes, width }: Pick<TrainingSet, "rows" | "classes" | "width">) {
    this.#rows = rows;
    this.#classes = classes;
    this.#weights = new Float32Array(width * classes);
    this.#constants = new Float32Array(classes);
    this.#scores = new Float32Array(classes);
    this.#labels = new Int32Array(classes);
    this.#steps = new Float32Array(classes);
  }

  /** Scores of a row in some classes; valid until the next call. */
  of(row: number, active: Int32Array, count: number): Float32Array {
    const vector = this.#rows[row] as SparseVector;
    if (count === this.#classes) return this.score(vector);
    const scores = this.#scores;
    const weights = this.#weights;
    const constants = this.#constants;
    for (let at = 0; at < count; at += 1) {
      const label = active[at] as number;
      scores[label] = constants[label] as number;
    }
    const { places, values } = vector;
    const whole = places.length - (places.length % LANES);
    for (let entry = 0; entry < whole; entry += LANES) {
      const a = (places[entry] as number) * scores.length;
      const b = (places[entry + 1] as number) * scores.length;
      const c = (places[entry + 2] as number) * scores.length;
      const d = (places[entry + 3] as number) * scores.length;
      const x = values[entry] as number;
      const y = values[entry + 1] as number;
      const z = values[entry + 2] as number;
      const w = values[entry + 3] as number;
      for (let at = 0; at < count; at += 1) {
        const label = active[at] as number;
        const left = x * (weights[a + label] as number) + y * (weights[b + label] as number);
        const right = z * (weights[c + label] as number) + w * (weights[d + label] as number);
        scores[label] = (scores[label] as number) + (left + right);
      }
    }
    for (let entry = whole; entry < places.length; entry += 1) {
      const base = (places[entry] as number) * scores.length;
      const value = values[entry] as number;
      for (let at = 0; at < count; at += 1) {
        const label = active[at] as number;
        scores[label] = (scores[label] as number) + value * (weights[base + label] as number);
      }
    }
    return scores;
  }

  /** Scores of a vector in all classes; valid until the next call. */
  score({ places, values }: SparseVector): Float32Array {
    const scores = this.#scores;
    const weights = this.#weights;
    scores.set(this.#constants);
    const whole = places.length - (places.length % LANES);
    for (let entry = 0; entry < whole; entry += LANES) {
      const a = (places[entry] as number) * scores.length;
      const b = (places[entry + 1] as number) * scores.length;
      const c = (places[entry + 2] as number) * scores.length;
      const d = (places[entry + 3] as number) * scores.length;
      const x = values[entry] as number;
      const y = values[entry + 1] as number;
      const z = values[entry + 2] as number;
      const w = values[entry + 3] as number;
      for (let label = 0; label < scores.length; label += 1) {
        const left = x * (weights[a + label] as number) + y * (weights[b + label] as number);
        const right = z * (weights[c + label] as number) + w * (weights[d + label] as number);
        scores[label] = (scores[label] as number) + (left + right);
      }
    }
    for (let entry = whole; entry < places.length; entry += 1) {
      const base = (places[entry] as number) * scores.length;
      const value = values[entry] as number;
      for (let label = 0; label < scores.length; label += 1) {
        scores[label] = (scores[label] as number) + value * (weights[base + label] as number);
      }
    }
    return scores;
  }

  /** Notes a change of a class; `apply` makes the noted ones. */
  move(at: number, label: number, step: number): void {
    this.#labels[at] = label;
    this.#steps[at] = step;
  }

  apply(row: number, changed: number): void {
    if (changed === 0) return;
    const { places, values } = this.#rows[row] as SparseVector;
    const labels = this.#labels;
    const steps = this.#steps;
    const weights = this.#weights;
    for (let at = 0; at < changed; at += 1) {
      const label = labels[at] as number;
      this.#constants[label] = (this.#constants[label] as number) + (steps[at] as number);
    }
    const whole = places.length - (places.length % LANES);
    for (let entry = 0; entry < whole; entry += LANES) {
      const a = (places[entry] as number) * this.#classes;
      const b = (places[entry + 1] as number) * this.#classes;
      const c = (places[entry + 2] as number) * this.#classes;
      const d = (places[entry + 3] as number) * this.#classes;
      const x = values[entry] as number;
      const y = values[entry + 1] as number;
      const z = values[entry + 2] as number;
      const w = values[entry + 3] as number;
      for (let at = 0; at < changed; at += 1) {
        const label = labels[at] as number;
        const step = steps[at] as number;
        weights[a + label] = (weights[a + label] as number) + x * step;
        weights[b + label] = (weights[b + label] as number) + y * step;
        weights[c + label] = (weights[c + label] as number) + z * step;
        weights[d + label] = (weights[d + label] as number) + w * step;
      }
    }
    for (let entry = whole; entry < places.length; entry += 1) {
      const base = (places[entry] as number) * this.#classes;
      const value = values[entry] as number;
      for (let at = 0; at < changed; at += 1) {
        const place = base + (labels[at] as number);
        weights[place] = (weights[place] as number) + value * (steps[at] as number);
      }
    }
  }
}

/**
 * The primal weights of a dual solution, summed up row by row.
 *
 * INVARIANT: weights that were just trained and weights that come from a cache are summed in the same order, so that
 * both give the same scores to the last bit.
 */
export function marginsOf(set: TrainingSet, dual: DualWeights): Margins {
  const margins = new Margins(set);
  for (let row = 0; row < set.rows.length; row += 1) {
    let changed = 0;
    for (let label = 0; label < set.classes; label += 1) {
      const weight = dual[row * set.classes + label] as number;
      if (weight === 0) continue;
      margins.move(changed, label, label === set.classOf[row] ? weight : -weight);
      changed += 1;
    }
    margins.apply(row, changed);
  }
  return margins;
}

function shuffle(order: Int32Array, random: () => number): void {
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as number, order[last] as number];
  }
}

/** Numbers from 0 up to 1, the same after the same seed. */
function congruence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
