import type { DiagnosticCode } from "../diagnostics/codes.js";
import { type Diagnostic, isError } from "../diagnostics/diagnostic.js";
import { ProblemList } from "../diagnostics/problem-list.js";
import { type SourceFile, createSpan, type Span } from "../diagnostics/source-file.js";
import { endOfBlock, type LayoutLine } from "./layout.js";
import type { TextRange } from "./source-rows.js";

/** Number of the last problems that `hasErrorIn` looks at. */
const RECENT = 4;

/** The source that is parsed, and the problems found in it so far. */
export class ParseContext {
  readonly #problems: ProblemList;

  constructor(
    readonly source: SourceFile,
    maxProblems: number,
  ) {
    this.#problems = new ProblemList(maxProblems);
  }

  /** In the order of their places. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#problems.all.toSorted((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
  }

  report(code: DiagnosticCode, message: string, range: TextRange, hint?: string): undefined {
    this.#problems.report(code, message, { span: this.span(range), hint });
  }

  add(diagnostic: Diagnostic): void {
    this.#problems.add(diagnostic);
  }

  /** Returns true if one of the last problems is an error in this range; its consequences need no report of their own. */
  hasErrorIn(range: TextRange): boolean {
    return this.#problems
      .last(RECENT)
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
