import { linesOf } from "./completion-text.js";
import { BotMessageReader } from "./gradual/bot-message-reader.js";
import { readWhole } from "./gradual/gradual-text.js";
import { lineOf } from "./gradual/verbose-lines.js";
import { BOT_INTENT, bareForm, replaceLabel, USER_INTENT } from "./labels.js";
import { stripThinking } from "./thinking.js";

/** From the wording chat models answer in, back to Colang history form (spec rails 2.10). */
export type TextParser = (completion: string) => string;

/** `User intent: x` → the indented canonical form. */
export const parseUserIntent: TextParser = (completion) => {
  const answer = answerOf(completion);
  // A form in quotes is nothing but that; before other lines it may be what the user said.
  return answer.includes("\n") ? replaceLabel(answer, USER_INTENT) : replaceLabel(bareForm(answer), USER_INTENT);
};

/** `Bot intent: x` → `bot x`. */
export const parseBotIntent: TextParser = (completion) => replaceLabel(answerOf(completion), BOT_INTENT);

/** `Bot message: "x"` → the indented quoted text. */
export const parseBotMessage: TextParser = (completion) => readWhole(new BotMessageReader(), completion);

/** The four prefixes of the verbose wording, line by line; other lines keep their layout. */
export const parseVerbose: TextParser = (completion) => linesOf(answerOf(completion)).map(lineOf).join("\n");

function answerOf(completion: string): string {
  return stripThinking(completion) ?? "";
}
