import { readWhole } from "./gradual/gradual-text.js";
import { UtteranceReader } from "./gradual/utterance-reader.js";

/** Splits a completion into lines, with any kind of line ends. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n?|\n/);
}

/**
 * The first line that is not empty, trimmed.
 *
 * @example
 * ```ts
 * firstLine("\n  express greeting\nbot ..."); // "express greeting"
 * ```
 */
export function firstLine(text: string): string | undefined {
  for (const line of linesOf(text)) {
    const trimmed = line.trim();
    if (trimmed !== "") return trimmed;
  }
  return undefined;
}

const CLOSING_QUOTE = /(?<!\\)"\s*$/;

/** Returns true if the line ends with a quote that closes an utterance. */
export function closesQuote(line: string): boolean {
  return CLOSING_QUOTE.test(line);
}

/**
 * The bot's utterance at the beginning of a completion. A quoted one ends at the quote that closes a line, any other at
 * the line where the next turn begins. Blank lines and indentation inside stay, so that lists and code survive.
 *
 * @example
 * ```ts
 * readUtterance('  "Sure:\n\n  - one"\nuser "thanks"'); // "Sure:\n\n  - one"
 * ```
 */
export function readUtterance(completion: string): string {
  return readWhole(new UtteranceReader(), completion);
}
