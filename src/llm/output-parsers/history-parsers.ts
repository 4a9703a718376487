import { stripThinking } from "./thinking.js";

/** From the wording chat models answer in, back to Colang history form (spec rails 2.10). */
export type TextParser = (completion: string) => string;

const VERBOSE: readonly (readonly [prefix: RegExp, colang: string])[] = [
  [/^(?:User message|user message): ?/, "user "],
  [/^(?:User intent|user intent): ?/, "  "],
  [/^(?:Bot message|bot message): ?/, "  "],
  [/^(?:Bot intent|bot intent): ?/, "bot "],
];

/** `User intent: x` → the indented canonical form. */
export const parseUserIntent: TextParser = (completion) => replacePrefix(completion, /^User intent: ?/i, "  ");

/** `Bot intent: x` → `bot x`. */
export const parseBotIntent: TextParser = (completion) => replacePrefix(completion, /^Bot intent: ?/i, "bot ");

/** `Bot message: "x"` → the indented quoted text. */
export const parseBotMessage: TextParser = (completion) => replacePrefix(completion, /^Bot message: ?/i, "  ");

/** The four prefixes of the verbose wording, line by line; other lines keep their layout. */
export const parseVerbose: TextParser = (completion) => {
  return answerOf(completion)
    .split("\n")
    .map((line) => {
      const trimmed = line.trim();
      const found = VERBOSE.find(([prefix]) => prefix.test(trimmed));
      return found ? trimmed.replace(found[0], () => found[1]) : line;
    })
    .join("\n");
};

function replacePrefix(completion: string, prefix: RegExp, colang: string): string {
  return answerOf(completion).replace(prefix, () => colang);
}

function answerOf(completion: string): string {
  return stripThinking(completion) ?? "";
}
