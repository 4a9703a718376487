/**
 * Returns the misspellings of a word that one slip produces: two neighbours swapped, or an inner letter left out or doubled. The first
 * letter stays, as in most slips.
 */
export function misspellingsOf(word: string): readonly string[] {
  const found = new Set<string>();
  for (let at = 1; at < word.length - 1; at++) {
    const before = word.slice(0, at);
    const [letter = "", next = ""] = word.slice(at, at + 2);
    const after = word.slice(at + 2);
    found.add(before + next + letter + after);
    found.add(before + next + after);
    found.add(before + letter + letter + next + after);
  }
  found.delete(word);
  return [...found];
}
