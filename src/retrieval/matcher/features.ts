import { hashText, splitWords, stemWord } from "./words.js";
import { BACKGROUND_TABLE } from "./background-table.js";

/** N-grams by their hash, with their weights. */
export type Features = ReadonlyMap<number, number>;

/** Features of a word, wherever it stands. */
export interface WordFeatures {
  readonly stem: string;
  readonly weight: number;
  readonly codes: readonly number[];
  readonly weights: readonly number[];
}

const WORD_SEED = 1;
const STEM_SEED = 2;
const PAIR_SEED = 3;
const GRAM_SEED = 100;
const WORD_WEIGHT = 1;
const STEM_WEIGHT = 0.7;
const PAIR_WEIGHT = 0.6;
const GRAM_WEIGHT = 0.35;
const EDGE: Pick<WordFeatures, "stem" | "weight"> = { stem: "^", weight: 1 };
const END = "$";
const MAX_REMEMBERED = 50_000;
/** Scripts that put no blanks between words; their pieces are one to three characters long. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * The words, stems, pairs of neighbours and letter pieces of a text. Weights are dampened, so that saying a word four
 * times counts twice.
 *
 * @param remembered words that were seen before, to save work where many texts are read
 */
export function readFeatures(text: string, remembered?: Map<string, WordFeatures>): Features {
  const features = new Map<number, number>();
  const add = (code: number, weight: number): void => {
    features.set(code, (features.get(code) ?? 0) + weight);
  };
  let previous = EDGE;
  for (const word of splitWords(text)) {
    const parts = remembered?.get(word) ?? readWord(word);
    if (remembered !== undefined && remembered.size < MAX_REMEMBERED) remembered.set(word, parts);
    for (let at = 0; at < parts.codes.length; at += 1) add(parts.codes[at] as number, parts.weights[at] as number);
    const pair = hashText(parts.stem, hashText(previous.stem, PAIR_SEED));
    add(pair, PAIR_WEIGHT * Math.sqrt(parts.weight * previous.weight));
    previous = parts;
  }
  if (previous !== EDGE) add(hashText(END, hashText(previous.stem, PAIR_SEED)), PAIR_WEIGHT / 2);
  features.forEach((weight, code) => features.set(code, Math.sqrt(weight)));
  return features;
}

function readWord(word: string): WordFeatures {
  const stem = stemWord(word);
  const weight = backgroundWeight(stem);
  const codes = [hashText(word, WORD_SEED), hashText(stem, STEM_SEED)];
  const weights = [WORD_WEIGHT * weight, STEM_WEIGHT * weight];
  const isUnspaced = UNSPACED.test(word);
  const framed = isUnspaced ? word : `^${word}$`;
  const [shortest, longest] = isUnspaced ? [1, 3] : [3, 4];
  for (let size = shortest; size <= longest; size += 1) {
    for (let at = 0; at + size <= framed.length; at += 1) {
      codes.push(hashText(framed.slice(at, at + size), GRAM_SEED + size));
      weights.push(GRAM_WEIGHT * weight);
    }
  }
  return { stem, weight, codes, weights };
}

/** Seed of the places in the table; the script that builds it uses the same. */
const SEED = 0x51ab;

let table: Uint8Array | undefined;

/**
 * Weight of a stem for the topic of a text, from 0 to 1: next to nothing for `the`, everything for a word that
 * everyday requests do not have.
 */
function backgroundWeight(stem: string): number {
  table ??= Uint8Array.from(atob(BACKGROUND_TABLE), (character) => character.charCodeAt(0));
  return (table[hashText(stem, SEED) & (table.length - 1)] as number) / 255;
}
