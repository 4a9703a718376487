import { RE2JS } from "re2js";
import { ExpressionError, LimitError } from "../../diagnostics/errors.js";
import type { WorkBudget } from "../evaluate/limits.js";
import { translatePattern } from "./pattern-syntax.js";
import type { Value } from "./value.js";

/*
 * Regular expressions written by users, in linear time. Loading the engine costs more than all other expressions
 * together, so nothing that evaluates plain expressions imports this file.
 */

const MAX_PATTERN_LENGTH = 4096;
const MAX_PROGRAM_SIZE = 5000;
/** What a pattern may unfold to when every count applied to all of it; only then is it worth compiling. */
const MAX_UNFOLDED_LENGTH = 100_000;
const MAX_TEXT_LENGTH = 65_536;
/** Length of a text times size of a pattern: what a search takes at worst. */
const MAX_SEARCH = 6_000_000;
/** Of that product, what takes as long as one step of an expression. */
const SEARCH_PER_STEP = 6;
/** Instructions of a pattern that are compiled in the time of one step. */
const STEPS_PER_INSTRUCTION = 20;
/** Steps that one match of `find_all` takes. */
const STEPS_PER_MATCH = 20;

/** A pattern ready to search with. Two patterns are equal when their sources are. */
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
  const translated = translatePattern(source);
  if (!translated.ok) throw new ExpressionError(`${translated.unsupported} in patterns are not supported`);
  const program = compile(translated.pattern, source);
  if (program.programSize() > MAX_PROGRAM_SIZE) tooLarge("the pattern is too large", "patternSize", MAX_PROGRAM_SIZE);
  return { source, program };
}

/** Steps that compiling a pattern takes at worst. */
export function compileSteps(source: string): number {
  return Math.min(unfoldedLength(source), MAX_UNFOLDED_LENGTH) * STEPS_PER_INSTRUCTION;
}

/** Steps that a search takes at worst. */
export function searchSteps({ program }: Pattern, text: string): number {
  return (text.length * program.programSize()) / SEARCH_PER_STEP;
}

function unfoldedLength(source: string): number {
  let counts = 1;
  for (const [, least, most] of source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) counts += Number(most || least);
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

/** Whether the pattern matches anywhere in the text. */
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
