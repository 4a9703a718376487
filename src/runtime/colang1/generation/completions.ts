import { firstLine, linesOf, closesQuote, readUtterance, beginsTurn } from "../../../llm/parsers/completion-text.js";
import { GENERAL_RESPONSE } from "../../../generation/services.js";

/** Longest canonical form, in characters. */
const MAX_FORM = 200;

/** Prefixes of a canonical form, in Colang and in prompts for chat models. */
const USER = /^(?:[Uu]ser intent:\s*|user(?:\s+|$))/;
const BOT = /^(?:[Bb]ot intent:\s*|bot\s+)/;

/**
 * Extracts the canonical form from a completion that its output parser has brought into Colang form: the first line
 * with one, without `user` and without text after a quote.
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
 * Extracts the bot's canonical form from a completion: the text after `bot` in its first line, up to the first quote or
 * comma. Undefined if no step can be made of it; it can neither stop the flow nor print a variable.
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

/** Returns undefined for a line that is too long for a canonical form. */
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

/** Parts of a merged completion; undefined for parts not yet received. */
export interface MergedParts {
  /** `null` if the completion states no user intent. */
  readonly userIntent: string | null | undefined;
  /** `null` if the completion states no bot step. A step that the bot cannot take is the general response. */
  readonly botIntent: string | null | undefined;
  /** Empty if the completion has no text for the bot. */
  readonly message: string | undefined;
}

/**
 * Reads the intent line, the `bot ...` line and the text of a merged completion in Colang form.
 *
 * @param completion - whole lines only, while more may follow
 * @param isWhole - true if the completion is complete, so that absent parts are missing
 *
 * @example
 * ```ts
 * readMerged('  ask price\nbot state price\n  "Four euros."\n', false);
 * // { userIntent: "ask price", botIntent: "state price", message: "Four euros." }
 * ```
 */
export function readMerged(completion: string, isWhole: boolean): MergedParts {
  const lines = linesOf(completion);
  const missing = isWhole ? null : undefined;
  // Models often repeat the user's message before they state its intent.
  const first = nextLine(
    lines,
    0,
    (line) => !line.startsWith('"') && !BOT.test(line) && cleanUserIntent(line) === undefined,
  );
  if (first === undefined) return { userIntent: missing, botIntent: missing, message: isWhole ? "" : undefined };
  const opening = lines[first]?.trim() ?? "";
  if (BOT.test(opening) || opening.startsWith('"')) return { userIntent: null, ...readStep(lines, first, isWhole) };
  const userIntent = form(cleanUserIntent(opening));
  const second = nextLine(lines, first + 1, () => false);
  if (second === undefined) return { userIntent, botIntent: missing, message: isWhole ? "" : undefined };
  return { userIntent, ...readStep(lines, second, isWhole) };
}

function readStep(lines: readonly string[], at: number, isWhole: boolean): Omit<MergedParts, "userIntent"> {
  const line = lines[at]?.trim() ?? "";
  const quote = line.indexOf('"');
  if (!BOT.test(line)) {
    // A text without a preceding step is still the bot's text.
    const text = quote === 0 ? lines.slice(at) : lines.slice(at + 1);
    return { botIntent: null, message: readMessage(text, isWhole) };
  }
  const message = readMessage(lines.slice(at + 1), isWhole);
  // Text in the step's own line counts if no other text follows.
  const isInline = message === "" && quote !== -1;
  return {
    botIntent: form(cleanBotIntent(line) ?? GENERAL_RESPONSE),
    message: isInline ? readUtterance(line.slice(quote)) : message,
  };
}

/** The text ends at its closing quote, at the next turn, or with the completion. */
function readMessage(lines: readonly string[], isWhole: boolean): string | undefined {
  const start = lines.findIndex((line) => line.trim() !== "");
  if (start === -1) return isWhole ? "" : undefined;
  const text = lines.slice(start);
  if (beginsTurn(text[0]?.trim() ?? "")) return "";
  const isQuoted = text[0]?.trimStart().startsWith('"') === true;
  const hasEnd = text.some((line, index) =>
    index > 0 && beginsTurn(line) ? true : isQuoted && closesQuote(line) && (index > 0 || line.trim().length > 1),
  );
  return hasEnd || isWhole ? readUtterance(text.join("\n")) : undefined;
}

function nextLine(lines: readonly string[], from: number, isSkipped: (line: string) => boolean): number | undefined {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at]?.trim() ?? "";
    if (line !== "" && !line.startsWith("#") && !isSkipped(line)) return at;
  }
  return undefined;
}

function form(text: string | undefined): string | null {
  return shortForm(text) ?? null;
}
