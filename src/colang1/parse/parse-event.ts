import { quoteText } from "../../diagnostics/diagnostic.js";
import { currentEventName, currentPropertyName } from "../../engine/events.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { EventPattern, Name, PropertyPattern, Statement } from "../ast.js";
import { LineParser, type ParseStatement, type StatementInput } from "./line-parser.js";
import { readName, readParameters } from "./parse-parameters.js";
import type { Argument } from "../../expressions/ast.js";

const PROPERTY_NAME = /(?:\$(?=\w+\s*=(?!=)))?([A-Za-z_]\w*)\s*(?:=(?!=)\s*)?/y;

/** eventMatch = "event" TYPE [ params ] */
export const parseEventMatch: ParseStatement = ({ parser, base }) => {
  const pattern = parseEventPattern(parser);
  return pattern && { kind: "Match", patterns: [pattern], ...base };
};

/** Reads the type and the properties of an awaited event; the parser stands behind `event`, if that was written. */
export function parseEventPattern(parser: LineParser): EventPattern | undefined {
  const event = readEventType(parser);
  if (!event) return undefined;
  const parameters = readParameters(parser);
  parser.expectEnd("the event", "list alternatives one a line below `any`");
  const properties = parameters ? parseProperties(parser, parameters, event.written) : [];
  const span = parser.span(parser.range);
  return { kind: "EventPattern", type: event.type, properties, span };
}

/** Takes an event type and translates old names; `written` is as written: properties of an old name have old names too. */
function readEventType(parser: LineParser): { readonly type: Name; readonly written: string } | undefined {
  const { range } = readName(parser, { or: true, parentheses: "call" });
  if (range.start === range.end) {
    const before = parser.trim({ start: parser.start, end: range.start });
    const place = before.start < before.end ? before : parser.line;
    parser.at = parser.end;
    return parser.report(
      "CO-110",
      `expected an event type after ${quoteText(parser.textOf(before))}`,
      place,
      "write `event <Type>`",
    );
  }
  const type = parser.name(range);
  const current = currentEventName(type.text);
  if (current === undefined) return { type, written: type.text };
  parser.report("CO-311", `\`${type.text}\` is the old name of \`${current}\``, range, `write \`${current}\``);
  return { type: { text: current, span: type.span }, written: type.text };
}

function parseProperties(parser: LineParser, parameters: TextRange, eventType: string): readonly PropertyPattern[] {
  const properties: PropertyPattern[] = [];
  if (parser.textOf(parameters).trim() === "") return properties;
  for (const part of parser.splitAtCommas(parameters)) {
    const found = parser.match(PROPERTY_NAME, part.start);
    const written = found?.[1];
    const valueStart = part.start + (found?.[0].length ?? 0);
    const hasValue = found?.[0].includes("=") ?? false;
    if (written === undefined || (!hasValue && valueStart < part.end)) {
      const text = part.start === part.end ? "nothing" : quoteText(parser.textOf(part));
      const hint = 'write `name="value"`, or `name` alone for any value';
      parser.report("CO-109", `expected a property and its value, found ${text}`, part, hint);
      continue;
    }
    const name = currentPropertyName(eventType, written);
    const span = parser.span(part);
    const range = { start: valueStart, end: Math.max(valueStart, part.end) };
    const value = hasValue ? parser.expression(range) : undefined;
    if (value) properties.push({ name, exists: false, value, span });
    else if (!hasValue) properties.push({ name, exists: true, span });
  }
  return properties;
}

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
  return lines.flatMap((line, index): readonly Statement[] => {
    const inner = new LineParser(parser.context, line);
    inner.refuseDeeper(DEEPER_HINT);
    const comment = line.comments.length > 0 ? line.comments.join("\n") : index === 0 ? base.comment : undefined;
    const span = parser.span(line);
    return [parseInferred(inner, comment === undefined ? { span } : { span, comment }) ?? []].flat();
  });
};

function parseInferred(parser: LineParser, base: Base): Statement | undefined {
  const word = parser.peekWord();
  if (word !== "user" && word !== "bot") {
    parser.skipWord("event");
    return parseEvent(parser, base);
  }
  const keyword = parser.takeWord();
  const { range } = readName(parser, { parentheses: "text" });
  if (range.start === range.end)
    return parser.report(
      "CO-110",
      `expected a name after \`infer ${word}\``,
      keyword,
      `write \`infer ${word} <name>\``,
    );
  parser.expectEnd("the name");
  const intent = parser.name(range);
  const value = { kind: "Literal", value: intent.text, start: range.start, end: range.end } as const;
  const type = { text: word === "user" ? "UserIntent" : "BotIntent", span: parser.span(keyword) };
  return { kind: "Emit", type, arguments: [{ name: "intent", value, start: range.start, end: range.end }], ...base };
}

function parseEvent(parser: LineParser, base: Base): Statement | undefined {
  const event = readEventType(parser);
  if (!event) return undefined;
  const parameters = readParameters(parser);
  parser.expectEnd("the event");
  const written = parameters ? parser.arguments(parameters) : [];
  const given = written.map((argument): Argument => {
    const { name } = argument;
    return name === undefined ? argument : { ...argument, name: currentPropertyName(event.written, name) };
  });
  return { kind: "Emit", type: event.type, arguments: given, ...base };
}
