/** One place of a phrase: its alternatives, separated by bars, and the most words that may stand between it and the place before. */
export interface PhrasePlace {
  readonly alternatives: string;
  readonly gap: number;
}

const TOKENS = /\s*(?:~(\d+)|<([a-z0-9-]+)>|\(([^()]*)\)|([^\s()<>~|]+(?:\s+[^\s()<>~|]+)*))/gy;
const SIGNS = /[()<>~]/;

/**
 * Returns the places of each phrase of a source: words (`system`), stems (`instruct*`), alternatives (`(ignore|pay no attention
 * to)`), names of lists of alternatives (`<previous>`) and gaps (`~3`: at most three other words). Words that follow one another
 * stand together. A bar outside of parentheses separates phrases.
 */
export function parsePhrases(
  source: string,
  lists: Readonly<Record<string, string>>,
): readonly (readonly PhrasePlace[])[] {
  // Phrases of words alone are alternatives of one place.
  if (!SIGNS.test(source) && source.trim() !== "") return [[{ alternatives: source, gap: 0 }]];
  return source.split(/\|(?![^(]*\))/).map((phrase) => parsePhrase(phrase, lists));
}

function parsePhrase(source: string, lists: Readonly<Record<string, string>>): readonly PhrasePlace[] {
  const places: PhrasePlace[] = [];
  let gap = 0;
  let end = 0;
  for (const [all, distance, list, group, words] of source.matchAll(TOKENS)) {
    end += all.length;
    if (distance !== undefined) {
      gap = Number(distance);
      continue;
    }
    const alternatives = words ?? group ?? lists[list ?? ""];
    if (alternatives === undefined) throw new TypeError(`unknown list \`${list}\` in phrase \`${source}\``);
    places.push({ alternatives, gap });
    gap = 0;
  }
  if (end < source.trimEnd().length || places.length === 0) throw new TypeError(`phrase \`${source}\` is not valid`);
  return places;
}
