import { DIAGNOSTIC_CODES, type DiagnosticCode, type Severity } from "./codes.js";
import type { Span } from "./source-file.js";
import { deferPattern } from "./defer-pattern.js";

/** A related location, for example the earlier of two definitions. */
interface DiagnosticLabel {
  readonly span: Span;
  readonly text: string;
}

/** A problem as data. Texts are one lower-case sentence without a full stop; `hint` says what to do. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  readonly span?: Span;
  readonly labels?: readonly DiagnosticLabel[];
  readonly hint?: string;
  /** Location without a source text: a file name or a settings path such as `rails.input.flows[0]`. */
  readonly path?: string;
}

export interface DiagnosticDetails {
  readonly span?: Span | undefined;
  readonly hint?: string | undefined;
  /** Labels without a span are left out. */
  readonly labels?: readonly { readonly span: Span | undefined; readonly text: string }[] | undefined;
  readonly path?: string | undefined;
}

/** Maximum length of a user's text quoted in a message or hint. */
const MAX_QUOTED_LENGTH = 100;
/** Matches every quote, even short ones, so that text between two quotes is not taken for one. */
const QUOTE = /`([^`]*)`/g;

/**
 * Builds a diagnostic with its code's severity. Quoted names are truncated to 100 characters; the span shows them
 * whole.
 *
 * @example
 * ```ts
 * createDiagnostic("CO-204", "unknown subflow `pick bke`", { span, hint: "did you mean `pick bike`?" });
 * ```
 */
export function createDiagnostic(code: DiagnosticCode, message: string, details: DiagnosticDetails = {}): Diagnostic {
  const labels = details.labels?.filter((label): label is DiagnosticLabel => label.span !== undefined) ?? [];
  return {
    code,
    severity: DIAGNOSTIC_CODES[code].severity,
    message: shortenQuotes(message),
    ...(details.span ? { span: details.span } : {}),
    ...(details.hint ? { hint: shortenQuotes(details.hint) } : {}),
    ...(labels.length > 0 ? { labels } : {}),
    ...(details.path ? { path: details.path } : {}),
  };
}

/** Builds a diagnostic and adds it to a list. */
export function report(problems: Diagnostic[], ...problem: Parameters<typeof createDiagnostic>): void {
  problems.push(createDiagnostic(...problem));
}

function shortenQuotes(text: string): string {
  return text.replace(QUOTE, (quote, quoted: string) => {
    if (quoted.length <= MAX_QUOTED_LENGTH) return quote;
    // Never splits a surrogate pair.
    const kept = quoted.slice(0, MAX_QUOTED_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, "");
    return `\`${kept}…\``;
  });
}

const MAX_SHOWN_LENGTH = 60;
const unprintable = deferPattern(String.raw`[\p{Cc}\p{Cf}\p{Cs}]`, "gu");

/** Quotes a piece of the user's text for a message: on one line, printable, and at most 60 characters long. */
export function quoteText(text: string): string {
  const flat = text
    .slice(0, MAX_SHOWN_LENGTH * 8)
    .trim()
    .replace(/\s+/g, " ")
    .replace(unprintable(), "\uFFFD");
  const characters = [...flat];
  return `\`${characters.length > MAX_SHOWN_LENGTH ? `${characters.slice(0, MAX_SHOWN_LENGTH).join("")}…` : flat}\``;
}

export function isError(diagnostic: Diagnostic): boolean {
  return diagnostic.severity === "error";
}
