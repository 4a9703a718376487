import { MAX_PROBLEMS } from "../diagnostics/problem-list.js";
import type { DiagnosticCode } from "../diagnostics/codes.js";
import type { SourceFile } from "../diagnostics/source-file.js";
import { layOut, type LayoutLine } from "./layout.js";
import { type LayoutOptions } from "./logical-line.js";
import { ParseContext } from "./parse-context.js";

/** Limits of a parser. */
export interface ParseOptions {
  /** Longest source, in UTF-16 units; a longer one is refused. Default: 4 MiB. */
  readonly maxSourceSize?: number;
  /** Deepest nesting of blocks. Default: 100. */
  readonly maxNesting?: number;
  /** Most errors that are reported, and likewise most warnings. Default: 500. */
  readonly maxProblems?: number;
}

/** The layout of a dialect, and the codes of what can be wrong with it. */
export interface DialectLayout extends Omit<LayoutOptions, "maxDepth"> {
  readonly codes: Readonly<Record<"indentation" | "dedent" | "limit", DiagnosticCode>>;
  /** The hint for blocks that are nested too deeply. */
  readonly depthHint: string;
}

const MEBIBYTE = 1024 * 1024;

/** A source as lines, with the context to report problems in. */
export interface LaidOutSource {
  readonly context: ParseContext;
  /** Empty for a source over the limit, which is reported. */
  readonly lines: readonly LayoutLine[];
  readonly maxNesting: number;
}

/** Finds the logical lines of a source within the limits of a parser. */
export function layOutSource(source: SourceFile, options: ParseOptions, dialect: DialectLayout): LaidOutSource {
  const { maxSourceSize = 4 * MEBIBYTE, maxNesting = 100, maxProblems = MAX_PROBLEMS } = options;
  const context = new ParseContext(source, maxProblems);
  if (source.text.length <= maxSourceSize) {
    return { context, lines: layOut(source, { ...dialect, maxDepth: maxNesting }), maxNesting };
  }
  const message = `source is larger than ${maxSourceSize} characters`;
  context.report(dialect.codes.limit, message, { start: 0, end: 0 }, "split it into several files");
  return { context, lines: [], maxNesting };
}

/**
 * Reports the odd layout that lines recorded, each place once.
 *
 * @param childrenOf - the deeper lines of a line that are to be checked, too
 */
export function reportLayout(
  { context, lines, maxNesting }: LaidOutSource,
  { codes, depthHint }: DialectLayout,
  childrenOf: (line: LayoutLine) => readonly LayoutLine[],
): void {
  const waiting = [...lines].reverse();
  let isTooDeepReported = false;
  for (let line = waiting.pop(); line; line = waiting.pop()) {
    if (line.oddBlank) {
      const hint = "indent with spaces, two for each level";
      context.report(
        codes.indentation,
        `${nameOfBlank(context, line.oddBlank.start)} in indentation`,
        line.oddBlank,
        hint,
      );
    }
    if (line.strayDedent) {
      const hint = "give it the indentation of the block it belongs to";
      context.report(codes.dedent, "indentation fits no block above", line, hint);
    }
    if (line.tooDeep && !isTooDeepReported) {
      isTooDeepReported = true;
      context.report(codes.limit, `blocks are nested more than ${maxNesting} deep`, line, depthHint);
    }
    const children = childrenOf(line);
    for (let at = children.length - 1; at >= 0; at -= 1) waiting.push(children[at] as LayoutLine);
  }
}

function nameOfBlank({ source }: ParseContext, at: number): string {
  const code = source.text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
  return source.text[at] === "\t" ? "tab" : `character U+${code}`;
}
