import { currentPropertyName } from "../../engine/wire.js";
import type { Argument } from "../../expressions/ast.js";
import type { Statement } from "../ast.js";
import { LineParser } from "./line-parser.js";
import { readEventType } from "./parse-event.js";
import { readName } from "./parse-name.js";
import { readParameters } from "./parse-parameters.js";
import type { ParseStatement, StatementInput } from "./statement-input.js";

type Base = StatementInput["base"];

const DEEPER_HINT = "write the properties in parentheses: `(name=value)`";

/** emit = ("create" | "new") ["event"] TYPE [ params ] */
export const parseEmit: ParseStatement = ({ parser, base }) => {
  parser.skipWord("event");
  return parseEvent(parser, base);
};

/**
 * infer = "infer" ( ["event"] TYPE [ params ] | ("user" | "bot") NAME )
 *       | "infer" NEWLINE INDENT { ("event" TYPE [ params ] | ("user" | "bot") NAME) NEWLINE } DEDENT
 */
export const parseInfer: ParseStatement = ({ parser, base }) => {
  if (!parser.isDone()) {
    parser.refuseDeeper(DEEPER_HINT);
    return parseInferred(parser, base);
  }
  const lines = parser.line.children.filter((line) => line.kind === "code");
  if (lines.length === 0) {
    parser.report("CO-104", "expected an event after `infer`, or deeper lines with events", parser.range);
  }
  return lines.flatMap((line, index) => {
    const inner = new LineParser(parser.context, line);
    inner.refuseDeeper(DEEPER_HINT);
    const comment = line.comments.length > 0 ? line.comments.join("\n") : index === 0 ? base.comment : undefined;
    const span = parser.span(line);
    return parseInferred(inner, comment === undefined ? { span } : { span, comment });
  });
};

function parseInferred(parser: LineParser, base: Base): readonly Statement[] {
  const word = parser.peekWord();
  if (word !== "user" && word !== "bot") {
    parser.skipWord("event");
    return parseEvent(parser, base);
  }
  const keyword = parser.takeWord();
  const { range } = readName(parser, { parentheses: "text" });
  if (range.start === range.end) {
    parser.report("CO-110", `expected a name after \`infer ${word}\``, keyword);
    return [];
  }
  parser.expectEnd("the name");
  const intent = parser.name(range);
  const value = { kind: "Literal", value: intent.text, start: range.start, end: range.end } as const;
  const type = { text: word === "user" ? "UserIntent" : "BotIntent", span: parser.span(keyword) };
  return [{ kind: "Emit", type, arguments: [{ name: "intent", value, start: range.start, end: range.end }], ...base }];
}

function parseEvent(parser: LineParser, base: Base): readonly Statement[] {
  const event = readEventType(parser);
  if (!event) return [];
  const parameters = readParameters(parser);
  parser.expectEnd("the event");
  const written = parameters ? parser.arguments(parameters) : [];
  const given = written.map((argument): Argument => {
    const { name } = argument;
    return name === undefined ? argument : { ...argument, name: currentPropertyName(event.written, name) };
  });
  return [{ kind: "Emit", type: event.type, arguments: given, ...base }];
}
