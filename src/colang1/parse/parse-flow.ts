import { positionAt } from "../../diagnostics/source-file.js";
import type { LayoutLine } from "../../syntax/layout.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { FlowDefinition, Name } from "../ast.js";
import { collapseBlanks, LineCursor } from "./line-cursor.js";
import { parseBlock } from "./parse-block.js";
import { endOf } from "./parse-branch.js";
import { readFlowName, splitAtVariables } from "./parse-call.js";
import { quoteText, type ParseContext } from "./parse-context.js";
import { isMetaLine, parseMeta, type MetaValue } from "./parse-meta.js";
import { splitAtCommas } from "./scan-text.js";

const PARAMETER = /\$?([A-Za-z_]\w*)/y;

export interface FlowHeader {
  readonly line: LayoutLine;
  /** What stands after `flow` or `subflow`, or before the colon of a shorthand flow; empty for an unnamed flow. */
  readonly name: TextRange;
  readonly modifiers: readonly Name[];
  readonly isSubflow: boolean;
  readonly isShorthand: boolean;
}

/**
 * flowDef   = define { modifier } ("flow" | "subflow") [ NAME ] NEWLINE INDENT { meta } block DEDENT
 * shorthand = NAME ":" NEWLINE INDENT block DEDENT
 */
export function parseFlow(context: ParseContext, header: FlowHeader): FlowDefinition {
  const { line, modifiers, isSubflow, isShorthand } = header;
  const cursor = new LineCursor(line);
  const headerSpan = context.span({ start: line.start, end: cursor.end });
  const isNamed = header.name.start < header.name.end;
  const reference = isNamed ? readReference(cursor, header.name) : undefined;
  if (reference?.id === "") {
    context.report(
      "CO-110",
      "expected a name before the parameters",
      header.name,
      "write `define flow <name> $parameter`",
    );
  }
  const meta = new Map<string, MetaValue>();
  const body: LayoutLine[] = [];
  for (const child of line.children) {
    if (isMetaLine(child)) parseMeta(context, child, meta);
    else body.push(child);
  }
  if (!body.some((child) => child.kind === "code" || child.openString !== undefined)) {
    const hint = "indent the lines that belong to it";
    const message = `expected an indented block after ${quoteText(cursor.text({ start: line.start, end: cursor.end }))}`;
    context.report("CO-104", message, headerSpan, hint);
  }
  const doc = line.children.find((child) => child.kind === "docstring");
  return {
    kind: "FlowDefinition",
    ...(isNamed ? { name: context.name(cursor, header.name) } : {}),
    id: reference?.id || anonymousId(context, line),
    parameters: reference?.parameters ?? [],
    modifiers,
    isSubflow,
    isShorthand,
    ...(doc ? { doc: docText(doc) } : {}),
    meta: toRecord(meta),
    body: parseBlock(context, body, { isInLoop: false }),
    span: context.span({ start: line.start, end: endOf(line) }),
    headerSpan,
  };
}

/** The name without its parameters, and their names (spec 12.6). */
function readReference(cursor: LineCursor, name: TextRange): { id: string; parameters: readonly string[] } {
  cursor.at = name.start;
  const id = collapseBlanks(cursor.text(readFlowName(cursor)));
  const open = cursor.at;
  const written = { start: open, end: name.end };
  const isList = cursor.charAt(open) === "(";
  const parts = isList ? splitAtCommas(cursor, { start: open + 1, end: name.end }) : splitAtVariables(cursor, written);
  const names = parts.flatMap((part) => cursor.match(PARAMETER, part.start)?.[1] ?? []);
  return { id, parameters: [...new Set(names)] };
}

function anonymousId(context: ParseContext, line: LayoutLine): string {
  return `anonymous-${context.source.name}-${positionAt(context.source, line.start).line}`;
}

function docText(line: LayoutLine): string {
  const close = line.text.indexOf('"""', 3);
  const rows = line.text.slice(3, close === -1 ? undefined : close).split("\n");
  return rows
    .map((row) => row.trim())
    .join("\n")
    .trim();
}

function toRecord(meta: ReadonlyMap<string, MetaValue>): Record<string, MetaValue> {
  // INVARIANT: no prototype, so that a key such as `__proto__` is a key like any other.
  const record = Object.create(null) as Record<string, MetaValue>;
  for (const [key, value] of meta) record[key] = value;
  return record;
}
