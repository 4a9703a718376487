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

/** Built at the first use. */
let matcher: PhraseMatcher | undefined;

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
  const letters = [...scripts.values()].reduce((sum, each) => sum + each, 0);
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
  matcher ??= new PhraseMatcher([FUNCTION_WORDS]);
  const { names } = matcher;
  const worths = new Map<string, number>();
  const add = (language: string, worth: number): void => {
    worths.set(language, (worths.get(language) ?? 0) + worth);
  };
  matcher.visit({ folded }, (name, start, end) => add(names[name] ?? "", end - start === 1 ? LETTER_WORTH : 1));
  for (const [letter, count] of rare) {
    for (const language of languagesWith(letter)) add(language, LETTER_WORTH * Math.min(MOST_LETTERS, count));
  }
  const candidates = SCRIPT_LANGUAGES[script];
  const ranked = [...worths]
    .filter(([language]) => (candidates === undefined ? !isOfOtherScript(language) : candidates.includes(language)))
    .sort((a, b) => b[1] - a[1]);
  const [first, second] = ranked;
  if (first === undefined || first[1] < 2) return undefined;
  const lead = first[1] - (second?.[1] ?? 0);
  return lead < LETTER_WORTH ? undefined : { language: first[0], score: round(1 - Math.exp(-lead)) };
}

function isOfOtherScript(language: string): boolean {
  return Object.values(SCRIPT_LANGUAGES).some((languages) => languages.includes(language));
}

function round(value: number): number {
  return Math.round(100 * value) / 100;
}

/** Languages that `languageOf` knows. */
export const LANGUAGES: readonly string[] = [
  ...new Set([...Object.keys(FUNCTION_WORDS), ...Object.values(ONLY_LANGUAGES)]),
].sort();
