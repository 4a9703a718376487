const MAX_COMPARED_LENGTH = 80;
const MAX_CANDIDATES = 2000;

/**
 * Returns the candidate most similar to a misspelt word, if similar enough to be the intended one.
 *
 * @example
 * ```ts
 * suggest("inptu", ["input", "output"]); // "input"
 * ```
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > MAX_COMPARED_LENGTH) return undefined;
  const lower = word.toLowerCase();
  const limit = Math.max(1, Math.floor(word.length * 0.4));
  let best: string | undefined;
  let bestDistance = limit + 1;
  let seen = 0;
  for (const candidate of candidates) {
    if ((seen += 1) > MAX_CANDIDATES) break;
    if (candidate === word || Math.abs(candidate.length - word.length) > limit) continue;
    const other = candidate.toLowerCase();
    const found = isTransposed(lower, other) ? 1 : countEdits(lower, other);
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

/** Returns true for two swapped neighbouring letters: one typing error, although two edits. */
function isTransposed(word: string, other: string): boolean {
  if (word.length !== other.length) return false;
  let at = 0;
  while (at < word.length && word[at] === other[at]) at += 1;
  return (
    at + 1 < word.length &&
    word[at] === other[at + 1] &&
    word[at + 1] === other[at] &&
    word.slice(at + 2) === other.slice(at + 2)
  );
}

/**
 * Returns the Levenshtein distance: the minimum number of insertions, deletions and substitutions between two words.
 */
function countEdits(word: string, other: string): number {
  // Edits from the first letters of `word` to each prefix of `other`, one letter more per iteration.
  let edits = Array.from({ length: other.length + 1 }, (_, length) => length);
  for (let row = 0; row < word.length; row += 1) {
    const next = [row + 1];
    for (let at = 0; at < other.length; at += 1) {
      const replaced = edits[at]! + (word[row] === other[at] ? 0 : 1);
      next.push(Math.min(replaced, edits[at + 1]! + 1, next[at]! + 1));
    }
    edits = next;
  }
  return edits[other.length]!;
}

/** Returns the most similar name as a sentence for `hint`, otherwise the list of all names. */
export function didYouMeanOrTakes(name: string, names: readonly string[]): string {
  const list = names.map((known) => `\`${known}\``).join(", ");
  return didYouMean(name, names) ?? (list === "" ? "it takes none" : `it takes ${list}`);
}

/** Returns the most similar candidate as a sentence for `hint`. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const near = suggest(word, candidates);
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}

/**
 * Returns a hint for an unknown rail: the rail of the list's stage if only the stage is missing, as in `detect secrets`,
 * otherwise the most similar name.
 *
 * @param path - place in the settings, such as `rails.input.flows[0]`
 */
export function didYouMeanRail(name: string, path: string | undefined, names: ReadonlySet<string>): string | undefined {
  const stage = path?.split(".")[1]?.replace("_", " ") ?? "";
  const whole = [`${name} on ${stage}`, `${name} ${stage}`].find((candidate) => names.has(candidate));
  return whole === undefined ? didYouMean(name, names) : `did you mean \`${whole}\`?`;
}
