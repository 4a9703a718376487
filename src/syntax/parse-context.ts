import type { DiagnosticCode } from "../diagnostics/codes.js";
import { createDiagnostic, type Diagnostic, isError } from "../diagnostics/diagnostic.js";
import { type SourceFile, createSpan, type Span } from "../diagnostics/source-file.js";
import { endOfBlock, type LayoutLine } from "./layout.js";
import type { TextRange } from "./source-rows.js";

/** Number of the last problems that `hasErrorIn` looks at. */
const RECENT = 4;

/** The source that is parsed, and the problems found in it so far. */
export class ParseContext {
  readonly #found: Diagnostic[] = [];
  readonly #counts = { error: 0, warning: 0, info: 0 };
  readonly #maxProblems: number;

  constructor(
    readonly source: SourceFile,
    maxProblems: number,
  ) {
    this.#maxProblems = maxProblems;
  }

  /** In the order of their places. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#found.toSorted((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
  }

  report(code: DiagnosticCode, message: string, range: TextRange, hint?: string): undefined {
    this.add(createDiagnostic(code, message, { span: this.span(range), hint }));
  }

  // INVARIANT: errors are counted apart, so that no number of warnings can make a source look sound.
  add(diagnostic: Diagnostic): void {
    const { severity } = diagnostic;
    if (this.#counts[severity] >= this.#maxProblems) return;
    this.#counts[severity] += 1;
    this.#found.push(diagnostic);
  }

  /** Returns true if one of the last problems is an error in this range; its consequences need no report of their own. */
  hasErrorIn(range: TextRange): boolean {
    return this.#found
      .slice(-RECENT)
      .some(
        (problem) =>
          isError(problem) && problem.span && problem.span.start >= range.start && problem.span.end <= range.end,
      );
  }

  span(range: TextRange): Span {
    return createSpan(this.source, range.start, range.end);
  }

  /** The place of a line and of the lines below it, or below a later line of the same construct. */
  spanOfBlock(first: LayoutLine, last = first): Span {
    return createSpan(this.source, first.start, endOfBlock(last));
  }
}
