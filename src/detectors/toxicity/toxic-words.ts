import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector, RuleMatch, TextRule, TextView } from "../detector.js";
import { PhraseMatcher } from "../phrases/phrase-matcher.js";
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
 * Detector of toxic words by severity: English first, the commonest ones of 15 further languages. Each severity is a rule.
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
  matcher.visit(view, (name, start, end) => {
    const severity = names[name] ?? "";
    const list = matches.get(severity);
    if (list === undefined) matches.set(severity, [{ start, end }]);
    else list.push({ start, end });
  });
  return matches;
}
