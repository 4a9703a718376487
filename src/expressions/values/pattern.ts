import { RE2JS } from "re2js";
import { ExpressionError, LimitError } from "../../diagnostics/errors.js";
import type { WorkBudget } from "../evaluate/runtime.js";
import { type Value, ObjectValue } from "./value.js";

/*
 * Regular expressions written by users, in linear time. Loading the engine costs more than all other expressions
 * together, so nothing that evaluates plain expressions imports this file.
 */

const MAX_PATTERN_LENGTH = 4096;
const MAX_PROGRAM_SIZE = 5000;
/** Greatest length of a pattern after every count has been applied to all of it; longer ones are not compiled. */
const MAX_UNFOLDED_LENGTH = 100_000;
const MAX_TEXT_LENGTH = 65_536;
/** Maximum product of text length and pattern size, the worst-case cost of a search. */
const MAX_SEARCH = 6_000_000;
/** Part of that product that takes as long as one step of an expression. */
const SEARCH_PER_STEP = 6;
/** Instructions of a pattern that are compiled in the time of one step. */
const STEPS_PER_INSTRUCTION = 20;
/** Steps per match of `find_all`. */
const STEPS_PER_MATCH = 20;

/** A compiled pattern. Two patterns are equal if their sources are. */
export interface Pattern {
  readonly source: string;
  readonly program: RE2JS;
}

/**
 * Compiles a pattern. Leading flags `(?i)`, `(?s)`, `(?m)` and named groups `(?P<n>…)` are understood; lookaround and
 * backreferences are errors that say so.
 *
 * @example
 * ```ts
 * searchPattern(compilePattern("^\\d{3}$"), "123"); // true
 * ```
 */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_PATTERN_LENGTH) tooLarge("the pattern is too long", "patternLength", MAX_PATTERN_LENGTH);
  if (unfoldedLength(source) > MAX_UNFOLDED_LENGTH)
    tooLarge("the pattern is too large", "patternSize", MAX_PROGRAM_SIZE);
  const program = compile(translatePattern(source), source);
  if (program.programSize() > MAX_PROGRAM_SIZE) tooLarge("the pattern is too large", "patternSize", MAX_PROGRAM_SIZE);
  return { source, program };
}

/** Worst-case number of steps to compile a pattern. */
export function compileSteps(source: string): number {
  return Math.min(unfoldedLength(source), MAX_UNFOLDED_LENGTH) * STEPS_PER_INSTRUCTION;
}

/** Worst-case number of steps of a search. */
export function searchSteps({ program }: Pattern, text: string): number {
  return (text.length * program.programSize()) / SEARCH_PER_STEP;
}

function unfoldedLength(source: string): number {
  let counts = 1;
  for (const [, least, most] of source.matchAll(/\{(\d*)(?:,(\d*))?\}/g)) counts += Number(most || least);
  return source.length * counts;
}

function compile(pattern: string, source: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, "") : "";
    throw new ExpressionError(`the pattern \`${source.slice(0, 80)}\` cannot be read: ${reason}`, { cause });
  }
}

/** Returns true if the pattern matches anywhere in the text. */
export function searchPattern(pattern: Pattern, text: string): boolean {
  checkText(pattern, text);
  return pattern.program.matcher(text).find();
}

/** All matches: each the whole text without groups, the group with one, the list of groups with several. */
export function findAllMatches(pattern: Pattern, text: string, budget?: WorkBudget): readonly Value[] {
  checkText(pattern, text);
  const matcher = pattern.program.matcher(text);
  const groups = matcher.groupCount();
  const found: Value[] = [];
  while (matcher.find()) {
    budget?.spend(STEPS_PER_MATCH * (1 + groups));
    if (groups <= 1) found.push(matcher.group(groups) ?? "");
    else found.push(Array.from({ length: groups }, (_, at) => matcher.group(at + 1) ?? ""));
  }
  return found;
}

function checkText({ program }: Pattern, text: string): void {
  if (text.length * program.programSize() > MAX_SEARCH)
    tooLarge("the text is too long for so large a pattern", "patternSearch", MAX_SEARCH);
  if (text.length > MAX_TEXT_LENGTH) tooLarge("the text is too long for a pattern", "patternText", MAX_TEXT_LENGTH);
}

function tooLarge(message: string, limit: string, maximum: number): never {
  throw new LimitError(`${message} (limit ${maximum})`, { limit, maximum });
}

/*
 * From the patterns users know (Python's) to those of the linear-time engine: `\w`, `\d` and `\s` mean the characters of
 * all scripts, `\Z` is the end. Constructs that the engine lacks are named, because its own messages do not help.
 */

const SPACES =
  "\\t-\\r\\x1c-\\x20\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}";

const NO_SPACES =
  "\\x00-\\x08\\x0e-\\x1b!-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}" +
  "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}";

const WORD = "\\p{L}\\p{N}_";

/** All categories but letters and digits; of the connecting punctuation all but `_`. */
const NO_WORD =
  "\\p{M}\\p{S}\\p{Z}\\p{C}\\p{Pd}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Po}" +
  "\\x{203f}\\x{2040}\\x{2054}\\x{fe33}\\x{fe34}\\x{fe4d}-\\x{fe4f}\\x{ff3f}";

/** The content of each escape inside a class; outside, the class itself, or its negation. */
const CLASSES: ReadonlyMap<string, { readonly inside: string; readonly outside: string }> = new Map([
  ["w", { inside: WORD, outside: `[${WORD}]` }],
  ["W", { inside: NO_WORD, outside: `[^${WORD}]` }],
  ["d", { inside: "\\p{Nd}", outside: "\\p{Nd}" }],
  ["D", { inside: "\\P{Nd}", outside: "\\P{Nd}" }],
  ["s", { inside: SPACES, outside: `[${SPACES}]` }],
  ["S", { inside: NO_SPACES, outside: `[^${SPACES}]` }],
]);

const UNSUPPORTED_GROUPS: readonly (readonly [RegExp, string])[] = [
  [/\(\?<?[=!]/y, "lookaround"],
  [/\(\?P=/y, "backreferences"],
  [/\(\?[a-zA-Z]*x[a-zA-Z-]*[:)]/y, "verbose patterns (`x`)"],
  [/\(\?>/y, "atomic groups"],
  [/\(\?\(/y, "conditional groups"],
];

/**
 * Translates a pattern.
 *
 * @throws ExpressionError that names the construct without a linear-time equivalent
 *
 * @example
 * ```ts
 * translatePattern("\\d+"); // "\\p{Nd}+"
 * ```
 */
function translatePattern(source: string): string {
  let pattern = "";
  let isInClass = false;
  let at = 0;
  while (at < source.length) {
    const character = source.charAt(at);
    if (character === "\\") {
      const escape = readEscape(source, at, isInClass);
      pattern += escape.text;
      at = escape.end;
      continue;
    }
    if (character === "(" && !isInClass) refuseUnsupported(source, at);
    if (character === "[" && !isInClass) {
      isInClass = true;
      // A bracket directly after the opening one is a character of the class.
      const start = /\[\^?\]?/y;
      start.lastIndex = at;
      const opening = start.exec(source)?.[0] ?? "[";
      pattern += opening.replace("]", "\\]");
      at += opening.length;
      continue;
    }
    // `{,3}` would be text for the engine.
    const isCount = character === "{" && !isInClass && /^\{,\d*\}/.test(source.slice(at, at + 20));
    pattern += isCount ? "{0" : character === "[" ? "\\[" : character;
    if (character === "]") isInClass = false;
    at += 1;
  }
  return pattern;
}

function readEscape(source: string, at: number, isInClass: boolean): { text: string; end: number } {
  const letter = source.charAt(at + 1);
  const found = CLASSES.get(letter);
  if (found) return { text: isInClass ? found.inside : found.outside, end: at + 2 };
  if (letter >= "1" && letter <= "9" && !isInClass) return unsupported("backreferences");
  if (letter === "Z" && !isInClass) return { text: "\\z", end: at + 2 };
  if (letter === "b" && isInClass) return { text: "\\x08", end: at + 2 };
  const unicode = /\\u([0-9a-fA-F]{4})/y;
  unicode.lastIndex = at;
  const code = unicode.exec(source)?.[1];
  return code === undefined ? { text: source.slice(at, at + 2), end: at + 2 } : { text: `\\x{${code}}`, end: at + 6 };
}

function refuseUnsupported(source: string, at: number): void {
  for (const [opening, name] of UNSUPPORTED_GROUPS) {
    opening.lastIndex = at;
    if (opening.test(source)) unsupported(name);
  }
}

function unsupported(construct: string): never {
  throw new ExpressionError(`${construct} in patterns are not supported`);
}

/** The result of `regex`. */
export class PatternValue extends ObjectValue {
  readonly typeName = "Pattern";
  readonly pattern: Pattern;

  /** @throws ExpressionError or LimitError if the source is not a valid pattern */
  constructor(readonly source: string) {
    super();
    this.pattern = compilePattern(source);
  }

  member(name: string): Value | undefined {
    return name === "pattern" ? this.source : undefined;
  }

  equals(other: Value): boolean {
    return other instanceof PatternValue && other.source === this.source;
  }

  toText(): string {
    return `<Pattern ${this.source}>`;
  }
}
