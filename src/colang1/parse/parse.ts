import { addAll } from "../../diagnostics/add-all.js";
import { type Diagnostic, quoteText } from "../../diagnostics/diagnostic.js";
import type { SourceFile } from "../../diagnostics/source-file.js";
import type { LayoutLine } from "../../syntax/layout.js";
import {
  type DialectLayout,
  type LaidOutSource,
  layOutSource,
  type ParseOptions,
  reportLayout,
} from "../../syntax/lay-out-source.js";
import type { ColangFile, Definition, ImportStatement } from "../ast.js";
import { parseTopLevel } from "./parse-definition.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import { ANY_BRANCH, splitAnyBlock } from "./parse-branch.js";

interface ParsedColang1 {
  /** Everything that could be parsed, even if there are errors. */
  readonly file: ColangFile;
  readonly diagnostics: readonly Diagnostic[];
}

const LAYOUT: DialectLayout = {
  trailingWords: new Set(["or", "and"]),
  definition: /def(?:ine)?[^\S\n]/y,
  statement:
    /(?:user|bot|event|create|new|infer|execute|exec|run|do|set|while|when|any|break|continue|pass|return|done|stop|abort|label|checkpoint|goto|go|check|define|def)(?=[^\S\n]+[^\s=]|[^\S\n]*(?:\n|$))/y,
  freeText: /(?:(?:else\s+)?when\s+)?(?:user|bot)\s|def(?:ine)?\s|(?:label|goto|checkpoint)\s/y,
  codes: { indentation: "CO-103", dedent: "CO-105", limit: "CO-121" },
  depthHint: "move the inner blocks into subflows",
};

/**
 * Parses a Colang 1.0 source. Never throws: all problems of the file are in the diagnostics.
 *
 * file = { import | userDef | botDef | flowDef | actionDef | shorthand }
 *
 * @example
 * ```ts
 * const { file, diagnostics } = parseColang1(createSourceFile("main.co", "define bot hi\n  \"Hi.\""));
 * file.definitions[0]; // { kind: "BotDefinition", name: { text: "hi", … }, variants: [{ value: "Hi.", … }], … }
 * ```
 */
export function parseColang1(source: SourceFile, options: ParseOptions = {}): ParsedColang1 {
  const laidOut = layOutSource(source, options, LAYOUT);
  const { context } = laidOut;
  const imports: ImportStatement[] = [];
  const definitions: Definition[] = [];
  for (const node of parseLines(laidOut)) {
    if (node.kind === "Import") imports.push(node);
    else definitions.push(node);
  }
  const span = context.span({ start: 0, end: source.text.length });
  return { file: { kind: "File", imports, definitions, span }, diagnostics: context.diagnostics };
}

function parseLines(laidOut: LaidOutSource): readonly (Definition | ImportStatement)[] {
  const { context, lines } = laidOut;
  const sign = findColang2(lines);
  if (sign) {
    const hint = 'set `colang_version: "2.x"` for this configuration, or write `define flow`';
    context.report("CO-101", "this is Colang 2.x, but the configuration says 1.0", sign, hint);
    return [];
  }
  reportLayout(laidOut, LAYOUT, (line) => reportStrings(context, line));
  return lines.flatMap((line) => parseTopLevel(context, line) ?? []);
}

const DEFINE = /^def(?:ine)?\s/;
const FLOW_HEADER = /^(?:flow\s+\S|@(?:active|loop|meta|override)\b)/;
const STATEMENT = /^(?:match|send|start|await|activate)\s+\S/;

/** Finds the first line that identifies a source as Colang 2.x; undefined if any line is a Colang 1.0 definition. */
function findColang2(lines: readonly LayoutLine[]): LayoutLine | undefined {
  if (lines.some((line) => DEFINE.test(line.text))) return undefined;
  const waiting = [...lines].reverse();
  const outermost = new Set(lines);
  for (let line = waiting.pop(); line; line = waiting.pop()) {
    const isSign = STATEMENT.test(line.text) || (outermost.has(line) && FLOW_HEADER.test(line.text));
    if (line.kind === "code" && isSign) return line;
    addAll(waiting, line.children.toReversed());
  }
  return undefined;
}

const NO_LINES: readonly LayoutLine[] = [];
const ACTION = /^def(?:ine)?\s+action\s/;

/** Reports unclosed strings of a line and text after a docstring. Returns the deeper lines to check. */
function reportStrings(context: ParseContext, line: LayoutLine): readonly LayoutLine[] {
  if (line.openString !== undefined) reportOpenString(context, line, line.openString);
  else if (line.kind === "docstring") reportAfterDocstring(context, line);
  if (line.children.length === 0 || ACTION.test(line.text)) return NO_LINES;
  const [dedented] = ANY_BRANCH.test(line.text) ? splitAnyBlock(line).body : [];
  if (!dedented) return line.children;
  return line.children.map((child) => (child === dedented ? { ...child, strayDedent: false } : child));
}

function reportOpenString(context: ParseContext, line: LayoutLine, start: number): void {
  if (line.kind === "docstring") {
    context.report("CO-108", "docstring is never closed", { start, end: start + 3 }, 'close it with `"""`');
    return;
  }
  const message = `string ${quoteText(line.text)} is never closed`;
  context.report("CO-108", message, { start, end: line.end }, 'close it with `"`');
}

function reportAfterDocstring(context: ParseContext, line: LayoutLine): void {
  const close = line.text.indexOf('"""', 3) + 3;
  const rest = line.text.slice(close);
  if (rest.trim() === "") return;
  const place = { start: line.end - rest.trimStart().length, end: line.end };
  context.report("CO-110", `unexpected ${quoteText(rest)} after the docstring`, place, "write it on the next line");
}
