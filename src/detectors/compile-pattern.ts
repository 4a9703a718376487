import { RE2JS } from "re2js";
import type { RuleMatch } from "./detector.js";
import { undoJsonEscapes } from "./hygiene/decode/json-escapes.js";
import { optionError, type OptionPlace } from "./option-values.js";

/**
 * Compiles a regular expression of an option, with flags of RE2.
 *
 * @throws ConfigError for what is not a pattern, does not compile, or finds only empty texts
 */
export function compilePattern(source: unknown, flags: number, place: OptionPlace): RE2JS {
  if (typeof source !== "string") throw optionError(place, `expected a text, got \`${typeof source}\``);
  if (source === "") throw optionError(place, "expected a pattern, got an empty text");
  const count = /(?<!\\)\{,\d*\}/.exec(source)?.[0];
  if (count !== undefined) {
    const hint = `write \`${count.replace("{", "{0")}\` for the count, or \`\\${count}\` for the text`;
    throw optionError(place, `\`${count}\` is a count in Python, but text in RE2`, hint);
  }
  try {
    return RE2JS.compile(source, flags);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, "") : "";
    const hint = "patterns have the syntax of RE2, which has neither lookaround nor backreferences";
    throw optionError(place, `\`${source.slice(0, 80)}\` cannot be read: ${reason}`, hint);
  }
}

/**
 * Finds a pattern in a text, and in the text without escapes of JSON: in `\nword`, the letter of the escape hides where the word
 * begins.
 */
export function* matchesOf(program: RE2JS, text: string): Generator<RuleMatch> {
  yield* find(program, text);
  const undone = undoJsonEscapes(text);
  if (undone === undefined) return;
  for (const match of find(program, undone.text)) {
    const [start, end] = undone.toSource(match.start, match.end);
    yield { start, end };
  }
}

function* find(program: RE2JS, text: string): Generator<RuleMatch> {
  const matcher = program.matcher(text);
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (end > start) yield { start, end };
  }
}
