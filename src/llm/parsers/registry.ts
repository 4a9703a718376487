import { linesOf } from "./completion-text.js";
import { BotMessageReader, lineOf, VerboseLines, bareText, BOT_INTENT, replaceLabel, USER_INTENT } from "./labels.js";
import { type GradualText, inSequence, readWhole } from "./gradual/gradual-text.js";
import { ReasoningFilter, stripReasoning } from "./gradual/reasoning.js";
import { GUARD_PARSERS } from "./guards/guard-parsers.js";
import { readModerationVerdict } from "./verdict/verdict.js";

/** Reads a completion. Parsers of dialog tasks return text in Colang form; parsers of checks return a verdict. */
export type OutputParser = (completion: string) => unknown;

export type ParserTable = Readonly<Record<string, OutputParser>>;

/** A parser from the wording for chat models back to Colang form. */
type TextParser = (completion: string) => string;

/** `User intent: x` → the indented canonical form. */
const parseUserIntent: TextParser = (completion) => {
  const reply = replyOf(completion);
  // A single quoted line is a form; before other lines, it may be the user's utterance.
  return replaceLabel(reply.includes("\n") ? reply : bareText(reply), USER_INTENT);
};

/** `Bot intent: x` → `bot x`. */
const parseBotIntent: TextParser = (completion) => replaceLabel(replyOf(completion), BOT_INTENT);

/** `Bot message: "x"` → the indented quoted text. */
const parseBotMessage: TextParser = (completion) => readWhole(new BotMessageReader(), completion);

/** The four prefixes of the verbose wording, line by line; other lines keep their layout. */
export const parseVerbose: TextParser = (completion) => linesOf(replyOf(completion)).map(lineOf).join("\n");

function replyOf(completion: string): string {
  return stripReasoning(completion) ?? "";
}

/** Parsers that prompts can name in `output_parser`. */
export const OUTPUT_PARSERS: ParserTable = {
  user_intent: parseUserIntent,
  bot_intent: parseBotIntent,
  bot_message: parseBotMessage,
  verbose_v1: parseVerbose,
  is_content_safe: readModerationVerdict,
  ...GUARD_PARSERS,
};

/** Returns the parser with this name; own properties only. */
export function findParser(parsers: ParserTable, name: string): OutputParser | undefined {
  return Object.hasOwn(parsers, name) ? parsers[name] : undefined;
}

/** A parser for completions that arrive in pieces. Without a reader, only the whole can be read. */
export interface GradualParser {
  /** Reads a completion. */
  readonly completion?: (() => GradualText) | undefined;
  /** Reads the bot utterance at the end of a completion of several parts, from the start of a line on. */
  readonly words?: (() => GradualText) | undefined;
}

const GRADUAL: ReadonlyMap<OutputParser, GradualParser> = new Map<OutputParser, GradualParser>([
  [parseBotMessage, { completion: () => new BotMessageReader() }],
  [parseVerbose, { words: () => inSequence([new ReasoningFilter(), new VerboseLines()]) }],
]);
const UNCHANGED: GradualParser = { completion: () => inSequence([]), words: () => inSequence([]) };

/** Returns the gradual counterpart of a parser; custom parsers only read whole completions. */
export function gradualParser(parser: OutputParser | undefined): GradualParser {
  return parser === undefined ? UNCHANGED : (GRADUAL.get(parser) ?? {});
}
