import { positionAt } from "../../diagnostics/source-file.js";
import { type LayoutLine, endOfBlock } from "../../syntax/layout.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { FlowDefinition, Name } from "../ast.js";
import { collapseBlanks, LineParser } from "./line-parser.js";
import { hasStatements, parseBlock, reportNoBody } from "./parse-block.js";
import { readFlowName, splitAtVariables } from "./parse-call.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import { isMetaLine, parseMeta, type MetaValue } from "./parse-meta.js";

const PARAMETER = /\$?([A-Za-z_]\w*)/y;

export interface FlowHeader {
  readonly line: LayoutLine;
  /** Follows `flow` or `subflow`, or precedes the colon of a shorthand flow; empty for an unnamed flow. */
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
  const parser = new LineParser(context, line);
  const headerSpan = context.span(parser.range);
  const isNamed = header.name.start < header.name.end;
  const reference = isNamed ? readReference(parser, header.name) : undefined;
  if (reference?.id === "") {
    const hint = "write `define flow <name> $parameter`";
    context.report("CO-110", "expected a name before the parameters", header.name, hint);
  }
  const meta = new Map<string, MetaValue>();
  const body: LayoutLine[] = [];
  for (const child of line.children) {
    if (isMetaLine(child)) parseMeta(context, child, meta);
    else body.push(child);
  }
  if (!hasStatements(body)) reportNoBody(context, parser.text, parser.range);
  const doc = line.children.find((child) => child.kind === "docstring");
  return {
    kind: "FlowDefinition",
    ...(isNamed ? { name: parser.name(header.name) } : {}),
    id: reference?.id || anonymousId(context, line),
    parameters: reference?.parameters ?? [],
    modifiers,
    isSubflow,
    isShorthand,
    ...(doc ? { doc: docText(doc) } : {}),
    meta: toRecord(meta),
    body: parseBlock(context, body, { isInLoop: false }),
    span: context.span({ start: line.start, end: endOfBlock(line) }),
    headerSpan,
  };
}

/** Reads the name without its parameters, and the names of those. */
function readReference(parser: LineParser, name: TextRange): { id: string; parameters: readonly string[] } {
  parser.at = name.start;
  const id = collapseBlanks(parser.textOf(readFlowName(parser)));
  const open = parser.at;
  const written = { start: open, end: name.end };
  const isList = parser.charAt(open) === "(";
  const parts = isList ? parser.splitAtCommas({ start: open + 1, end: name.end }) : splitAtVariables(parser, written);
  const names = parts.flatMap((part) => parser.match(PARAMETER, part.start)?.[1] ?? []);
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
