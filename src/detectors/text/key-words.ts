import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector, RuleMatch, TextView, TriggerRule } from "../detector.js";
import { checkWords } from "../option-values.js";
import { foldCase } from "../scan/fold-case.js";
import { isUnspaced } from "../scan/unspaced-letters.js";

/** Options of `keyWords`. */
export interface KeyWordsOptions {
  /** Words and phrases, for example names of competitors or of topics; capital and small letters are alike. */
  readonly words: readonly string[];
  /** Type of the findings; default: `KEY_WORD`. */
  readonly type?: string;
  /** A word also counts inside of another one, as it always does in scripts without spaces; default: false. */
  readonly parts?: boolean;
}

const OPTIONS: OptionTable<KeyWordsOptions> = { words: "names", type: "text", parts: "boolean" };
const LETTER = /[\p{L}\p{N}_]/u;
const HANGUL = /\p{sc=Hangul}/u;

/**
 * Detector of words and phrases of a list: competitors, topics, names of projects. Blanks in a phrase stand for blanks, signs
 * such as `-`, `_` and `*`, and tags in the text, and for the next word of `CamelCase`.
 *
 * @throws ConfigError for an empty list and for an empty word
 *
 * @example
 * ```ts
 * detect("Is Acme  Bikes cheaper?", [keyWords({ words: ["acme bikes"], type: "COMPETITOR" })]);
 * // [{ type: "COMPETITOR", start: 3, end: 14, … }]
 * ```
 */
export function keyWords(options: KeyWordsOptions): Detector {
  checkOptions("keyWords", options ?? {}, OPTIONS);
  const { words, type = "KEY_WORD", parts = false } = options ?? {};
  checkWords({ surface: "keyWords", option: "words" }, words);
  return { name: "key-words", rules: words.map((word, index) => ruleOf(word, index, { type, parts })) };
}

function ruleOf(
  word: string,
  index: number,
  { type, parts }: { readonly type: string; readonly parts: boolean },
): TriggerRule {
  const [first = "", ...others] = foldCase(word).trim().split(/\s+/);
  return {
    name: `word-${index + 1}`,
    type,
    score: 1,
    triggers: [first],
    reach: 4 * word.length + 64 + LONGEST_GAP * others.length,
    find: (view, start, end) => {
      const last = endOfPhrase(view, end, others);
      if (last === undefined) return undefined;
      return parts || isWhole(view.text, { start, end: last }) ? { start, end: last } : undefined;
    },
  };
}

/** Blanks, signs and tags between two words of a phrase; a sentence does not go on after a sign with a blank. */
const GAP =
  /(?:[\s*_~`"'+]|[-/.](?!\s)){0,16}(?:(?:<\/?[a-z][^<>]{0,32}>|\[\/?[a-z]{1,6}\])(?:[\s*_~`"'+]|[-/.](?!\s)){0,16}){0,2}/y;
const LONGEST_GAP = 128;

function endOfPhrase({ text, folded }: TextView, from: number, words: readonly string[]): number | undefined {
  let end = from;
  for (const word of words) {
    GAP.lastIndex = end;
    GAP.test(folded);
    const at = GAP.lastIndex;
    const isCamel = text.charAt(end) !== folded.charAt(end) && text.charAt(end - 1) === folded.charAt(end - 1);
    if ((at === end && !isCamel) || !folded.startsWith(word, at)) return undefined;
    end = at + word.length;
  }
  return end;
}

function isWhole(text: string, { start, end }: RuleMatch): boolean {
  const [before, first] = [text.charAt(start - 1), text.charAt(start)];
  // Particles follow words of Hangul, and other words stand before them in compounds: `애플은`, but not `파인애플`.
  const isCompound = HANGUL.test(before) && HANGUL.test(first);
  return !isCompound && !isJoined(before, first) && !isJoined(text.charAt(end - 1), text.charAt(end));
}

/** Returns true if two characters belong to one word; words of scripts without spaces may end anywhere. */
function isJoined(before: string, after: string): boolean {
  return LETTER.test(before) && LETTER.test(after) && !isUnspaced(before) && !isUnspaced(after);
}
