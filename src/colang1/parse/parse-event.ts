import { quoteText } from "../../diagnostics/diagnostic.js";
import { currentEventName, currentPropertyName } from "../../engine/wire.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { EventPattern, Name, PropertyPattern } from "../ast.js";
import type { LineParser } from "./line-parser.js";
import { readName } from "./parse-name.js";
import { readParameters } from "./parse-parameters.js";
import type { ParseStatement } from "./statement-input.js";

const PROPERTY_NAME = /(?:\$(?=\w+\s*=(?!=)))?([A-Za-z_]\w*)\s*(?:=(?!=)\s*)?/y;

/** eventMatch = "event" TYPE [ params ] */
export const parseEventMatch: ParseStatement = ({ parser, base }) => {
  const pattern = parseEventPattern(parser);
  return pattern ? [{ kind: "Match", patterns: [pattern], ...base }] : [];
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

export interface EventType {
  readonly type: Name;
  /** As written: properties of an old name have old names too. */
  readonly written: string;
}

/** Takes an event type and translates old names. */
export function readEventType(parser: LineParser): EventType | undefined {
  const { range } = readName(parser, { or: true, parentheses: "call" });
  if (range.start === range.end) {
    const before = parser.trim({ start: parser.start, end: range.start });
    const place = before.start < before.end ? before : parser.line;
    parser.report("CO-110", `expected an event type after ${quoteText(parser.textOf(before))}`, place);
    parser.at = parser.end;
    return undefined;
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
    if (!hasValue) properties.push({ name, exists: true, span });
    else {
      const value = parser.expression({ start: valueStart, end: Math.max(valueStart, part.end) });
      if (value) properties.push({ name, exists: false, value, span });
    }
  }
  return properties;
}
