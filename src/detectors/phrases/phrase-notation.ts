/** Word of a phrase: as it stands, or all words that begin with it. */
interface PhraseWord {
  readonly text: string;
  readonly isStem: boolean;
}

/** One of the alternatives at a place of a phrase, and the most words that may stand between it and the place before. */
export interface PhrasePlace {
  readonly alternatives: readonly (readonly PhraseWord[])[];
  readonly gap: number;
}

const TOKENS = /\s*(?:~(\d+)|<([a-z0-9-]+)>|\(([^()]*)\)|([^\s()<>~|]+))/gy;

/** Returns the phrases of a source: those on both sides of a bar outside of parentheses. */
export function splitPhrases(source: string): readonly string[] {
  return source.split(/\|(?![^(]*\))/);
}

/**
 * Reads a phrase: words (`system`), stems (`instruct*`), alternatives (`(ignore|pay no attention to)`), names of lists of
 * alternatives (`<previous>`) and gaps (`~3`: at most three other words). Words that follow one another stand together.
 */
export function parsePhrase(
  source: string,
  lists: Readonly<Record<string, string>>,
  wordsOf: (text: string) => readonly string[],
): readonly PhrasePlace[] {
  const places: { alternatives: PhraseWord[][]; gap: number; isOpen: boolean }[] = [];
  const sequenceOf = (text: string): PhraseWord[] =>
    text.split(/\s+/).flatMap((part) => {
      const isStem = part.endsWith("*");
      const words = wordsOf(isStem ? part.slice(0, -1) : part);
      return words.map((word, index) => ({ text: word, isStem: isStem && index === words.length - 1 }));
    });
  let gap = 0;
  let end = 0;
  for (const [all, distance, list, group, word] of source.matchAll(TOKENS)) {
    end += all.length;
    const last = places.at(-1);
    if (distance !== undefined) {
      gap = Number(distance);
      if (last !== undefined) last.isOpen = false;
    } else if (word !== undefined && last?.isOpen === true) {
      last.alternatives[0]?.push(...sequenceOf(word));
    } else {
      const alternatives = word ?? group ?? lists[list ?? ""];
      if (alternatives === undefined) throw new TypeError(`unknown list \`${list}\` in phrase \`${source}\``);
      places.push({ alternatives: alternatives.split("|").map(sequenceOf), gap, isOpen: word !== undefined });
      gap = 0;
    }
  }
  if (end < source.trimEnd().length || places.length === 0) throw new TypeError(`phrase \`${source}\` is not valid`);
  return places.map(({ alternatives, gap }) => ({ alternatives, gap }));
}
