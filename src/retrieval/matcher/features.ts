import { hashText, hashUnits, WordReader } from "./words.js";
import { BACKGROUND_TABLE } from "./background-table.js";

const WORD_SEED = 1;
const STEM_SEED = 2;
const PAIR_SEED = 3;
const GRAM_SEED = 100;
const WORD_WEIGHT = 1;
const STEM_WEIGHT = 0.7;
const PAIR_WEIGHT = 0.6;
const GRAM_WEIGHT = 0.35;
/** Markers before the first word of a text and after the last. */
const START_OF_PAIR = hashText("^", PAIR_SEED);
const END = "$";
const START_ROOM = 256;
const SLOTS_PER_FEATURE = 4;

/**
 * Features of a text by hash: words, stems, pairs of neighbours and letter n-grams. Weights are dampened, so a word
 * repeated four times counts twice. All texts share the same buffers.
 */
export class FeatureReader {
  /** Number of features of the text, as used in `codes` and `weights`. */
  count = 0;
  codes: Int32Array = new Int32Array(START_ROOM);
  weights: Float64Array = new Float64Array(START_ROOM);
  readonly #words = new WordReader();
  /** Index of a feature in `codes`, by its hash; valid if the round is the current one. */
  #slots = new Int32Array(START_ROOM * SLOTS_PER_FEATURE);
  #rounds = new Int32Array(START_ROOM * SLOTS_PER_FEATURE);
  #round = 0;

  read(text: string): this {
    const words = this.#words;
    this.count = 0;
    this.#round = (this.#round + 1) | 0;
    let pair = START_OF_PAIR;
    let pairWeight = 1;
    words.open(text);
    while (words.next()) {
      const { stem, stemLength } = words;
      const weight = backgroundWeight(stem, stemLength);
      this.#addWord(weight);
      this.#add(hashUnits(stem, 0, stemLength, pair), PAIR_WEIGHT * Math.sqrt(weight * pairWeight));
      pair = hashUnits(stem, 0, stemLength, PAIR_SEED);
      pairWeight = weight;
    }
    if (this.count > 0) this.#add(hashText(END, pair), PAIR_WEIGHT / 2);
    for (let at = 0; at < this.count; at += 1) this.weights[at] = Math.sqrt(this.weights[at] as number);
    return this;
  }

  #addWord(weight: number): void {
    const { framed, length, stem, stemLength, isUnspaced } = this.#words;
    this.#add(hashUnits(framed, 1, length + 1, WORD_SEED), WORD_WEIGHT * weight);
    this.#add(hashUnits(stem, 0, stemLength, STEM_SEED), STEM_WEIGHT * weight);
    const start = isUnspaced ? 1 : 0;
    const end = isUnspaced ? length + 1 : length + 2;
    const [shortest, longest] = isUnspaced ? [1, 3] : [3, 4];
    for (let size = shortest as number; size <= (longest as number); size += 1) {
      for (let at = start; at + size <= end; at += 1) {
        this.#add(hashUnits(framed, at, at + size, GRAM_SEED + size), GRAM_WEIGHT * weight);
      }
    }
  }

  #add(code: number, weight: number): void {
    const mask = this.#slots.length - 1;
    let slot = code & mask;
    for (; this.#rounds[slot] === this.#round; slot = (slot + 1) & mask) {
      const at = this.#slots[slot] as number;
      if (this.codes[at] !== code) continue;
      this.weights[at] = (this.weights[at] as number) + weight;
      return;
    }
    if (this.count === this.codes.length) {
      this.#grow();
      this.#add(code, weight);
      return;
    }
    this.#rounds[slot] = this.#round;
    this.#slots[slot] = this.count;
    this.codes[this.count] = code;
    this.weights[this.count] = weight;
    this.count += 1;
  }

  #grow(): void {
    const { codes, weights, count } = this;
    this.codes = new Int32Array(2 * count);
    this.weights = new Float64Array(2 * count);
    this.#slots = new Int32Array(2 * count * SLOTS_PER_FEATURE);
    this.#rounds = new Int32Array(2 * count * SLOTS_PER_FEATURE);
    this.#round = 1;
    this.count = 0;
    for (let at = 0; at < count; at += 1) this.#add(codes[at] as number, weights[at] as number);
  }
}

/** Seed of the table's hash, shared with the script that builds it. */
const SEED = 0x51ab;

let table: Uint8Array | undefined;

/**
 * Weight of a stem for the topic of a text, from 0 to 1: almost none for `the`, full for a word that everyday requests
 * lack.
 */
function backgroundWeight(stem: Uint16Array, length: number): number {
  table ??= Uint8Array.from(atob(BACKGROUND_TABLE), (character) => character.charCodeAt(0));
  return (table[hashUnits(stem, 0, length, SEED) & (table.length - 1)] as number) / 255;
}
