import { PhraseMatcher } from "../../phrases/phrase-matcher.js";
import { foldCase } from "../../scan/fold-case.js";
import { FUNCTION_WORDS } from "./function-words.js";
import { countScripts, languagesWith, type LetterCounts, ONLY_LANGUAGES, type Script } from "./scripts.js";

/** Language of a text. */
export interface TextLanguage {
  /** Code of ISO 639-1, for example `de`. */
  readonly language: string;
  /** Certainty between 0 and 1. */
  readonly score: number;
}

/** Characters of a text that are read; the rest of a long one is in the same language as a rule. */
const SAMPLE = 4000;
/** Letters that a text needs. */
const LEAST_LETTERS = 6;
/** Share of kana in a text of Japanese and Chinese characters that makes it Japanese. */
const KANA_SHARE = 0.05;
/** Worth of a rare letter and of a word of one letter, where a common word is worth 1. */
const LETTER_WORTH = 0.4;

/** Times that one letter counts. */
const MOST_LETTERS = 3;

const SCRIPT_LANGUAGES: Readonly<Partial<Record<Script, readonly string[]>>> = {
  cyrillic: ["ru", "uk", "bg", "sr"],
  arabic: ["ar", "fa", "ur"],
};

/** Common words of all languages, and what those of a text are worth for each. */
interface LanguageWords {
  readonly matcher: PhraseMatcher;
  readonly worths: Float64Array;
  readonly indexOf: ReadonlyMap<string, number>;
}

/** Built at the first use. */
let words: LanguageWords | undefined;

/**
 * Returns the language of a text by its script, its common words and its letters; undefined if it is too short or in none of
 * the 41 languages that are known. A sentence of six words is mostly enough.
 *
 * @example
 * ```ts
 * languageOf("Wie kann ich meine Karte sperren?"); // { language: "de", score: 0.98 }
 * languageOf("OK"); // undefined
 * ```
 */
export function languageOf(text: string): TextLanguage | undefined {
  const folded = foldCase(text.slice(0, SAMPLE));
  const { scripts, letters: rare } = countScripts(folded);
  const [script, count] = [...scripts].reduce((a, b) => (b[1] > a[1] ? b : a), ["latin", 0] as const);
  const letters = [...scripts.values()].reduce((sum, lettersOfScript) => sum + lettersOfScript, 0);
  if (script === "han" || script === "kana") return east(scripts);
  if (letters < LEAST_LETTERS) return undefined;
  const only = ONLY_LANGUAGES[script];
  if (only !== undefined) return { language: only, score: round(count / letters) };
  return byWords(folded, script, rare);
}

function east(scripts: ReadonlyMap<Script, number>): TextLanguage | undefined {
  const han = scripts.get("han") ?? 0;
  const kana = scripts.get("kana") ?? 0;
  if (han + kana < 2) return undefined;
  return kana > KANA_SHARE * (han + kana) ? { language: "ja", score: 0.95 } : { language: "zh", score: 0.95 };
}

function byWords(folded: string, script: Script, rare: LetterCounts): TextLanguage | undefined {
  const { matcher, worths, indexOf } = (words ??= prepareWords());
  const { names } = matcher;
  worths.fill(0);
  matcher.visit({ folded }, (name, start, end) => {
    worths[name] = (worths[name] ?? 0) + (end - start === 1 ? LETTER_WORTH : 1);
  });
  for (const [letter, count] of rare) {
    for (const language of languagesWith(letter)) {
      const name = indexOf.get(language);
      if (name !== undefined) worths[name] = (worths[name] ?? 0) + LETTER_WORTH * Math.min(MOST_LETTERS, count);
    }
  }
  const candidates = SCRIPT_LANGUAGES[script];
  let [first, second] = [-1, 0];
  for (let name = 0; name < worths.length; name++) {
    const worth = worths[name] ?? 0;
    const language = names[name] ?? "";
    if (
      worth <= second ||
      (candidates === undefined ? OF_OTHER_SCRIPT.has(language) : !candidates.includes(language))
    ) {
      continue;
    }
    const best = first < 0 ? 0 : (worths[first] ?? 0);
    if (worth > best) [first, second] = [name, best];
    else second = worth;
  }
  const worth = worths[first] ?? 0;
  const lead = worth - second;
  return worth < 2 || lead < LETTER_WORTH
    ? undefined
    : { language: names[first] ?? "", score: round(1 - Math.exp(-lead)) };
}

const OF_OTHER_SCRIPT = new Set(Object.values(SCRIPT_LANGUAGES).flat());

function prepareWords(): LanguageWords {
  const matcher = new PhraseMatcher([FUNCTION_WORDS]);
  const indexOf = new Map(matcher.names.map((name, index) => [name, index]));
  return { matcher, worths: new Float64Array(matcher.names.length), indexOf };
}

function round(value: number): number {
  return Math.round(100 * value) / 100;
}

/** Languages that `languageOf` knows. */
export const LANGUAGES: readonly string[] = [
  ...new Set([...Object.keys(FUNCTION_WORDS), ...Object.values(ONLY_LANGUAGES)]),
].sort();
