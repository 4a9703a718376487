import { firstLine, linesOf } from "../../../llm/parsers/completion-text.js";

/** The step of a bot that nobody told what to do. */
export const GENERAL_RESPONSE = "general response";

/** What a canonical form may have; a longer line is no canonical form. */
const MAX_FORM = 200;

/** What stands before a canonical form, in Colang or in the words that prompts for chat models ask for. */
const USER = /^(?:[Uu]ser intent:\s*|user(?:\s+|$))/;
const BOT = /^(?:[Bb]ot intent:\s*|bot\s+)/;

/** Whether a line names a step of the bot. */
export function saysBot(line: string): boolean {
  return BOT.test(line);
}

/**
 * The canonical form in a completion that its output parser has brought into Colang form (spec rails 2.21): the first
 * line that says one, without `user` and without what follows a quote.
 *
 * @example
 * ```ts
 * cleanUserIntent('  user ask price "how much?"\nbot tell price'); // "ask price"
 * ```
 */
export function cleanUserIntent(completion: string): string | undefined {
  for (const line of linesOf(completion)) {
    const intent = cutAt(line.trim().replace(USER, ""), '"');
    if (intent !== "") return collapse(intent);
  }
  return undefined;
}

/**
 * The bot's canonical form in a completion: what follows `bot` in its first line, cut at the first quote and the first
 * comma. Undefined when the model decided nothing that a step can be made of; it can neither stop nor print a variable.
 *
 * @example
 * ```ts
 * cleanBotIntent('bot explain tubes, then wave "x"'); // "explain tubes"
 * ```
 */
export function cleanBotIntent(completion: string): string | undefined {
  const line = firstLine(completion) ?? "";
  if (!BOT.test(line)) return undefined;
  const intent = collapse(cutAt(cutAt(line.replace(BOT, ""), '"'), ","));
  return intent === "" || intent === "stop" || intent.startsWith("$") ? undefined : intent;
}

/** Undefined for a line that is too long to be a canonical form. */
export function shortForm(form: string | undefined): string | undefined {
  return form === undefined || form.length > MAX_FORM ? undefined : form;
}

function cutAt(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return (at === -1 ? text : text.slice(0, at)).trim();
}

function collapse(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
