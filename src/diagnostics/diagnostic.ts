import { DIAGNOSTIC_CODES, type DiagnosticCode, type Severity } from "./codes.js";
import type { Span } from "./span.js";

/** A second place that helps to understand the first, for example the earlier of two definitions. */
export interface DiagnosticLabel {
  readonly span: Span;
  readonly text: string;
}

/** A complaint as data. Texts are lower case, one sentence, without a full stop; the remedy stands in `hint`. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  readonly span?: Span;
  readonly labels?: readonly DiagnosticLabel[];
  readonly hint?: string;
  /** Where there is no source text: a file name or a settings path such as `rails.input.flows[0]`. */
  readonly path?: string;
}

export interface DiagnosticDetails {
  readonly span?: Span | undefined;
  readonly hint?: string | undefined;
  readonly labels?: readonly DiagnosticLabel[] | undefined;
  readonly path?: string | undefined;
}

/**
 * Builds a diagnostic with the severity its code has in the one table.
 *
 * @example
 * ```ts
 * createDiagnostic("CO-204", "unknown subflow `pick bke`", { span, hint: "did you mean `pick bike`?" });
 * ```
 */
export function createDiagnostic(code: DiagnosticCode, message: string, details: DiagnosticDetails = {}): Diagnostic {
  return {
    code,
    severity: DIAGNOSTIC_CODES[code].severity,
    message,
    ...(details.span ? { span: details.span } : {}),
    ...(details.hint ? { hint: details.hint } : {}),
    ...(details.labels?.length ? { labels: details.labels } : {}),
    ...(details.path ? { path: details.path } : {}),
  };
}

export function isError(diagnostic: Diagnostic): boolean {
  return diagnostic.severity === "error";
}
