import type { Pattern, UserPattern } from "../ast.js";
import type { LineCursor } from "./line-cursor.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { parseText } from "./parse-message.js";
import { readName } from "./parse-name.js";
import { expectEnd, readParameters } from "./parse-parameters.js";
import { findOutside } from "./scan-text.js";
import type { ParseStatement } from "./statement-input.js";

const WITH = /(?:with|for)\s/y;
const OR_USER = /\s+or\s+user(?=\s|$)/y;
const DOTS = /\.\.\.(?=\s|$)/y;
const SOMETHING = /something(?:\s+else)?(?=\s+or\s|\s*$)/y;
const STRING = /"(?:\\[^]|[^"\\])*"(?=\s|$)|'(?:\\[^]|[^'\\])*'(?=\s|$)/y;

/** userMatch = user { "or" user } */
export const parseUserMatch: ParseStatement = ({ context, cursor, base }) => {
  const patterns = parseUserPatterns(context, cursor);
  return patterns.length > 0 ? [{ kind: "Match", patterns, ...base }] : [];
};

/** Reads alternatives after the first `user`; an empty list means that the line was refused. */
export function parseUserPatterns(context: ParseContext, cursor: LineCursor): readonly Pattern[] {
  const patterns: Pattern[] = [];
  let start = cursor.start;
  for (;;) {
    const pattern = parseUserPattern(context, cursor, start);
    if (!pattern) return [];
    patterns.push(pattern);
    if (cursor.isDone()) return patterns;
    if (!cursor.skipWord("or")) {
      expectEnd(context, cursor, "the intent", "write either an intent or a text");
      return [];
    }
    const { start: next } = cursor.rest();
    if (!cursor.skipWord("user")) {
      const rest = cursor.rest();
      const written = cursor.text(rest);
      context.report(
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
function parseUserPattern(context: ParseContext, cursor: LineCursor, start: number): UserPattern | undefined {
  skipSays(cursor);
  if (cursor.isDone()) {
    context.report(
      "CO-110",
      "expected an intent after `user`",
      { start, end: cursor.end },
      "write `user ...` for any intent",
    );
    return undefined;
  }
  const any = cursor.match(DOTS) ?? cursor.match(SOMETHING);
  if (any) {
    cursor.at += any[0].length;
    return { kind: "UserPattern", any: true, span: context.span({ start, end: cursor.at }) };
  }
  const first = cursor.charAt(cursor.at);
  if (first === '"' || first === "'") return parseUserText(context, cursor, start);
  if (first === "[" || first === "$") {
    const rest = cursor.rest();
    const hint =
      first === "[" ? "write `user a or user b`" : "write an intent, or compare `$last_user_message` with `if`";
    context.report("CO-111", `${quoteText(cursor.text(rest))} is not an intent`, rest, hint);
    return undefined;
  }
  return parseUserIntent(context, cursor, start);
}

function parseUserText(context: ParseContext, cursor: LineCursor, start: number): UserPattern | undefined {
  const string = cursor.match(STRING);
  const range = string ? { start: cursor.at, end: cursor.at + string[0].length } : cursor.rest();
  const text = parseText(context, cursor, range);
  cursor.at = range.end;
  return text && { kind: "UserPattern", any: false, text, span: context.span({ start, end: range.end }) };
}

function parseUserIntent(context: ParseContext, cursor: LineCursor, start: number): UserPattern | undefined {
  const { range, parentheses } = readName(cursor, { or: true, parentheses: "text" });
  if (range.start === range.end) {
    const rest = cursor.rest();
    context.report(
      "CO-110",
      `expected an intent before ${quoteText(cursor.text(rest))}`,
      rest,
      "write `user <intent>`",
    );
    return undefined;
  }
  const intent = context.name(cursor, range);
  if (parentheses) {
    context.report("CO-304", `${quoteText(cursor.text(parentheses))} is part of the name`, parentheses);
  }
  const parameters = cursor.rest().start;
  if (cursor.match(/as\s+\$/y)) {
    const rest = cursor.rest();
    context.report(
      "CO-111",
      "intents cannot be stored in a variable",
      rest,
      "read `$event.intent` or `$last_user_message`",
    );
    return undefined;
  }
  if (cursor.charAt(parameters) === "(") readParameters(context, cursor);
  else if (cursor.match(WITH))
    cursor.at = findOutside(cursor, cursor.rest(), (_, at) => isOrUser(cursor, at)) ?? cursor.end;
  const written = cursor.trim({ start: parameters, end: cursor.at });
  if (written.start < written.end) {
    context.report("CO-304", "parameters of an intent have no effect", written, "read the values in an action");
  }
  return { kind: "UserPattern", any: false, intent, span: context.span({ start, end: range.end }) };
}

function isOrUser(cursor: LineCursor, at: number): boolean {
  return /\s/.test(cursor.charAt(at)) && !/\s/.test(cursor.charAt(at - 1)) && cursor.match(OR_USER, at) !== undefined;
}

/** `user says x` is `user x`, and `bot says x` is `bot x`. */
export function skipSays(cursor: LineCursor): void {
  const at = cursor.at;
  if (cursor.skipWord("says") && cursor.isDone()) cursor.at = at;
}
