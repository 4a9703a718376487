import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { SourceFile } from "../../diagnostics/source-file.js";
import { layOut, type LayoutLine, type LayoutOptions } from "../../syntax/layout.js";
import type { ColangModule } from "../ast.js";
import { ParseContext } from "./parse-context.js";
import { findColang1, parseTopLevel } from "./parse-module.js";
import { reportLayout } from "./report-layout.js";

export interface ParseColang2Options {
  /** In UTF-16 units; larger sources are refused (C2-112). Default 4 MiB. */
  readonly maxSourceSize?: number;
  /** Blocks inside blocks (C2-112). Default 100. */
  readonly maxNesting?: number;
  /** Errors after this many are left out, and warnings likewise. Default 500. */
  readonly maxProblems?: number;
}

export interface ParsedColang2 {
  /** Whatever could be read, even if there are errors. */
  readonly ast: ColangModule;
  readonly diagnostics: readonly Diagnostic[];
}

const MEBIBYTE = 1024 * 1024;
const HIDDEN_FROM_PROMPTS = /^# meta: exclude from llm/m;

const LAYOUT: Omit<LayoutOptions, "maxDepth"> = {
  trailingWords: new Set(),
  definition: /(?:(?:flow|import)(?![\p{L}\p{N}_])|@[\p{L}_])/uy,
  statement:
    /(?:send|match|start|stop|await|activate|deactivate|return|abort|break|continue|pass|log|print|priority|global|while|when|import)(?=[^\S\n]+[^\s=,.)\]}]|[^\S\n]*(?:\n|$))/y,
  freeText: /(?!)/y,
  leading: /(?:and|or)(?![\p{L}\p{N}_])(?!\s+when(?![\p{L}\p{N}_]))/uy,
  plainRows: true,
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
export function parseColang2(source: SourceFile, options: ParseColang2Options = {}): ParsedColang2 {
  const { maxSourceSize = 4 * MEBIBYTE, maxNesting = 100, maxProblems = 500 } = options;
  const context = new ParseContext(source, maxProblems);
  const span = context.span({ start: 0, end: source.text.length });
  const isTooLarge = source.text.length > maxSourceSize;
  if (isTooLarge) {
    const message = `source is larger than ${maxSourceSize} characters`;
    context.report("C2-112", message, { start: 0, end: 0 }, "split it into several files");
  }
  const lines = isTooLarge ? [] : layOut(source, { ...LAYOUT, maxDepth: maxNesting });
  const found = parseLines(context, lines, maxNesting);
  const isHiddenFromPrompts = HIDDEN_FROM_PROMPTS.test(source.text);
  return { ast: { kind: "Module", ...found, isHiddenFromPrompts, span }, diagnostics: context.diagnostics };
}

function parseLines(
  context: ParseContext,
  lines: readonly LayoutLine[],
  maxNesting: number,
): Pick<ColangModule, "imports" | "flows"> {
  const sign = findColang1(lines);
  if (sign) {
    const hint = 'set `colang_version: "1.0"` for this configuration, or write `flow <name>`';
    context.report("C2-101", "this is Colang 1.0, but the configuration says 2.x", sign, hint);
    return { imports: [], flows: [] };
  }
  reportLayout(context, lines, maxNesting);
  return parseTopLevel(context, lines);
}
