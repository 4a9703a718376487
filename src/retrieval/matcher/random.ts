/** Numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/**
 * A small generator (mulberry32): equal seeds give equal numbers on every machine.
 *
 * @example
 * ```ts
 * const random = createRandom(42);
 * random() === createRandom(42)(); // true
 * ```
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a new list in random order (Fisher-Yates). */
export function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const kept = shuffled[last] as Item;
    shuffled[last] = shuffled[other] as Item;
    shuffled[other] = kept;
  }
  return shuffled;
}
