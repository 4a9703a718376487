import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { SourceFile } from "../../diagnostics/source-file.js";
import {
  type DialectLayout,
  type LaidOutSource,
  layOutSource,
  type ParseOptions,
  reportLayout,
} from "../../syntax/lay-out-source.js";
import type { ColangModule } from "../ast.js";
import { parseTopLevel } from "./parse-module.js";

export interface ParsedColang2 {
  /** Everything that could be read, even if there are errors. */
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
