import { createRandom, shuffle } from "./random.js";
import { createBlock, LANES, type MachineBlock } from "./machine-block.js";
import type { SparseRows } from "./sparse-rows.js";

/** Training data: rows of one width, each of one class. */
export interface TrainingSet {
  readonly rows: SparseRows;
  readonly classOf: Int32Array;
  /** The rows in text order, from which training starts. */
  readonly order: Int32Array;
  readonly classes: number;
  readonly width: number;
}

/** The dual solution: one number per row and class, row by row; most are zero. */
export type DualWeights = Float32Array;

const MAX_PASSES = 11;
/** Every n-th pass visits all classes of a row, the others only those that still matter. */
const FULL_EVERY = 3;
const TOLERANCE = 0.05;
const STILL = 1e-3;
const SOFTNESS = 0.5;
const SEED = 12345;
/** Multiplications of a whole training; larger sets get fewer passes. */
const MAX_WORK = 6e9;
/** Maximum size of a table in numbers; 128 MB. */
const MAX_TABLE = 32_000_000;
/** Multiplications between two reports. */
const WORK_PER_REPORT = 10e6;

/** Number of passes within the work limit of a training; 0 if the tables would not fit into memory. */
export function passesFor({ rows, classes, width }: TrainingSet): number {
  const count = rows.starts.length - 1;
  if (classes < 2 || width * classes > MAX_TABLE || count * classes > MAX_TABLE) return 0;
  return Math.min(MAX_PASSES, Math.floor(MAX_WORK / (rows.places.length * classes + 1)));
}

/**
 * Trains one-versus-rest linear machines with squared hinge loss by dual coordinate descent. Machines are independent
 * and trained in blocks that fit a processor's cache. The pseudo-random order of rows is fixed, so equal rows give
 * equal weights. Yields the completed share.
 */
export function* trainSvm(set: TrainingSet): Generator<number, DualWeights> {
  const { rows, classes, width } = set;
  const passes = passesFor(set);
  if (passes === 0) return new Float32Array(0);
  const orders = drawOrders(set.order, passes);
  const dual = new Float32Array((rows.starts.length - 1) * classes);
  const block = createBlock(rows, width);
  for (let first = 0; first < classes; first += LANES) {
    const machines = new Descent(set, block, first);
    const part = Math.min(LANES, classes - first) / classes;
    for (const share of machines.run(orders)) yield first / classes + share * part;
    machines.store(dual);
  }
  return dual;
}

function drawOrders(first: Int32Array, passes: number): readonly Int32Array[] {
  const random = createRandom(SEED);
  let order: readonly number[] = [...first];
  return Array.from({ length: passes }, () => {
    order = shuffle(order, random);
    return Int32Array.from(order);
  });
}

/** A block of classes and their machines, starting from zero weights. */
class Descent {
  readonly #set: TrainingSet;
  readonly #block: MachineBlock;
  readonly #first: number;
  readonly #count: number;
  /** The dual weights of the block, row by row. */
  readonly #dual: Float32Array;
  /** Per row, a bit for each lane that matters: its own, and those with a nonzero dual weight. */
  readonly #active: Int32Array;
  /** The lanes to score, then those to move. */
  readonly #lanes = new Int32Array(LANES);

  /** @param first - class of the first lane */
  constructor(set: TrainingSet, block: MachineBlock, first: number) {
    const rows = set.rows.starts.length - 1;
    this.#set = set;
    this.#block = block;
    this.#first = first;
    this.#count = Math.min(LANES, set.classes - first);
    this.#dual = new Float32Array(rows * LANES);
    this.#active = new Int32Array(rows);
    for (let row = 0; row < rows; row += 1) this.#active[row] = this.#ownBit(row);
    block.weights.fill(0);
    block.constants.fill(0);
  }

  /** Passes over the rows until the changes are small or the orders are exhausted. Yields the completed share. */
  *run(orders: readonly Int32Array[]): Generator<number, void> {
    const { starts } = this.#set.rows;
    const all = 2 ** this.#count - 1;
    let work = 0;
    for (const [pass, order] of orders.entries()) {
      const isFull = pass < 2 || pass % FULL_EVERY === 0;
      let worst = 0;
      for (let visited = 0; visited < order.length; visited += 1) {
        const row = order[visited] as number;
        const active = isFull ? all : (this.#active[row] as number);
        if (active === 0) continue;
        worst = Math.max(worst, this.#visit(row, active));
        work += LANES * ((starts[row + 1] as number) - (starts[row] as number));
        if (work < WORK_PER_REPORT) continue;
        work = 0;
        yield (pass + visited / order.length) / orders.length;
      }
      if (isFull && worst < TOLERANCE) break;
    }
  }

  /** Writes the block's part of the dual weights. */
  store(dual: DualWeights): void {
    const { classes } = this.#set;
    for (let row = 0; row < this.#active.length; row += 1) {
      const base = row * classes + this.#first;
      for (let lane = 0; lane < this.#count; lane += 1) dual[base + lane] = this.#dual[row * LANES + lane] as number;
    }
  }

  #ownBit(row: number): number {
    const lane = (this.#set.classOf[row] as number) - this.#first;
    return lane >= 0 && lane < this.#count ? 1 << lane : 0;
  }

  /** Runs one step for a row in each active lane; returns the largest violation. */
  #visit(row: number, active: number): number {
    const { starts } = this.#set.rows;
    const start = starts[row] as number;
    const end = starts[row + 1] as number;
    const ownBit = this.#ownBit(row);
    const base = row * LANES;
    const lanes = this.#lanes;
    const dual = this.#dual;
    let count = 0;
    for (let lane = 0; lane < LANES; lane += 1) if ((active & (1 << lane)) !== 0) lanes[count++] = lane;
    this.#block.score(start, end, lanes, count);
    const { scores, steps, constants } = this.#block;
    let worst = 0;
    let changed = 0;
    let mask = this.#active[row] as number;
    for (let at = 0; at < count; at += 1) {
      const lane = lanes[at] as number;
      const bit = 1 << lane;
      const sign = bit === ownBit ? 1 : -1;
      const before = dual[base + lane] as number;
      const gradient = sign * (scores[lane] as number) - 1 + SOFTNESS * before;
      const violation = before === 0 ? Math.min(gradient, 0) : gradient;
      worst = Math.max(worst, Math.abs(violation));
      if (Math.abs(violation) <= STILL) continue;
      // A row has length one, and one more for the constant.
      const after = Math.fround(Math.max(before - gradient / (2 + SOFTNESS), 0));
      if (after === before) continue;
      dual[base + lane] = after;
      mask = after === 0 && bit !== ownBit ? mask & ~bit : mask | bit;
      lanes[changed] = lane;
      steps[lane] = sign * (after - before);
      constants[lane] = (constants[lane] as number) + (steps[lane] as number);
      changed += 1;
    }
    this.#active[row] = mask;
    if (changed > 0) this.#block.move(start, end, lanes, changed);
    for (let at = 0; at < changed; at += 1) steps[lanes[at] as number] = 0;
    return worst;
  }
}
