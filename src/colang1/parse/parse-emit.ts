import { currentPropertyName } from "../../engine/wire.js";
import type { Argument } from "../../expressions/ast.js";
import type { LayoutLine } from "../../syntax/layout.js";
import type { Statement } from "../ast.js";
import { LineCursor } from "./line-cursor.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { readEventType } from "./parse-event.js";
import { readName } from "./parse-name.js";
import { expectEnd, readParameters } from "./parse-parameters.js";
import type { ParseStatement, StatementInput } from "./statement-input.js";

type Base = StatementInput["base"];

/**
 * emit = ("create" | "new") ["event"] TYPE [ params ]
 */
export const parseEmit: ParseStatement = ({ context, cursor, base }) => {
  cursor.skipWord("event");
  return parseEvent(context, cursor, base);
};

/**
 * infer = "infer" ( ["event"] TYPE [ params ] | ("user" | "bot") NAME )
 *       | "infer" NEWLINE INDENT { ("event" TYPE [ params ] | ("user" | "bot") NAME) NEWLINE } DEDENT
 */
export const parseInfer: ParseStatement = ({ context, cursor, base }) => {
  if (!cursor.isDone()) {
    reportDeeper(context, cursor.line.children);
    return parseInferred(context, cursor, base);
  }
  const lines = cursor.line.children.filter((line) => line.kind === "code");
  if (lines.length === 0) {
    const range = { start: cursor.start, end: cursor.end };
    context.report("CO-104", "expected an event after `infer`, or deeper lines with events", range);
  }
  return lines.flatMap((line, index) => {
    reportDeeper(context, line.children);
    const { comments } = line;
    const comment = index === 0 ? base.comment : undefined;
    const own = comments.length > 0 ? comments.join("\n") : comment;
    const span = context.span(line);
    return parseInferred(context, new LineCursor(line), own === undefined ? { span } : { span, comment: own });
  });
};

function parseInferred(context: ParseContext, cursor: LineCursor, base: Base): readonly Statement[] {
  const word = cursor.peekWord();
  if (word !== "user" && word !== "bot") {
    cursor.skipWord("event");
    return parseEvent(context, cursor, base);
  }
  const keyword = cursor.takeWord();
  const { range } = readName(cursor, { parentheses: "text" });
  if (range.start === range.end) {
    context.report("CO-110", `expected a name after \`infer ${word}\``, keyword);
    return [];
  }
  expectEnd(context, cursor, "the name");
  const intent = context.name(cursor, range);
  const value = { kind: "Literal", value: intent.text, start: range.start, end: range.end } as const;
  const type = { text: word === "user" ? "UserIntent" : "BotIntent", span: context.span(keyword) };
  return [{ kind: "Emit", type, arguments: [{ name: "intent", value, start: range.start, end: range.end }], ...base }];
}

function parseEvent(context: ParseContext, cursor: LineCursor, base: Base): readonly Statement[] {
  const event = readEventType(context, cursor);
  if (!event) return [];
  const parameters = readParameters(context, cursor);
  expectEnd(context, cursor, "the event");
  const written = parameters ? context.arguments(parameters) : [];
  const given = written.map((argument) => rename(argument, event.written));
  return [{ kind: "Emit", type: event.type, arguments: given, ...base }];
}

function rename(argument: Argument, eventType: string): Argument {
  return argument.name === undefined ? argument : { ...argument, name: currentPropertyName(eventType, argument.name) };
}

function reportDeeper(context: ParseContext, lines: readonly LayoutLine[]): void {
  const [first] = lines;
  if (!first) return;
  const hint = "write the properties in parentheses: `(name=value)`";
  context.report("CO-105", `unexpected indentation of ${quoteText(first.text)}`, first, hint);
}
