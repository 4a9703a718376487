import { quoteText } from "../../diagnostics/diagnostic.js";
import type { Pattern, UserPattern, BotPattern, Name, TextLiteral } from "../ast.js";
import { isSpace, type LineParser, type ParseStatement } from "./line-parser.js";
import { parseText, parseMessageLines } from "./parse-message.js";
import { readName, readParameters } from "./parse-parameters.js";
import type { Expression } from "../../expressions/ast.js";

const WITH = /(?:with|for)\s/y;
const OR_USER = /\s+or\s+user(?=\s|$)/y;
const DOTS = /\.\.\.(?=\s|$)/y;
const SOMETHING = /something(?:\s+else)?(?=\s+or\s|\s*$)/y;
const STRING = /"(?:\\[^]|[^"\\])*"(?=\s|$)|'(?:\\[^]|[^'\\])*'(?=\s|$)/y;

/** userMatch = user { "or" user } */
export const parseUserMatch: ParseStatement = ({ parser, base }) => {
  const patterns = parseUserPatterns(parser);
  return patterns.length > 0 ? { kind: "Match", patterns, ...base } : undefined;
};

/** Reads alternatives after the first `user`; an empty list means that the line was refused. */
export function parseUserPatterns(parser: LineParser): readonly Pattern[] {
  const patterns: Pattern[] = [];
  let start = parser.start;
  for (;;) {
    const pattern = parseUserPattern(parser, start);
    if (!pattern) return [];
    patterns.push(pattern);
    if (parser.isDone()) return patterns;
    if (!parser.skipWord("or")) {
      parser.expectEnd("the intent", "write either an intent or a text");
      return [];
    }
    const { start: next } = parser.rest();
    if (!parser.skipWord("user")) {
      const rest = parser.rest();
      const written = parser.textOf(rest);
      const hint = written ? `write ${quoteText(`or user ${written}`)}` : undefined;
      parser.report("CO-110", "expected `user` after `or`", rest, hint);
      return [];
    }
    start = next;
  }
}

/** user = "user" ["says"] ( "..." | "something" ["else"] | STRING | NAME [ params ] ) */
function parseUserPattern(parser: LineParser, start: number): UserPattern | undefined {
  skipSays(parser);
  if (parser.isDone()) {
    const place = { start, end: parser.end };
    return parser.report("CO-110", "expected an intent after `user`", place, "write `user ...` for any intent");
  }
  const any = parser.match(DOTS) ?? parser.match(SOMETHING);
  if (any) {
    parser.at += any[0].length;
    return { kind: "UserPattern", any: true, span: parser.span({ start, end: parser.at }) };
  }
  const first = parser.charAt(parser.at);
  if (first === '"' || first === "'") return parseUserText(parser, start);
  if (first === "[" || first === "$") {
    const alternative = "write an intent, or compare `$last_user_message` with `if`";
    const hint = first === "[" ? "write `user a or user b`" : alternative;
    return parser.refuse("CO-111", parser.rest(), "is not an intent", hint);
  }
  return parseUserIntent(parser, start);
}

function parseUserText(parser: LineParser, start: number): UserPattern | undefined {
  const string = parser.match(STRING);
  const range = string ? { start: parser.at, end: parser.at + string[0].length } : parser.rest();
  const text = parseText(parser, range);
  parser.at = range.end;
  return text && { kind: "UserPattern", any: false, text, span: parser.span({ start, end: range.end }) };
}

function parseUserIntent(parser: LineParser, start: number): UserPattern | undefined {
  const { range, parentheses } = readName(parser, { or: true, parentheses: "text" });
  if (range.start === range.end) {
    const rest = parser.rest();
    const message = `expected an intent before ${quoteText(parser.textOf(rest))}`;
    return parser.report("CO-110", message, rest, "write `user <intent>`");
  }
  const intent = parser.name(range);
  if (parentheses) parser.refuse("CO-304", parentheses, "is part of the name");
  const parameters = parser.rest().start;
  if (parser.match(/as\s+\$/y)) {
    const hint = "read `$event.intent` or `$last_user_message`";
    return parser.report("CO-111", "intents cannot be stored in a variable", parser.rest(), hint);
  }
  if (parser.charAt(parameters) === "(") readParameters(parser);
  else if (parser.match(WITH))
    parser.at = parser.findOutside(parser.rest(), (_, at) => isOrUser(parser, at)) ?? parser.end;
  const written = parser.trim({ start: parameters, end: parser.at });
  if (written.start < written.end) {
    parser.report("CO-304", "parameters of an intent have no effect", written, "read the values in an action");
  }
  return { kind: "UserPattern", any: false, intent, span: parser.span({ start, end: range.end }) };
}

function isOrUser(parser: LineParser, at: number): boolean {
  return isSpace(parser.codeAt(at)) && !isSpace(parser.codeAt(at - 1)) && parser.match(OR_USER, at) !== undefined;
}

/** Skips `says`: `user says x` is `user x`, and `bot says x` is `bot x`. */
function skipSays(parser: LineParser): void {
  const at = parser.at;
  if (parser.skipWord("says") && parser.isDone()) parser.at = at;
}

const ANYTHING = /(?:\.\.\.|something(?:\s+else)?)\s*$/y;

const OR_BOT = /or\s+bot(?=\s|$)/y;

/**
 * say = "bot" ["says"] ( "..." | "something" | STRING | VAR { access } | NAME [ STRING ] )
 *       [ NEWLINE INDENT { STRING NEWLINE } DEDENT ]
 */
export const parseSay: ParseStatement = ({ parser, base }) => {
  const content = parseContent(parser);
  const below = parseMessageLines(parser.context, parser.line.children, "bot");
  if (!content) return undefined;
  const variants = [...content.variants, ...below];
  const isNamed = content.intent !== undefined || content.variants.length > 0;
  if (below.length > 0 && (!isNamed || content.isStop)) {
    const { span } = below[0] ?? base;
    parser.report("CO-105", "texts below a message without a name", span, "write `bot <name>` above them");
  }
  const { isStop, ...said } = content;
  return isStop ? { kind: "Stop", ...base } : { kind: "Say", any: false, ...said, variants, ...base };
};

interface Content {
  readonly any?: boolean;
  readonly isStop?: boolean;
  readonly intent?: Name;
  readonly value?: Expression;
  readonly variants: readonly TextLiteral[];
}

function parseContent(parser: LineParser): Content | undefined {
  skipSays(parser);
  const rest = parser.rest();
  if (parser.isDone())
    return parser.report("CO-110", "expected a message after `bot`", parser.range, "write `bot <message>`");
  if (reportAlternatives(parser)) return undefined;
  if (parser.match(ANYTHING)) return { any: true, variants: [] };
  const first = parser.charAt(rest.start);
  if (first === '"' || first === "'") {
    const text = parseText(parser, rest);
    return text && { variants: [text] };
  }
  if (first === "$") {
    const value = parseValue(parser);
    return value && { value, variants: [] };
  }
  if (first === "[") return parser.refuse("CO-111", rest, "is not a message", "say one message after the other");
  return parseNamed(parser);
}

function parseNamed(parser: LineParser): Content | undefined {
  const { range, parentheses } = readName(parser, { parentheses: "text" });
  const intent = parser.name(range);
  if (parentheses) parser.refuse("CO-304", parentheses, "is part of the name");
  if (parser.isDone()) return intent.text === "stop" ? { isStop: true, variants: [] } : { intent, variants: [] };
  const rest = parser.rest();
  if (parser.charAt(rest.start) !== '"') {
    const hint = "set variables before this line and use them in the text, as in `$name`";
    return parser.report("CO-111", "messages have no parameters", rest, hint);
  }
  const text = parseText(parser, rest);
  return text && { intent, variants: [text] };
}

function parseValue(parser: LineParser): Expression | undefined {
  const rest = parser.rest();
  const value = parser.expression(rest);
  if (!value) return undefined;
  if (value.kind === "Variable" || value.kind === "Member" || value.kind === "Index") return value;
  const hint = "assign it to a variable first, and say the variable";
  return parser.report("CO-110", "only a variable or a part of one can be said", rest, hint);
}

function reportAlternatives(parser: LineParser): boolean {
  if (!parser.text.includes("bot", parser.at - parser.start)) return false;
  const at = parser.findOutside(parser.rest(), (character, offset) => {
    return character === "o" && isSpace(parser.codeAt(offset - 1)) && parser.match(OR_BOT, offset) !== undefined;
  });
  if (at === undefined) return false;
  const hint = "choose with `if`, or give one message several texts in `define bot`";
  parser.report("CO-115", "`bot` cannot say one message or another", { start: at, end: parser.end }, hint);
  return true;
}

/** Reads a message observed in `when` and `any`: `bot x` or `bot ...`, never a text. */
export function parseBotPattern(parser: LineParser): BotPattern | undefined {
  const content = parseContent(parser);
  if (!content) return undefined;
  const span = parser.span(parser.range);
  if (content.any) return { kind: "BotPattern", any: true, span };
  if (content.intent && content.variants.length === 0) {
    parser.expectEnd("the message");
    return { kind: "BotPattern", any: false, intent: content.intent, span };
  }
  return parser.report(
    "CO-118",
    "only messages with a name can be waited for",
    span,
    "write `bot <name>` or `bot ...`",
  );
}
