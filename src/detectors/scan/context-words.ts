import type { RuleMatch, TextView } from "../detector.js";
import { UNSPACED_LETTERS } from "./unspaced-letters.js";

/** Characters before and after a match in which context words are looked for: about five words before it, and a unit after it. */
const BEFORE = 60;
export const CONTEXT_AFTER = 30;
/** Presidio's factors: a context word adds 0.35, and the result is at least 0.4. */
const SUPPORT = 0.35;
const LEAST = 0.4;

/** Returns the score of a match, raised if one of the words begins near it. */
export function scoreInContext(view: TextView, match: RuleMatch, score: number, words: readonly string[]): number {
  return isNearWord(view, match, words) ? raiseScore(score) : score;
}

/**
 * Returns true if one of the words begins near a match. A word that ends with a blank has to end there in the text as well:
 * `sin ` is not in `since`. Other blanks stand for anything that joins words in names: `tax id` is in `tax_id` and `customerTaxId`.
 */
export function isNearWord(view: TextView, { start, end }: RuleMatch, words: readonly string[]): boolean {
  return (
    hasWord(view, { start: Math.max(0, start - BEFORE), end: start }, words) ||
    hasWord(view, { start: end, end: end + CONTEXT_AFTER }, words)
  );
}

function hasWord({ text, folded }: TextView, { start, end }: RuleMatch, words: readonly string[]): boolean {
  const area = folded.slice(start, end);
  const pattern = patternOf(words);
  pattern.lastIndex = 0;
  for (let found = pattern.exec(area); found !== null; found = pattern.exec(area)) {
    if (found.index === 0 || beginsWord(text, start + found.index)) return true;
    pattern.lastIndex = found.index + 1;
  }
  return false;
}

/** Scripts that write words or their articles and prepositions together. */
const JOINED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Arabic}\p{sc=Hebrew}]/u;

/**
 * Returns true if no letter or digit stands before an offset, or one of a script whose words stand without spaces (`手机phone`), or
 * if a capital letter begins a word of a name: `customerSsn`.
 */
function beginsWord(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  if (!/[\p{L}\p{N}]/u.test(before)) return true;
  const first = text.charAt(at);
  return JOINED.test(first) || JOINED.test(before) || (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(first));
}

/** Patterns that find any of some words within words too; faster than to look for each word. */
const patterns = new WeakMap<readonly string[], RegExp>();

function patternOf(words: readonly string[]): RegExp {
  const known = patterns.get(words);
  if (known !== undefined) return known;
  const pattern = new RegExp(words.length === 0 ? "(?!)" : words.map(sourceOf).join("|"), "gu");
  patterns.set(words, pattern);
  return pattern;
}

function sourceOf(word: string): string {
  const escaped = word
    .trimEnd()
    .replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
    .replaceAll(" ", "[ _-]?");
  return word.endsWith(" ") ? `${escaped}(?!(?!${UNSPACED_LETTERS})[\\p{L}\\p{N}])` : escaped;
}

/** Returns the score of a match near a context word. */
export function raiseScore(score: number): number {
  return Math.min(1, Math.max(LEAST, Math.round((score + SUPPORT) * 100) / 100));
}
