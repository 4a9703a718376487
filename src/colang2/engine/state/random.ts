/**
 * Random numbers that are part of the state: the same seed gives the same conversation, and a stored state continues where it
 * stopped. A counter goes through a mixing function, so the whole state is one 32-bit number.
 */
export interface RandomState {
  random: number;
}

const STEP = 0x9e3779b9;

/** A number in [0, 1). */
export function nextRandom(state: RandomState): number {
  state.random = (state.random + STEP) >>> 0;
  let mixed = state.random;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
}

/** A whole number below `count`. */
export function nextIndex(state: RandomState, count: number): number {
  return count <= 1 ? 0 : Math.floor(nextRandom(state) * count);
}
