/**
 * Letters of scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana, ideographs, and Hangul, whose particles follow
 * numbers.
 */
export const UNSPACED_LETTERS =
  "[\\u0e01-\\u0e4e\\u0e81-\\u0ece\\u1000-\\u103f\\u1780-\\u17d3\\u3005-\\u3007\\u3041-\\u30ff\\u31f0-\\u31ff\\u3400-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff]";
const UNSPACED = new RegExp(UNSPACED_LETTERS);

/** Returns true for a letter that may stand right before or after a word of another script. */
export function isUnspaced(letter: string): boolean {
  return UNSPACED.test(letter);
}
