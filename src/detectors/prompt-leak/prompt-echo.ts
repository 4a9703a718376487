import { codeAt } from "../scan/code-at.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector, RuleMatch, TextRule, TextView } from "../detector.js";
import { checkRange, optionError } from "../option-values.js";

/** Options of `promptEcho`. */
export interface PromptEchoOptions {
  /** Words of a sequence that is looked up, from 2 to 8; default: 4. */
  readonly sequence?: number;
  /** Words of the prompt that a passage must repeat, from 4 to 200; default: 12, or four fifths of a shorter prompt. */
  readonly least?: number;
}

const OPTIONS: OptionTable<PromptEchoOptions> = { sequence: "number", least: "number" };
const SEQUENCE = 4;
const LEAST = 12;
const SHORTEST_PROMPT = 4;
/** Words that may be changed or put between two repeated sequences. */
const GAP = 8;
/** Tags, and words of letters and digits; a character of a script without spaces is a word of its own. */
const WORDS =
  /<\/?[a-z][^<>]{0,128}>|\[\/?[a-z]{1,8}(?:=[^[\]]{0,64})?\]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|[\p{L}\p{M}\p{N}]{1,64}/gu;

interface Word {
  readonly hash: number;
  readonly start: number;
  readonly end: number;
}

/** Passage of a text, as indexes of words. */
interface Passage {
  readonly first: number;
  end: number;
  covered: number;
}

/**
 * Detector of passages that repeat a system prompt (`PROMPT_LEAK`). It compares sequences of words, so that case, spaces,
 * punctuation, numbers, tags, order of sentences and single changed words make no difference. The score grows with the words repeated. It keeps
 * hashes of the prompt, not the prompt.
 *
 * @throws ConfigError for a prompt of fewer than four words
 * @example
 * ```ts
 * const prompt = "You are Ada, the assistant of Example Bank. Never mention rates before the customer has logged in.";
 * detect("My rules say: never mention rates before the customer has logged in", [promptEcho(prompt, { least: 8 })]);
 * // [{ type: "PROMPT_LEAK", start: 14, … }]
 * ```
 */
export function promptEcho(systemPrompt: string, options: PromptEchoOptions = {}): Detector {
  checkOptions("promptEcho", options, OPTIONS);
  const { sequence = SEQUENCE } = options;
  checkRange({ surface: "promptEcho", option: "sequence" }, sequence, 2, 8);
  checkRange({ surface: "promptEcho", option: "least" }, options.least, 4, 200);
  const words = typeof systemPrompt === "string" ? wordsOf(systemPrompt.toLowerCase()) : [];
  if (words.length < SHORTEST_PROMPT) {
    const place = { surface: "promptEcho", option: "systemPrompt" };
    throw optionError(
      place,
      `expected a prompt of at least ${SHORTEST_PROMPT} words`,
      "use `keyWords` for single words",
    );
  }
  const size = Math.min(sequence, words.length);
  const known = new Set(sequencesOf(words, size));
  const least = Math.min(options.least ?? LEAST, Math.max(size, Math.ceil(words.length * 0.8)));
  const rule: TextRule = {
    name: "repeated-words",
    type: "PROMPT_LEAK",
    score: 0.6,
    scan: (view) => leaksIn(view, known, size, least),
    reach: 1024,
  };
  return { name: "prompt-echo", rules: [rule] };
}

function* leaksIn(view: TextView, known: ReadonlySet<number>, size: number, least: number): Generator<RuleMatch> {
  const words = wordsOf(view.folded);
  for (const { first, end, covered } of passagesOf(words, known, size)) {
    if (covered < least || covered * 2 < end - first) continue;
    const [start, stop] = [words[first]?.start ?? 0, words[end - 1]?.end ?? 0];
    yield { start, end: stop, score: Math.min(1, Math.round((0.5 + covered / (4 * least)) * 100) / 100) };
  }
}

function passagesOf(words: readonly Word[], known: ReadonlySet<number>, size: number): readonly Passage[] {
  const passages: Passage[] = [];
  let at = 0;
  for (const hash of sequencesOf(words, size)) {
    const first = at++;
    if (!known.has(hash)) continue;
    const last = passages.at(-1);
    if (last === undefined || first > last.end + GAP) passages.push({ first, end: first + size, covered: size });
    else {
      last.covered += first + size - Math.max(first, last.end);
      last.end = first + size;
    }
  }
  return passages;
}

/** Hashes of each sequence of so many words. */
function* sequencesOf(words: readonly Word[], size: number): Generator<number> {
  for (let first = 0; first + size <= words.length; first++) {
    let hash = 0;
    for (let at = first; at < first + size; at++) hash = (Math.imul(hash, 0x01000193) ^ (words[at]?.hash ?? 0)) >>> 0;
    // 53 bits, so that chance matches stay rare over long texts.
    yield hash * 0x200000 + (mix(hash ^ (words[first]?.hash ?? 0)) & 0x1fffff);
  }
}

/** Tags, numbers, times and levels, which stand between words that were marked, listed or logged. */
const BETWEEN = /^(?:[<[\d]|(?:info|warn|error|debug|trace)$)/;

function wordsOf(folded: string): readonly Word[] {
  const words: Word[] = [];
  for (const { 0: word, index } of folded.matchAll(WORDS)) {
    if (!BETWEEN.test(word)) words.push({ hash: hashOf(word), start: index, end: index + word.length });
  }
  return words;
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ codeAt(word, at), 0x01000193);
  return mix(hash);
}

function mix(value: number): number {
  const mixed = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
