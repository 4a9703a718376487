import type { RuleMatch, TextView } from "../detector.js";

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

/** Returns true if one of the words begins near a match. */
export function isNearWord({ folded }: TextView, match: RuleMatch, words: readonly string[]): boolean {
  const before = folded.slice(Math.max(0, match.start - BEFORE), match.start);
  const after = folded.slice(match.end, match.end + CONTEXT_AFTER);
  const pattern = patternOf(words);
  return (pattern.test(before) && hasAnyWord(before, words)) || (pattern.test(after) && hasAnyWord(after, words));
}

/** Patterns that find any of some words within words too; three times as fast as to look for each word. */
const patterns = new WeakMap<readonly string[], RegExp>();

function patternOf(words: readonly string[]): RegExp {
  const known = patterns.get(words);
  if (known !== undefined) return known;
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const pattern = new RegExp(escaped.length === 0 ? "(?!)" : escaped.join("|"));
  patterns.set(words, pattern);
  return pattern;
}

/** Returns the score of a match near a context word. */
export function raiseScore(score: number): number {
  return Math.min(1, Math.max(LEAST, Math.round((score + SUPPORT) * 100) / 100));
}

function hasAnyWord(text: string, words: readonly string[]): boolean {
  return words.some((word) => hasWord(text, word));
}

/** Returns true if the word stands in the text at the start of a word. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true;
  }
  return false;
}
