import type { DiagnosticCode } from "../../diagnostics/codes.js";
import { createDiagnostic, isError, type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { SourceFile } from "../../diagnostics/source-file.js";
import { createSpan, type Span } from "../../diagnostics/span.js";
import type { Argument, Expression } from "../../expressions/ast.js";
import { parseArguments, parseExpression } from "../../expressions/parse/parse.js";
import type { TextRange } from "../../syntax/source-rows.js";
import type { Name, TextLiteral } from "../ast.js";
import { COLANG_1_DIALECT } from "../expression-dialect.js";
import { collapseBlanks, type LineCursor } from "./line-cursor.js";

const MAX_QUOTED_LENGTH = 60;
const RECENT = 4;

/** What all parse functions share: the source, and the list of problems found in it so far. */
export class ParseContext {
  private readonly found: Diagnostic[] = [];
  private readonly counts = { error: 0, warning: 0, info: 0 };

  constructor(
    readonly source: SourceFile,
    private readonly maxProblems: number,
  ) {}

  /** In the order of their places. */
  get diagnostics(): readonly Diagnostic[] {
    return this.found.toSorted((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
  }

  report(code: DiagnosticCode, message: string, range: TextRange, hint?: string): void {
    this.add(createDiagnostic(code, message, { span: this.span(range), hint }));
  }

  /** Whether one of the last things reported is an error in this range; then a consequence of it need not be told. */
  hasErrorIn(range: TextRange): boolean {
    return this.found
      .slice(-RECENT)
      .some((one) => isError(one) && one.span && one.span.start >= range.start && one.span.end <= range.end);
  }

  span(range: TextRange): Span {
    return createSpan(this.source, range.start, range.end);
  }

  /** A name in a line, from the line's own text: comments between joined rows are no part of it. */
  name(cursor: LineCursor, range: TextRange): Name {
    const trimmed = cursor.trim(range);
    return { text: collapseBlanks(cursor.text(trimmed)), span: this.span(trimmed) };
  }

  literal(value: string, range: TextRange): TextLiteral {
    return { value, span: this.span(range) };
  }

  expression(range: TextRange): Expression | undefined {
    const parsed = parseExpression(this.source, range.start, range.end, COLANG_1_DIALECT);
    for (const diagnostic of parsed.diagnostics) this.add(diagnostic);
    return parsed.expression;
  }

  arguments(range: TextRange): readonly Argument[] {
    const parsed = parseArguments(this.source, range.start, range.end, COLANG_1_DIALECT);
    for (const diagnostic of parsed.diagnostics) this.add(diagnostic);
    return parsed.arguments;
  }

  // INVARIANT: errors are counted apart, so that no number of warnings can make a source look sound.
  private add(diagnostic: Diagnostic): void {
    const kind = isError(diagnostic) ? "error" : diagnostic.severity;
    if (this.counts[kind] >= this.maxProblems) return;
    this.counts[kind] += 1;
    this.found.push(diagnostic);
  }
}

/** A piece of the user's text for a message: one line, printable, not too long. */
export function quoteText(text: string): string {
  const flat = collapseBlanks(text.slice(0, MAX_QUOTED_LENGTH * 8)).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\uFFFD");
  const characters = [...flat];
  return `\`${characters.length > MAX_QUOTED_LENGTH ? `${characters.slice(0, MAX_QUOTED_LENGTH).join("")}…` : flat}\``;
}
