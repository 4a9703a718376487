import type { Features } from "./features.js";

/** A unit vector that is zero almost everywhere. */
export interface SparseVector {
  readonly places: Int32Array;
  readonly values: Float32Array;
}

/** Rare n-grams of the examples count more, but the background has said most of it already. */
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
      for (const code of features.keys()) {
        const place = this.#placeOf.get(code);
        if (place === undefined) {
          this.#placeOf.set(code, counts.length);
          counts.push(1);
        } else counts[place] = (counts[place] as number) + 1;
      }
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

  /** N-grams that no example has are no part of the vector, but make the others weigh less. */
  encode(features: Features): SparseVector {
    const places: number[] = [];
    const values: number[] = [];
    let sum = 0;
    for (const [code, weight] of features) {
      const place = this.#placeOf.get(code);
      const value = weight * (place === undefined ? this.#unseenRarity : (this.#rarity[place] as number));
      sum += value * value;
      if (place === undefined) continue;
      places.push(place);
      values.push(value);
    }
    const length = Math.sqrt(sum) || 1;
    return { places: Int32Array.from(places), values: Float32Array.from(values, (value) => value / length) };
  }
}
