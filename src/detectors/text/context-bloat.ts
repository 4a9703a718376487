import { codeAt } from "../scan/code-at.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector, RuleMatch, TextRule, TextView } from "../detector.js";
import { checkRange } from "../option-values.js";

/** Options of `contextBloat`. */
export interface ContextBloatOptions {
  /** Longest text in characters; default: 5,000. */
  readonly maxChars?: number;
  /** Shorter texts are not measured, in characters; default: 50. */
  readonly minChars?: number;
  /** Least entropy in bits for each character; default: 3.5. */
  readonly minEntropy?: number;
  /** Greatest share of repeated n-grams of words, between 0 and 1; default: 0.4. */
  readonly maxRepetition?: number;
  /** Words of an n-gram; default: 3. */
  readonly ngramSize?: number;
  /** Greatest share of the text that one repeated character may take in a row, between 0 and 1; default: 0.1. */
  readonly maxRun?: number;
}

const OPTIONS: OptionTable<ContextBloatOptions> = {
  maxChars: "number",
  minChars: "number",
  minEntropy: "number",
  maxRepetition: "number",
  ngramSize: "number",
  maxRun: "number",
};

/**
 * Detector of texts that only fill the context of a model: texts that are too long, of few different characters, that repeat
 * themselves, or with long runs of one character. The rule names the reason.
 *
 * @throws ConfigError for a number outside of its range
 *
 * @example
 * ```ts
 * detect("buy now ".repeat(40), [contextBloat()]); // [{ type: "CONTEXT_BLOAT", rule: "repetition", … }]
 * ```
 */
export function contextBloat(options: ContextBloatOptions = {}): Detector {
  checkOptions("contextBloat", options, OPTIONS);
  const {
    maxChars = 5_000,
    minChars = 50,
    minEntropy = 3.5,
    maxRepetition = 0.4,
    ngramSize = 3,
    maxRun = 0.1,
  } = options;
  const surface = "contextBloat";
  checkRange({ surface, option: "maxChars" }, maxChars, 1, Number.MAX_SAFE_INTEGER);
  checkRange({ surface, option: "minChars" }, minChars, 0, Number.MAX_SAFE_INTEGER);
  checkRange({ surface, option: "minEntropy" }, minEntropy, 0, 16);
  checkRange({ surface, option: "maxRepetition" }, maxRepetition, 0, 1);
  checkRange({ surface, option: "ngramSize" }, ngramSize, 1, 100);
  checkRange({ surface, option: "maxRun" }, maxRun, 0, 1);
  const measured = (name: string, find: (view: TextView) => RuleMatch | undefined): TextRule =>
    ruleOf(name, (view) => (view.text.length < minChars ? undefined : find(view)));
  const rules = [
    ruleOf("length", ({ text }) => (text.length > maxChars ? { start: maxChars, end: text.length } : undefined)),
    measured("entropy", ({ text }) => (entropyOf(text) < minEntropy ? wholeOf(text) : undefined)),
    measured("repetition", ({ text, folded }) =>
      isRepetitive(folded, ngramSize, maxRepetition) ? wholeOf(text) : undefined,
    ),
    measured("run", ({ text }) => longestRun(text, maxRun)),
  ];
  return { name: "context-bloat", rules };
}

function ruleOf(name: string, find: (view: TextView) => RuleMatch | undefined): TextRule {
  return {
    name,
    type: "CONTEXT_BLOAT",
    score: 1,
    views: "plain",
    reach: Infinity,
    scan: (view: TextView) => {
      const match = find(view);
      return match === undefined ? [] : [match];
    },
  };
}

function wholeOf(text: string): RuleMatch {
  return { start: 0, end: text.length };
}

/** Numbers of the ASCII characters of a text. */
const asciiCounts = new Uint32Array(128);

/** Entropy of the characters of a text, in bits for each of them. */
function entropyOf(text: string): number {
  const { length } = text;
  asciiCounts.fill(0);
  let others: Map<number, number> | undefined;
  for (let at = 0; at < length; at++) {
    const code = codeAt(text, at);
    if (code < 128) asciiCounts[code] = (asciiCounts[code] ?? 0) + 1;
    else (others ??= new Map()).set(code, (others.get(code) ?? 0) + 1);
  }
  // The sum of p log(1/p), with the length taken out of it.
  let sum = 0;
  for (let code = 0; code < 128; code++) sum += weightOf(asciiCounts[code] ?? 0);
  for (const count of others?.values() ?? []) sum += weightOf(count);
  return length === 0 ? 0 : Math.log2(length) - sum / length;
}

function weightOf(count: number): number {
  return count < 2 ? 0 : count * Math.log2(count);
}

/** Returns true if more than a share of the n-grams of words occurred before in the text; words are read in lower case. */
function isRepetitive(folded: string, size: number, share: number): boolean {
  const words = wordHashes(folded);
  const count = words.length - size + 1;
  if (count <= 0) return false;
  const seen = new Set<number>();
  for (let at = 0; at < count; at++) {
    let hash = 0;
    for (let word = at; word < at + size; word++) hash = Math.imul(hash, 65_599) + (words[word] ?? 0);
    seen.add(mix(hash));
    // So many are new that the rest cannot repeat too much.
    if (1 - seen.size / count <= share) return false;
  }
  return true;
}

/** Spreads a hash over 30 bits, which are an integer without a box. */
function mix(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) & 0x3fffffff;
}

/** Hashes of the words of a text, which blanks separate. */
function wordHashes(text: string): readonly number[] {
  const hashes: number[] = [];
  const { length } = text;
  let hash = 0;
  for (let at = 0; at <= length; at++) {
    const code = at < length ? codeAt(text, at) : 32;
    if (code > 32 && code !== 0xa0 && (code < 0x1680 || !/\s/.test(text.charAt(at)))) {
      hash = (Math.imul(hash, 31) + code) | 0 || 1;
    } else if (hash !== 0) {
      hashes.push(hash);
      hash = 0;
    }
  }
  return hashes;
}

/** The longest run of one character, if it takes more than a share of the text. */
function longestRun(text: string, share: number): RuleMatch | undefined {
  const { length } = text;
  let longest = 0;
  let found = 0;
  let start = 0;
  let first = text.charCodeAt(0);
  for (let at = 1; at < length; at++) {
    const code = codeAt(text, at);
    if (code === first) continue;
    if (at - start > longest) [longest, found] = [at - start, start];
    start = at;
    first = code;
  }
  if (length - start > longest) [longest, found] = [length - start, start];
  return longest > share * length ? { start: found, end: found + longest } : undefined;
}
