import { distance } from "fastest-levenshtein";

const MAX_COMPARED_LENGTH = 80;
const MAX_CANDIDATES = 2000;

/**
 * The candidate nearest to a mistyped word, if one is near enough to be what was meant.
 *
 * @example
 * ```ts
 * suggest("inptu", ["input", "output"]); // "input"
 * ```
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > MAX_COMPARED_LENGTH) return undefined;
  const lower = word.toLowerCase();
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  let seen = 0;
  for (const candidate of candidates) {
    if ((seen += 1) > MAX_CANDIDATES) break;
    if (candidate === word || Math.abs(candidate.length - word.length) > limit) continue;
    const found = distance(lower, candidate.toLowerCase());
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

/** The same as a sentence for `hint`. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const near = suggest(word, candidates);
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}
