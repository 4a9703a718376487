import { linesOf } from "./completion-text.js";
import { stripThinking } from "./thinking.js";

/** From the wording chat models answer in, back to Colang history form (spec rails 2.10). */
export type TextParser = (completion: string) => string;

interface Label {
  /** Also with the marks that make it bold. */
  readonly prefix: RegExp;
  readonly colang: string;
  readonly isForm: boolean;
}

const USER_MESSAGE: Label = { prefix: /^[*_`]*User message[*_`]*:[*_`]* ?/i, colang: "user ", isForm: false };
const USER_INTENT: Label = { prefix: /^[*_`]*User intent[*_`]*:[*_`]* ?/i, colang: "  ", isForm: true };
const BOT_MESSAGE: Label = { prefix: /^[*_`]*Bot message[*_`]*:[*_`]* ?/i, colang: "  ", isForm: false };
const BOT_INTENT: Label = { prefix: /^[*_`]*Bot intent[*_`]*:[*_`]* ?/i, colang: "bot ", isForm: true };
const VERBOSE: readonly Label[] = [USER_MESSAGE, USER_INTENT, BOT_MESSAGE, BOT_INTENT];

/** `User intent: x` → the indented canonical form. */
export const parseUserIntent: TextParser = (completion) => {
  const answer = answerOf(completion);
  // A form in quotes is nothing but that; before other lines it may be what the user said.
  return answer.includes("\n") ? replaceLabel(answer, USER_INTENT) : replaceLabel(bareForm(answer), USER_INTENT);
};

/** `Bot intent: x` → `bot x`. */
export const parseBotIntent: TextParser = (completion) => replaceLabel(answerOf(completion), BOT_INTENT);

/** `Bot message: "x"` → the indented quoted text. */
export const parseBotMessage: TextParser = (completion) => replaceLabel(answerOf(completion), BOT_MESSAGE);

/** The four prefixes of the verbose wording, line by line; other lines keep their layout. */
export const parseVerbose: TextParser = (completion) => {
  return linesOf(answerOf(completion))
    .map((line) => {
      const trimmed = line.trim();
      const found = VERBOSE.find(({ prefix }) => prefix.test(trimmed));
      return found ? replaceLabel(trimmed, found) : line;
    })
    .join("\n");
};

function replaceLabel(text: string, { prefix, colang, isForm }: Label): string {
  const label = prefix.exec(text)?.[0];
  if (label === undefined) return text;
  const [first = "", ...others] = linesOf(text.slice(label.length));
  return [colang + (isForm ? bareForm(first) : first), ...others].join("\n");
}

/** A canonical form without the quotes or marks that some models put around it. */
function bareForm(text: string): string {
  const form = text.trim().replace(/^[*`]+|[*`]+$/g, "");
  return /^"[^"]+"$/.test(form) ? form.slice(1, -1) : form;
}

function answerOf(completion: string): string {
  return stripThinking(completion) ?? "";
}
