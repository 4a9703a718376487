import { currentEventName, currentPropertyName } from "../../engine/wire.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { EventPattern, Name, PropertyPattern } from "../ast.js";
import type { LineCursor } from "./line-cursor.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { readName } from "./parse-name.js";
import { expectEnd, readParameters } from "./parse-parameters.js";
import { splitAtCommas } from "./scan-text.js";
import type { ParseStatement } from "./statement-input.js";

const PROPERTY_NAME = /(?:\$(?=\w+\s*=(?!=)))?([A-Za-z_]\w*)\s*(?:=(?!=)\s*)?/y;

/** eventMatch = "event" TYPE [ params ] */
export const parseEventMatch: ParseStatement = ({ context, cursor, base }) => {
  const pattern = parseEventPattern(context, cursor);
  return pattern ? [{ kind: "Match", patterns: [pattern], ...base }] : [];
};

/** Reads the type and the properties of an awaited event; the cursor stands behind `event`, if that was written. */
export function parseEventPattern(context: ParseContext, cursor: LineCursor): EventPattern | undefined {
  const event = readEventType(context, cursor);
  if (!event) return undefined;
  const parameters = readParameters(context, cursor);
  expectEnd(context, cursor, "the event", "list alternatives one a line below `any`");
  const properties = parameters ? parseProperties(context, cursor, parameters, event.written) : [];
  const span = context.span({ start: cursor.start, end: cursor.end });
  return { kind: "EventPattern", type: event.type, properties, span };
}

export interface EventType {
  readonly type: Name;
  /** As written: properties of an old name have old names too. */
  readonly written: string;
}

/** Takes an event type; old names are translated (spec 7.1). */
export function readEventType(context: ParseContext, cursor: LineCursor): EventType | undefined {
  const { range } = readName(cursor, { or: true, parentheses: "call" });
  if (range.start === range.end) {
    const before = cursor.trim({ start: cursor.start, end: range.start });
    const place = before.start < before.end ? before : cursor.line;
    context.report("CO-110", `expected an event type after ${quoteText(cursor.text(before))}`, place);
    cursor.at = cursor.end;
    return undefined;
  }
  const type = context.name(cursor, range);
  const current = currentEventName(type.text);
  if (current === undefined) return { type, written: type.text };
  context.report("CO-311", `\`${type.text}\` is the old name of \`${current}\``, range, `write \`${current}\``);
  return { type: { text: current, span: type.span }, written: type.text };
}

function parseProperties(
  context: ParseContext,
  cursor: LineCursor,
  parameters: TextRange,
  eventType: string,
): readonly PropertyPattern[] {
  const properties: PropertyPattern[] = [];
  if (cursor.text(parameters).trim() === "") return properties;
  for (const part of splitAtCommas(cursor, parameters)) {
    const found = cursor.match(PROPERTY_NAME, part.start);
    const written = found?.[1];
    const valueStart = part.start + (found?.[0].length ?? 0);
    const hasValue = found?.[0].includes("=") ?? false;
    if (written === undefined || (!hasValue && valueStart < part.end)) {
      const text = part.start === part.end ? "nothing" : quoteText(cursor.text(part));
      const hint = 'write `name="value"`, or `name` alone for any value';
      context.report("CO-109", `expected a property and its value, found ${text}`, part, hint);
      continue;
    }
    const name = currentPropertyName(eventType, written);
    const span = context.span(part);
    if (!hasValue) properties.push({ name, exists: true, span });
    else {
      const value = context.expression({ start: valueStart, end: Math.max(valueStart, part.end) });
      if (value) properties.push({ name, exists: false, value, span });
    }
  }
  return properties;
}
