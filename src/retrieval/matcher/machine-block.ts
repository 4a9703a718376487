import type { SparseRows } from "./sparse-rows.js";

/** Machines trained together: as many as fit in four vector registers. */
export const LANES = 16;

/** Memory for training: rows, and the machines of a block of classes. */
export interface MachineBlock {
  /** `LANES` numbers per n-gram, which fill one cache line. */
  readonly weights: Float32Array;
  readonly constants: Float32Array;
  /** Scores of the last row. */
  readonly scores: Float32Array;
  /** Steps of the next move, by lane: each machine adds the row times its step. */
  readonly steps: Float32Array;
  /** Scores the entries from `start` to `end` in the first `count` of these lanes, or in all. */
  score(start: number, end: number, lanes: Int32Array, count: number): void;
  /** Applies the steps to the entries from `start` to `end` in the first `count` of these lanes. */
  move(start: number, end: number, lanes: Int32Array, count: number): void;
}

/**
 * Memory for training in WebAssembly, whose vector instructions process all lanes at once. Without WebAssembly, plain
 * arrays give bit-identical numbers, several times slower.
 */
export function createBlock(rows: SparseRows, width: number): MachineBlock {
  return createVectorBlock(rows, width) ?? createPlainBlock(rows, width);
}

/** @internal Exported for the test that compares both. */
export function createPlainBlock({ places, values }: SparseRows, width: number): MachineBlock {
  const weights = new Float32Array(width * LANES);
  const [constants, scores, steps] = [new Float32Array(LANES), new Float32Array(LANES), new Float32Array(LANES)];
  // INVARIANT: products and sums are rounded to 32 bits each, as vector instructions do.
  return {
    weights,
    constants,
    scores,
    steps,
    score: (start, end, lanes, count) => {
      for (let at = 0; at < count; at += 1) {
        const lane = lanes[at] as number;
        let sum = constants[lane] as number;
        for (let entry = start; entry < end; entry += 1) {
          const weight = weights[(places[entry] as number) * LANES + lane] as number;
          sum = Math.fround(sum + Math.fround((values[entry] as number) * weight));
        }
        scores[lane] = sum;
      }
    },
    move: (start, end, lanes, count) => {
      for (let at = 0; at < count; at += 1) {
        const lane = lanes[at] as number;
        const step = steps[lane] as number;
        for (let entry = start; entry < end; entry += 1) {
          const place = (places[entry] as number) * LANES + lane;
          weights[place] = (weights[place] as number) + Math.fround((values[entry] as number) * step);
        }
      }
    },
  };
}

/** @internal Exported for the test that compares both. */
export function createVectorBlock({ places, values }: SparseRows, width: number): MachineBlock | undefined {
  const sizes = [width * LANES, LANES, LANES, LANES, places.length, values.length];
  const starts = sizes.map((_, at) => BYTES * sizes.slice(0, at).reduce((sum, size) => sum + size, 0));
  const bytes = BYTES * sizes.reduce((sum, size) => sum + size, 0);
  const kernel = openKernel(Math.ceil(bytes / PAGE_BYTES));
  if (kernel === undefined) return undefined;
  const { buffer, score, move } = kernel;
  const floats = (at: number): Float32Array => new Float32Array(buffer, starts[at], sizes[at]);
  const [, constantsAt, scoresAt, stepsAt, placesAt, valuesAt] = starts as [number, ...number[]] & number[];
  new Int32Array(buffer, placesAt, places.length).set(places);
  floats(5).set(values);
  const toValue = (valuesAt as number) - (placesAt as number);
  const addressOf = (entry: number): number => (placesAt as number) + BYTES * entry;
  return {
    weights: floats(0),
    constants: floats(1),
    scores: floats(2),
    steps: floats(3),
    score: (start, end) => score(addressOf(start), addressOf(end), toValue, constantsAt as number, scoresAt as number),
    move: (start, end) => move(addressOf(start), addressOf(end), toValue, stepsAt as number),
  };
}

const BYTES = 4;
const PAGE_BYTES = 65_536;

/**
 * A loop over entries; weights start at address 0. All parameters are in bytes: the positions of the entries from
 * `start` to `end`, the distance from a position to its value, the address of the initial numbers per lane, and of the
 * result.
 */
type Loop = (start: number, end: number, toValue: number, from: number, to?: number) => void;

interface Kernel {
  readonly buffer: ArrayBuffer;
  readonly score: Loop;
  readonly move: Loop;
}

function openKernel(pages: number): Kernel | undefined {
  // Hosts may lack it.
  const { WebAssembly: host } = globalThis as { readonly WebAssembly?: typeof WebAssembly };
  if (host === undefined) return undefined;
  try {
    const memory = new host.Memory({ initial: pages });
    const { exports } = new host.Instance(new host.Module(KERNEL), { m: { m: memory } });
    return { buffer: memory.buffer, score: exports["s"] as Loop, move: exports["m"] as Loop };
  } catch {
    // Compilation is forbidden by a policy, vector instructions are missing, or memory is exhausted.
    return undefined;
  }
}

const [I32, F32X4, NO_RESULT] = [0x7f, 0x7b, 0x40];
const [LOOP, IF, CLOSE, BRANCH_IF] = [0x03, 0x04, 0x0b, 0x0d];
const [ADD, SHIFT_LEFT, IS_LESS] = [0x6a, 0x74, 0x49];
const LOAD_I32 = [0x28, 2, 0];
const LOAD_F32 = [0x2a, 2, 0];
const SPLAT = [0xfd, 0x13];
const MULTIPLY_4 = [0xfd, 0xe6, 1];
const ADD_4 = [0xfd, 0xe4, 1];
const load4 = (offset: number): number[] => [0xfd, 0, 2, offset];
const store4 = (offset: number): number[] => [0xfd, 11, 2, offset];
const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const constant = (value: number): number[] => [0x41, value];
const sized = (bytes: readonly number[]): number[] => [(bytes.length & 0x7f) | 0x80, bytes.length >> 7, ...bytes];
const section = (id: number, bytes: readonly number[]): number[] => [id, ...sized(bytes)];

// Parameters in the order of `Loop`, then locals.
const [ENTRY, END, TO_VALUE, FROM, TO, LINE, VALUE, REGISTER] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const REGISTERS = [0, 1, 2, 3];
const LINE_BITS = Math.log2(BYTES * LANES);
const FOUR_LANES = 4 * BYTES;

/** Loads the registers, runs `each` per entry, then `end`. */
function loop(each: readonly number[], end: readonly number[]): number[] {
  return join(
    [2, 1, I32, 1 + REGISTERS.length, F32X4],
    REGISTERS.flatMap((at) => join(get(FROM), load4(FOUR_LANES * at), set(REGISTER + at))),
    join(get(ENTRY), get(END), [IS_LESS, IF, NO_RESULT, LOOP, NO_RESULT]),
    join(get(ENTRY), LOAD_I32, constant(LINE_BITS), [SHIFT_LEFT], set(LINE)),
    join(get(ENTRY), get(TO_VALUE), [ADD], LOAD_F32, SPLAT, set(VALUE)),
    each,
    join(get(ENTRY), constant(BYTES), [ADD], set(ENTRY), get(ENTRY), get(END), [IS_LESS, BRANCH_IF, 0, CLOSE, CLOSE]),
    end,
    [CLOSE],
  );
}

function join(...parts: readonly (readonly number[])[]): number[] {
  return parts.flat();
}

/** The registers start with the constants, add each weight times the value, and end as the scores. */
const SCORE = loop(
  REGISTERS.flatMap((at) => {
    const weighted = join(get(VALUE), get(LINE), load4(FOUR_LANES * at), MULTIPLY_4);
    return join(get(REGISTER + at), weighted, ADD_4, set(REGISTER + at));
  }),
  REGISTERS.flatMap((at) => join(get(TO), get(REGISTER + at), store4(FOUR_LANES * at))),
);

/** The registers hold the steps; each weight grows by the value times the step. */
const MOVE = loop(
  REGISTERS.flatMap((at) => {
    const weighted = join(get(VALUE), get(REGISTER + at), MULTIPLY_4);
    return join(get(LINE), get(LINE), load4(FOUR_LANES * at), weighted, ADD_4, store4(FOUR_LANES * at));
  }),
  [],
);

/** A module that imports the memory `m.m` and exports the functions `s` and `m`. */
const KERNEL = Uint8Array.from(
  join(
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, [1, 0x60, 5, I32, I32, I32, I32, I32, 0]),
    section(2, join([1], name("m"), name("m"), [2, 0, 0])),
    section(3, [2, 0, 0]),
    section(7, join([2], name("s"), [0, 0], name("m"), [0, 1])),
    section(10, join([2], sized(SCORE), sized(MOVE))),
  ),
);

function name(text: string): number[] {
  return [text.length, text.charCodeAt(0)];
}
