/** The lines of a completion, whichever line ends its model writes. */
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

/** Removes a quote at the beginning, and then one at the end too. A text that does not begin with one is unchanged. */
export function stripQuotes(text: string): string {
  if (!text.startsWith('"')) return text;
  return text.slice(1, text.length > 1 && text.endsWith('"') ? -1 : undefined);
}

const TURN_MARKER = /^(?:user|bot)\s+\S|^(?:User|Bot) (?:message|intent):/;
const CLOSING_QUOTE = /(?<!\\)"\s*$/;

/** Whether the line belongs to a turn that follows on the bot's words. */
export function beginsTurn(line: string): boolean {
  return TURN_MARKER.test(line);
}

/** Whether the line ends with a quote that closes an utterance. */
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
  const text = completion.trim();
  const isQuoted = text.startsWith('"');
  const kept: string[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    if (index > 0 && TURN_MARKER.test(line)) break;
    kept.push(line);
    if (isQuoted && CLOSING_QUOTE.test(line) && (index > 0 || line.trim().length > 1)) break;
  }
  const utterance = kept.join("\n").trim();
  return isQuoted ? stripQuotes(utterance).replaceAll('\\"', '"').trim() : utterance;
}
