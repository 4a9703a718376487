import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector, RuleMatch, TextRule, TextView } from "../detector.js";
import { PhraseMatcher } from "../phrases/phrase-matcher.js";
import { codeAt } from "../scan/code-at.js";
import { oncePerView } from "../scan/per-view.js";
import { TOXIC_WORDS } from "./words.js";

const SEVERITIES = ["mild", "strong", "hate"] as const;

/** Severity of a toxic word: rude, obscene, or a slur against a group of people. */
export type ToxicSeverity = (typeof SEVERITIES)[number];

/** Options of `toxicWords`. */
export interface ToxicWordsOptions {
  /** Least severity of a word that is found: `mild`, `strong` or `hate`; default: `mild`. */
  readonly severity?: ToxicSeverity;
}

const OPTIONS: OptionTable<ToxicWordsOptions> = { severity: { oneOf: SEVERITIES } };

/** Built at the first use. */
let matcher: PhraseMatcher | undefined;

/**
 * Detector of toxic words by severity: English first, the commonest ones of 23 further languages. Each severity is a rule.
 * Words say little about a text: an insult needs none of them, and a quotation may have them. It is meant as a cheap first look.
 *
 * @throws ConfigError for an unknown severity
 *
 * @example
 * ```ts
 * detect("What a damn shame, you asshole", [toxicWords({ severity: "strong" })]);
 * // [{ type: "TOXICITY", start: 23, end: 30, score: 1, detector: "toxic-words", rule: "strong" }]
 * ```
 */
export function toxicWords(options: ToxicWordsOptions = {}): Detector {
  checkOptions("toxicWords", options, OPTIONS);
  const { severity = "mild" } = options;
  const matchesOf = oncePerView(readMatches);
  const rules = SEVERITIES.slice(SEVERITIES.indexOf(severity)).map((name): TextRule => ({
    name,
    type: "TOXICITY",
    score: 1,
    reach: 64,
    scan: (view) => matchesOf(view).get(name) ?? [],
  }));
  return { name: "toxic-words", rules };
}

function readMatches(view: TextView): ReadonlyMap<string, readonly RuleMatch[]> {
  matcher ??= new PhraseMatcher(TOXIC_WORDS);
  const { names } = matcher;
  const matches = new Map<string, RuleMatch[]>();
  const add = (name: number, match: RuleMatch): void => {
    const severity = names[name] ?? "";
    const list = matches.get(severity);
    if (list === undefined) matches.set(severity, [match]);
    else list.push(match);
  };
  matcher.visit(view, (name, start, end) => add(name, { start, end }));
  const single = withSingleLetters(view.folded);
  if (single === undefined) return matches;
  matcher.visit(single, (name, start, end) => add(name, { start: single.toSource(start), end: single.toSource(end) }));
  return matches;
}

/** A letter more than twice in a row, as in `fuuuck`. */
const RUN = /(\p{L})\1{2,}/gu;

/** Returns true for a text with three equal characters in a row, other than spaces and signs of ASCII. */
function hasRun(text: string): boolean {
  let before = 0;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = codeAt(text, at);
    count = code === before ? count + 1 : 0;
    if (count === 2 && code >= 97) return true;
    before = code;
  }
  return false;
}

/** Returns the text with such letters once; undefined without any. */
function withSingleLetters(folded: string) {
  if (!hasRun(folded)) return undefined;
  const cuts: (readonly [at: number, removed: number])[] = [];
  let removed = 0;
  const text = folded.replaceAll(RUN, (run: string, letter: string, at: number) => {
    cuts.push([at + letter.length - removed, (removed += run.length - letter.length)]);
    return letter;
  });
  if (removed === 0) return undefined;
  /** INVARIANT: offsets never decrease by more than a phrase, so that the search for the last cut is short. */
  let cut = 0;
  const toSource = (offset: number): number => {
    while (cut > 0 && (cuts[cut - 1]?.[0] ?? 0) > offset) cut--;
    while (cut < cuts.length && (cuts[cut]?.[0] ?? 0) <= offset) cut++;
    return offset + (cuts[cut - 1]?.[1] ?? 0);
  };
  return { folded: text, toSource };
}
