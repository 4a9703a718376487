import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { SourceFile } from "../../diagnostics/source-file.js";
import { layOut, type LayoutLine, type LayoutOptions } from "../../syntax/layout.js";
import type { ColangFile, Definition, ImportStatement } from "../ast.js";
import { findColang2 } from "./colang-2-signs.js";
import { ParseContext } from "./parse-context.js";
import { parseTopLevel } from "./parse-definition.js";
import { reportLayout } from "./report-layout.js";

export interface ParseColang1Options {
  /** In UTF-16 units; larger sources are refused (CO-121). Default 4 MiB. */
  readonly maxSourceSize?: number;
  /** Blocks inside blocks (CO-121). Default 100. */
  readonly maxNesting?: number;
  /** Errors after this many are left out, and warnings likewise. Default 500. */
  readonly maxProblems?: number;
}

export interface ParsedColang1 {
  /** Whatever could be read, even if there are errors. */
  readonly file: ColangFile;
  readonly diagnostics: readonly Diagnostic[];
}

const MEBIBYTE = 1024 * 1024;
const TRAILING_WORDS: ReadonlySet<string> = new Set(["or", "and"]);

const LAYOUT: Omit<LayoutOptions, "maxDepth"> = {
  trailingWords: TRAILING_WORDS,
  definition: /def(?:ine)?[^\S\n]/y,
  statement:
    /(?:user|bot|event|create|new|infer|execute|exec|run|do|set|while|when|any|break|continue|pass|return|done|stop|abort|label|checkpoint|goto|go|check|define|def)(?=[^\S\n]+[^\s=]|[^\S\n]*(?:\n|$))/y,
  freeText: /(?:(?:else\s+)?when\s+)?(?:user|bot)\s|def(?:ine)?\s|(?:label|goto|checkpoint)\s/y,
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
export function parseColang1(source: SourceFile, options: ParseColang1Options = {}): ParsedColang1 {
  const { maxSourceSize = 4 * MEBIBYTE, maxNesting = 100, maxProblems = 500 } = options;
  const context = new ParseContext(source, maxProblems);
  const imports: ImportStatement[] = [];
  const definitions: Definition[] = [];
  if (source.text.length > maxSourceSize) {
    const message = `source is larger than ${maxSourceSize} characters`;
    context.report("CO-121", message, { start: 0, end: 0 }, "split it into several files");
  } else {
    const lines = layOut(source, { ...LAYOUT, maxDepth: maxNesting });
    for (const node of parseLines(context, lines, maxNesting)) {
      if (node.kind === "Import") imports.push(node);
      else definitions.push(node);
    }
  }
  const span = context.span({ start: 0, end: source.text.length });
  return { file: { kind: "File", imports, definitions, span }, diagnostics: context.diagnostics };
}

function parseLines(
  context: ParseContext,
  lines: readonly LayoutLine[],
  maxNesting: number,
): (Definition | ImportStatement)[] {
  const sign = findColang2(lines);
  if (sign) {
    const hint = 'set `colang_version: "2.x"` for this configuration, or write `define flow`';
    context.report("CO-101", "this is Colang 2.x, but the configuration says 1.0", sign, hint);
    return [];
  }
  reportLayout(context, lines, maxNesting);
  return lines.flatMap((line) => parseTopLevel(context, line) ?? []);
}
