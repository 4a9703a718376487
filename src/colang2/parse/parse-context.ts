import type { DiagnosticCode } from "../../diagnostics/codes.js";
import { createDiagnostic, isError, type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { SourceFile } from "../../diagnostics/source-file.js";
import { createSpan, type Span } from "../../diagnostics/span.js";
import type { TextRange } from "../../syntax/source-rows.js";

const MAX_QUOTED_LENGTH = 60;

/** What all parse functions share: the source, and the list of problems found in it so far. */
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

  report(code: DiagnosticCode, message: string, range: TextRange, hint?: string): void {
    this.add(createDiagnostic(code, message, { span: this.span(range), hint }));
  }

  // INVARIANT: errors are counted apart, so that no number of warnings can make a source look sound.
  add(diagnostic: Diagnostic): void {
    const kind = isError(diagnostic) ? "error" : diagnostic.severity;
    if (this.#counts[kind] >= this.#maxProblems) return;
    this.#counts[kind] += 1;
    this.#found.push(diagnostic);
  }

  span(range: TextRange): Span {
    return createSpan(this.source, range.start, range.end);
  }
}

/** A piece of the user's text for a message: one line, printable, not too long. */
export function quoteText(text: string): string {
  const flat = text
    .slice(0, MAX_QUOTED_LENGTH * 8)
    .trim()
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\uFFFD");
  const characters = [...flat];
  return `\`${characters.length > MAX_QUOTED_LENGTH ? `${characters.slice(0, MAX_QUOTED_LENGTH).join("")}…` : flat}\``;
}
