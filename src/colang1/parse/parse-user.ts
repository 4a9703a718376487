import { quoteText } from "../../diagnostics/diagnostic.js";
import type { Pattern, UserPattern } from "../ast.js";
import type { LineParser } from "./line-parser.js";
import { parseText } from "./parse-message.js";
import { readName } from "./parse-name.js";
import { readParameters } from "./parse-parameters.js";
import type { ParseStatement } from "./statement-input.js";

const WITH = /(?:with|for)\s/y;
const OR_USER = /\s+or\s+user(?=\s|$)/y;
const DOTS = /\.\.\.(?=\s|$)/y;
const SOMETHING = /something(?:\s+else)?(?=\s+or\s|\s*$)/y;
const STRING = /"(?:\\[^]|[^"\\])*"(?=\s|$)|'(?:\\[^]|[^'\\])*'(?=\s|$)/y;

/** userMatch = user { "or" user } */
export const parseUserMatch: ParseStatement = ({ parser, base }) => {
  const patterns = parseUserPatterns(parser);
  return patterns.length > 0 ? [{ kind: "Match", patterns, ...base }] : [];
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
      parser.report(
        "CO-110",
        "expected `user` after `or`",
        rest,
        written ? `write ${quoteText(`or user ${written}`)}` : undefined,
      );
      return [];
    }
    start = next;
  }
}

/** user = "user" ["says"] ( "..." | "something" ["else"] | STRING | NAME [ params ] ) */
function parseUserPattern(parser: LineParser, start: number): UserPattern | undefined {
  skipSays(parser);
  if (parser.isDone()) {
    const hint = "write `user ...` for any intent";
    parser.report("CO-110", "expected an intent after `user`", { start, end: parser.end }, hint);
    return undefined;
  }
  const any = parser.match(DOTS) ?? parser.match(SOMETHING);
  if (any) {
    parser.at += any[0].length;
    return { kind: "UserPattern", any: true, span: parser.span({ start, end: parser.at }) };
  }
  const first = parser.charAt(parser.at);
  if (first === '"' || first === "'") return parseUserText(parser, start);
  if (first === "[" || first === "$") {
    const rest = parser.rest();
    const hint =
      first === "[" ? "write `user a or user b`" : "write an intent, or compare `$last_user_message` with `if`";
    parser.report("CO-111", `${quoteText(parser.textOf(rest))} is not an intent`, rest, hint);
    return undefined;
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
    const hint = "write `user <intent>`";
    parser.report("CO-110", `expected an intent before ${quoteText(parser.textOf(rest))}`, rest, hint);
    return undefined;
  }
  const intent = parser.name(range);
  if (parentheses) {
    parser.report("CO-304", `${quoteText(parser.textOf(parentheses))} is part of the name`, parentheses);
  }
  const parameters = parser.rest().start;
  if (parser.match(/as\s+\$/y)) {
    const rest = parser.rest();
    const hint = "read `$event.intent` or `$last_user_message`";
    parser.report("CO-111", "intents cannot be stored in a variable", rest, hint);
    return undefined;
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
  return /\s/.test(parser.charAt(at)) && !/\s/.test(parser.charAt(at - 1)) && parser.match(OR_USER, at) !== undefined;
}

/** Skips `says`: `user says x` is `user x`, and `bot says x` is `bot x`. */
export function skipSays(parser: LineParser): void {
  const at = parser.at;
  if (parser.skipWord("says") && parser.isDone()) parser.at = at;
}
