import { type Diagnostic, quoteText } from "../../diagnostics/diagnostic.js";
import type { SourceFile } from "../../diagnostics/source-file.js";
import {
  type DialectLayout,
  type LaidOutSource,
  layOutSource,
  type ParseOptions,
  reportLayout,
} from "../../syntax/lay-out-source.js";
import type { ColangModule, Decorator, FlowDefinition, ImportStatement } from "../ast.js";
import type { LayoutLine } from "../../syntax/layout.js";
import { LineParser } from "./line-parser.js";
import { parseBlock } from "./parse-block.js";
import type { ParseContext } from "../../syntax/parse-context.js";
import { parseDecorator, parseFlow } from "./parse-flow.js";
import { hintForWord } from "./reserved-words.js";

export interface ParsedColang2 {
  /** Everything that could be parsed, even if there are errors. */
  readonly ast: ColangModule;
  readonly diagnostics: readonly Diagnostic[];
}

const HIDDEN_FROM_PROMPTS = /^# meta: exclude from llm/m;
const COLANG_1 = /^def(?:ine)?\s+(?:flow|subflow|user|bot|extension|parallel|action)\b/;

const LAYOUT: DialectLayout = {
  trailingWords: new Set(),
  definition: /(?:(?:flow|import)(?![\p{L}\p{N}_])|@[\p{L}_])/uy,
  statement:
    /(?:send|match|start|stop|await|activate|deactivate|return|abort|break|continue|pass|log|print|priority|global|while|when|import)(?=[^\S\n]+[^\s=,.)\]}]|[^\S\n]*(?:\n|$))/y,
  freeText: /(?!)/y,
  leading: /(?:and|or)(?![\p{L}\p{N}_])(?!\s+when(?![\p{L}\p{N}_]))/uy,
  plainRows: true,
  codes: { indentation: "C2-301", dedent: "C2-105", limit: "C2-112" },
  depthHint: "move the inner blocks into flows",
};

/**
 * Parses a Colang 2.x module. Never throws: all problems of the module are in the diagnostics.
 *
 * @example
 * ```ts
 * const { ast, diagnostics } = parseColang2(createSourceFile("main.co", "flow main\n  match Hello()"));
 * ast.flows[0].id; // "main"
 * ```
 */
export function parseColang2(source: SourceFile, options: ParseOptions = {}): ParsedColang2 {
  const laidOut = layOutSource(source, options, LAYOUT);
  const { context } = laidOut;
  const found = parseLines(laidOut);
  const isHiddenFromPrompts = HIDDEN_FROM_PROMPTS.test(source.text);
  const span = context.span({ start: 0, end: source.text.length });
  return { ast: { kind: "Module", ...found, isHiddenFromPrompts, span }, diagnostics: context.diagnostics };
}

function parseLines(laidOut: LaidOutSource): Pick<ColangModule, "imports" | "flows"> {
  const { context, lines } = laidOut;
  const sign = lines.find((line) => COLANG_1.test(line.text));
  if (sign) {
    const hint = 'set `colang_version: "1.0"` for this configuration, or write `flow <name>`';
    context.report("C2-101", "this is Colang 1.0, but the configuration says 2.x", sign, hint);
    return { imports: [], flows: [] };
  }
  reportLayout(laidOut, LAYOUT, (line) => line.children);
  return parseTopLevel(context, lines);
}

const WORD = /^[\p{L}_][\p{L}\p{M}\p{N}\p{Pc}]*/u;

/** module = { docstring | import | flow | NL } */
function parseTopLevel(
  context: ParseContext,
  lines: readonly LayoutLine[],
): { readonly imports: readonly ImportStatement[]; readonly flows: readonly FlowDefinition[] } {
  const imports: ImportStatement[] = [];
  const flows: FlowDefinition[] = [];
  let decorators: Decorator[] = [];
  let nameless = 0;
  for (const line of lines) {
    if (line.text.startsWith("@")) {
      const decorator = parseDecorator(context, line);
      if (decorator) decorators.push(decorator);
      reportChildren(context, line);
      continue;
    }
    const word = WORD.exec(line.text)?.[0] ?? "";
    if (word === "flow") {
      const anonymousId = (): string => `_anonymous_${moduleWord(context)}_${(nameless += 1)}`;
      const flow = parseFlow(context, line, decorators, anonymousId);
      if (flow) flows.push(flow);
    } else {
      reportDangling(context, decorators);
      if (isDocstring(context, line)) {
        reportChildren(context, line);
        decorators = [];
        continue;
      }
      const found = word === "import" ? parseImport(context, line) : reportTopLevel(context, line);
      if (found) imports.push(found);
      if (word === "import") reportChildren(context, line);
    }
    decorators = [];
  }
  reportDangling(context, decorators);
  return { imports, flows };
}

/** A standalone text that describes the module. */
function isDocstring(context: ParseContext, line: LayoutLine): boolean {
  const { cursor } = new LineParser(context, line);
  const { kind } = cursor.next();
  return (kind === "string" || kind === "long-string") && cursor.isAtEnd();
}

/** The name of the module as one word, for ids of nameless flows. */
function moduleWord(context: ParseContext): string {
  return context.source.name.replace(/\.co$/, "").replace(/[^\p{L}\p{N}]+/gu, "_");
}

const TOP_LEVEL_WORDS: ReadonlySet<string> = new Set(["flow", "import"]);

function reportTopLevel(context: ParseContext, line: LayoutLine): undefined {
  const word = new LineParser(context, line).cursor.peek();
  const hint =
    (word.kind === "word" ? hintForWord(word.text, TOP_LEVEL_WORDS) : undefined) ??
    "only `import`, `flow` and decorators stand at the beginning of a line; indent what belongs to a flow";
  context.report("C2-110", `${quoteText(line.text)} outside a flow`, line, hint);
  parseBlock(context, line.children, { isInLoop: true });
}

function reportChildren(context: ParseContext, { children: [first] }: LayoutLine): void {
  if (!first) return;
  const hint = "give it the indentation of the line above";
  context.report("C2-105", `unexpected indentation of ${quoteText(first.text)}`, first, hint);
}

function reportDangling(context: ParseContext, decorators: readonly Decorator[]): void {
  for (const { span } of decorators) {
    context.report("C2-121", "a decorator without a flow", span, "the flow stands on the next line");
  }
}

const HINT = 'write `import name.of.module` or `import "path/of/module"`';

/** import = "import" ( NAME { "." NAME } | STRING ) NL */
function parseImport(context: ParseContext, line: LayoutLine): ImportStatement | undefined {
  const parser = new LineParser(context, line);
  return parser.attempt(() => {
    const { cursor } = parser;
    cursor.next();
    const first = cursor.peek();
    const isQuoted = first.kind === "string";
    if (!isQuoted && first.kind !== "word") parser.failHere("C2-103", "after `import`", HINT);
    let path = String(first.value ?? first.text);
    cursor.next();
    if (isQuoted && cursor.is(".")) parser.failHere("C2-103", "after the name of the module", HINT);
    while (cursor.eat(".")) {
      const part = cursor.peek();
      if (part.kind !== "word") parser.failHere("C2-103", "after `.`", HINT);
      path += `/${cursor.next().text}`;
    }
    if (!cursor.isAtEnd()) parser.failHere("C2-103", "after the name of the module", HINT);
    if (path.trim() === "") parser.fail("C2-103", "empty name of a module", first, HINT);
    return { kind: "Import", path, isQuoted, pathSpan: parser.span(first.start), span: context.span(line) };
  });
}
