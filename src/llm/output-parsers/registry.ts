import { parseBotIntent, parseBotMessage, parseUserIntent, parseVerbose } from "./history-parsers.js";
import { readModerationVerdict } from "./verdict.js";

/** Reads a completion. Parsers of dialog tasks give text in Colang form; parsers of checks give a verdict. */
export type OutputParser = (completion: string) => unknown;

export type ParserTable = Readonly<Record<string, OutputParser>>;

/** The parsers prompts may name in `output_parser` (spec rails 2.10). */
export const OUTPUT_PARSERS: ParserTable = {
  user_intent: parseUserIntent,
  bot_intent: parseBotIntent,
  bot_message: parseBotMessage,
  verbose_v1: parseVerbose,
  is_content_safe: readModerationVerdict,
};

/** The parser of that name; own names only. */
export function findParser(parsers: ParserTable, name: string): OutputParser | undefined {
  return Object.hasOwn(parsers, name) ? parsers[name] : undefined;
}
