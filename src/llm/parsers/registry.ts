import { BotMessageReader } from "./gradual/bot-message-reader.js";
import { type GradualText, inSequence } from "./gradual/gradual-text.js";
import { SpokenText } from "./gradual/spoken-text.js";
import { VerboseLines } from "./gradual/verbose-lines.js";
import { parseBotIntent, parseBotMessage, parseUserIntent, parseVerbose } from "./history-parsers.js";
import { readModerationVerdict } from "./verdict/verdict.js";

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

/** A parser for completions that come in pieces. What is absent it does not do: then only the whole can be read. */
export interface GradualParser {
  /** Reads a completion. */
  readonly completion?: (() => GradualText) | undefined;
  /** Reads the bot's words at the end of a completion of several parts, from the beginning of a line on. */
  readonly words?: (() => GradualText) | undefined;
}

const GRADUAL: ReadonlyMap<OutputParser, GradualParser> = new Map<OutputParser, GradualParser>([
  [parseBotMessage, { completion: () => new BotMessageReader() }],
  [parseVerbose, { words: () => inSequence([new SpokenText(), new VerboseLines()]) }],
]);
const AS_IT_IS: GradualParser = { completion: () => inSequence([]), words: () => inSequence([]) };

/** The gradual twin of a parser; a parser of the user reads whole completions only. */
export function gradualParser(parser: OutputParser | undefined): GradualParser {
  return parser === undefined ? AS_IT_IS : (GRADUAL.get(parser) ?? {});
}
