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
 * Detector of words and phrases of a list: competitors, topics, names of projects. Blanks in a phrase stand for one or more
 * blanks in the text.
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
    reach: 4 * word.length + 64,
    find: (view, start, end) => {
      const last = endOfPhrase(view, end, others);
      if (last === undefined) return undefined;
      return parts || isWhole(view.text, { start, end: last }) ? { start, end: last } : undefined;
    },
  };
}

/** Blanks between two words of a phrase that are read over. */
const MOST_BLANKS = 16;

function endOfPhrase({ folded }: TextView, from: number, words: readonly string[]): number | undefined {
  let end = from;
  for (const word of words) {
    let at = end;
    while (at < end + MOST_BLANKS && /\s/.test(folded.charAt(at))) at++;
    if (at === end || !folded.startsWith(word, at)) return undefined;
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
