import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { didYouMean } from "../diagnostics/suggestion.js";

/** Place of an option: the function as its callers write it, and the name of the option. */
export interface OptionPlace {
  readonly surface: string;
  readonly option: string;
}

/** Returns the error for a value that an option does not take. */
export function optionError({ surface, option }: OptionPlace, problem: string, hint?: string): ConfigError {
  const message = `${problem} in the option \`${option}\` of \`${surface}\``;
  return new ConfigError([createDiagnostic("CF-104", message, { path: `options.${option}`, hint })]);
}

/**
 * Refuses names that are not known, and an empty list.
 *
 * @throws ConfigError `CF-104` with a near name as hint
 */
export function checkNames(place: OptionPlace, names: readonly string[] | undefined, known: readonly string[]): void {
  if (names === undefined) return;
  if (names.length === 0)
    throw optionError(place, "expected at least one name, got an empty list", "leave it out for all");
  for (const name of names) {
    if (known.includes(name)) continue;
    throw optionError(place, `unknown name \`${name.slice(0, 60)}\``, didYouMean(name, known) ?? listOf(known));
  }
}

function listOf(known: readonly string[]): string {
  const shown = known.slice(0, 8).map((name) => `\`${name}\``);
  return `the names are ${shown.join(", ")}${known.length > shown.length ? ", …" : ""}`;
}

/**
 * Refuses a list of words that is missing or empty, and words that are not texts or have blanks alone.
 *
 * @throws ConfigError
 */
export function checkWords(place: OptionPlace, words: unknown): void {
  if (!Array.isArray(words)) throw optionError(place, "expected a list of words");
  if (words.length === 0) throw optionError(place, "expected at least one word, got an empty list");
  if (words.some((word) => typeof word !== "string" || word.trim() === ""))
    throw optionError(place, "expected words, got an empty text");
}

/**
 * Refuses a number outside its bounds.
 *
 * @throws ConfigError `CF-104`
 */
export function checkRange(place: OptionPlace, value: number | undefined, least: number, most: number): void {
  if (value === undefined || (value >= least && value <= most)) return;
  throw optionError(place, `expected a number from ${least} to ${most}, got \`${value}\``);
}
