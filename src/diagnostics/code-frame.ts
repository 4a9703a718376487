import type { Diagnostic } from "./diagnostic.js";
import { lineText, positionAt, type Span } from "./source-file.js";

const MAX_LINE = 160;
/** Number of characters shown before the position in a long line. */
const LEAD = 40;

/**
 * Formats a diagnostic for people: code, message, location, the line with the text underlined, and the hint.
 *
 * @example
 * ```ts
 * formatDiagnostic(diagnostic);
 * // error[CO-204]: unknown subflow `pick bke`
 * //   ┌ main.co:3:6
 * // 3 │   do pick bke
 * //   │      ^^^^^^^^
 * //   hint: did you mean `pick bike`?
 * ```
 */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const lines = [`${diagnostic.severity}[${diagnostic.code}]: ${diagnostic.message}`];
  if (diagnostic.span) lines.push(...codeFrame(diagnostic.span, "^"));
  else if (diagnostic.path) lines.push(`  at ${diagnostic.path}`);
  for (const label of diagnostic.labels ?? []) lines.push(...codeFrame(label.span, "-", label.text));
  if (diagnostic.hint) lines.push(`  hint: ${diagnostic.hint}`);
  return lines.join("\n");
}

export function formatDiagnostics(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map(formatDiagnostic).join("\n");
}

function codeFrame(span: Span, mark: string, text = ""): string[] {
  const { line, column } = positionAt(span.source, span.start);
  const number = String(line);
  const gutter = " ".repeat(number.length);
  const full = lineText(span.source, line);
  const first = column > MAX_LINE ? beforePair(full, column - LEAD) : 0;
  const shown = full.slice(first, beforePair(full, first + MAX_LINE));
  const from = Math.min(column - 1 - first, shown.length);
  const width = Math.max(1, Math.min(span.end - span.start, shown.length - from));
  const lead = shown.slice(0, from).replace(/[^\t]/g, " ");
  return [
    `${gutter} ┌ ${span.source.name}:${line}:${column}`,
    `${number} │ ${shown}`,
    `${gutter} │ ${lead}${mark.repeat(width)}${text ? ` ${text}` : ""}`,
  ];
}

/** Moves an offset out of the middle of a surrogate pair. */
function beforePair(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
