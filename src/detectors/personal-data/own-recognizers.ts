import { RE2JS } from "re2js";
import type { DetectorRule, TextRule, TriggerRule } from "../detector.js";
import { foldCase } from "../scan/fold-case.js";
import { compilePattern, matchesOf } from "../compile-pattern.js";
import { endsEscapedBreak } from "../hygiene/decode/json-escapes.js";
import { checkWords, optionError, type OptionPlace } from "../option-values.js";
import { isWordAt } from "./digit-groups.js";

/** Recogniser of an entity of one's own, in the form of Presidio's ad-hoc recognisers, so that their files can be used. */
export interface OwnRecognizer {
  /** Name of the recogniser; the findings carry it as their rule. */
  readonly name: string;
  /** Entity of the findings, such as `EMPLOYEE_ID`. */
  readonly supported_entity: string;
  /** Regular expressions in the syntax of RE2; small and capital letters are alike, and `.` matches line ends. */
  readonly patterns?: readonly OwnPattern[];
  /** Texts that are findings where they stand as words; small and capital letters are alike. */
  readonly deny_list?: readonly string[];
  /** Certainty of texts of the list; default: 1. */
  readonly deny_list_score?: number;
  /** Words that raise the certainty by 0.35 where they stand near a match. */
  readonly context?: readonly string[];
}

/** Regular expression of an own recogniser. */
export interface OwnPattern {
  readonly name?: string;
  readonly regex: string;
  /** Certainty between 0 and 1. Below the threshold of a scan (default: 0.5) a context word must be near. */
  readonly score: number;
}

const FLAGS = RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL | RE2JS.MULTILINE;

/**
 * Returns the rules of own recognisers.
 *
 * @throws ConfigError for a pattern that does not compile, a score outside of 0 to 1, and a recogniser that finds nothing
 */
export function ownRules(recognizers: readonly OwnRecognizer[]): readonly DetectorRule[] {
  return recognizers.flatMap((recognizer, index) => {
    const place = { surface: "personalData", option: `recognizers.${index}` };
    if (typeof recognizer?.supported_entity !== "string" || recognizer.supported_entity === "") {
      throw optionError(place, "expected the name of an entity as `supported_entity`");
    }
    const { patterns = [], deny_list: words = [] } = recognizer;
    if (patterns.length + words.length === 0)
      throw optionError(place, "expected `patterns` or a `deny_list`, got neither");
    if ((recognizer.context ?? []).length !== 0) checkWords(inside(place, "context"), recognizer.context);
    const rules: DetectorRule[] = patterns.map((pattern, at) =>
      patternRule(recognizer, pattern, inside(place, `patterns.${at}`)),
    );
    return words.length === 0 ? rules : [...rules, denyListRule(recognizer, words, place)];
  });
}

function inside({ surface, option }: OptionPlace, path: string): OptionPlace {
  return { surface, option: `${option}.${path}` };
}

function patternRule(recognizer: OwnRecognizer, { regex, score }: OwnPattern, place: OptionPlace): TextRule {
  checkScore(score, inside(place, "score"));
  const program = compilePattern(regex, FLAGS, inside(place, "regex"));
  return {
    ...baseOf(recognizer),
    score,
    scan: ({ text }) => matchesOf(program, text),
  };
}

function denyListRule(recognizer: OwnRecognizer, words: readonly string[], place: OptionPlace): TriggerRule {
  const score = recognizer.deny_list_score ?? 1;
  checkScore(score, inside(place, "deny_list_score"));
  checkWords(inside(place, "deny_list"), words);
  return {
    ...baseOf(recognizer),
    score,
    triggers: words.map(foldCase),
    find: ({ text }, start, end) => (isWithin(text, start) || isWithin(text, end) ? undefined : { start, end }),
  };
}

function baseOf({ name, supported_entity: type, context }: OwnRecognizer) {
  const words = context?.map(foldCase) ?? [];
  return { name, type, views: "decoded", ...(words.length === 0 ? {} : { context: words }) } as const;
}

/** Returns true if an offset stands between two letters or digits. */
function isWithin(text: string, offset: number): boolean {
  return isWordAt(text, offset - 1) && isWordAt(text, offset) && !endsEscapedBreak(text, offset);
}

function checkScore(score: number, place: OptionPlace): void {
  if (!(score >= 0 && score <= 1)) throw optionError(place, `expected a number from 0 to 1, got \`${String(score)}\``);
}
