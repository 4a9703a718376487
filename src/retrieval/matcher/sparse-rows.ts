import type { Features } from "./features.js";

/** A unit vector that is zero almost everywhere. */
export interface SparseVector {
  readonly places: Int32Array;
  readonly values: Float32Array;
}

/** Rare n-grams of the examples count more, but the weights of the background cover most of that already. */
const RARITY_POWER = 0.4;

/**
 * Examples as sparse vectors over the n-grams they have, and the same for texts to come.
 *
 * INVARIANT: rows have length one, or are empty when their text has no words.
 */
export class SparseRows {
  readonly rows: readonly SparseVector[];
  readonly #placeOf = new Map<number, number>();
  readonly #rarity: Float64Array;
  readonly #unseenRarity: number;

  constructor(texts: readonly Features[]) {
    const counts: number[] = [];
    for (const features of texts) {
      features.forEach((_, code) => {
        const place = this.#placeOf.get(code);
        if (place === undefined) {
          this.#placeOf.set(code, counts.length);
          counts.push(1);
        } else counts[place] = (counts[place] as number) + 1;
      });
    }
    const rarity = (count: number): number => Math.log((texts.length + 1) / (count + 0.5)) ** RARITY_POWER;
    this.#rarity = Float64Array.from(counts, rarity);
    this.#unseenRarity = rarity(0);
    this.rows = texts.map((features) => this.encode(features));
  }

  /** Number of different n-grams. */
  get width(): number {
    return this.#rarity.length;
  }

  /** N-grams that no example has are not part of the vector, but make the others weigh less. */
  encode(features: Features): SparseVector {
    const places = new Int32Array(features.size);
    const weights = new Float64Array(features.size);
    let count = 0;
    let sum = 0;
    features.forEach((weight, code) => {
      const place = this.#placeOf.get(code);
      const value = weight * (place === undefined ? this.#unseenRarity : (this.#rarity[place] as number));
      sum += value * value;
      if (place === undefined) return;
      places[count] = place;
      weights[count] = value;
      count += 1;
    });
    const length = Math.sqrt(sum) || 1;
    const values = new Float32Array(count);
    for (let at = 0; at < count; at += 1) values[at] = (weights[at] as number) / length;
    return { places: count === places.length ? places : places.slice(0, count), values };
  }
}
