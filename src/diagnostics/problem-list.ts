import { DIAGNOSTIC_CODES, type DiagnosticCode, type Severity } from "./codes.js";
import { createDiagnostic, type Diagnostic, type DiagnosticDetails } from "./diagnostic.js";

interface ProblemDetails extends Omit<DiagnosticDetails, "hint"> {
  readonly hint?: string | (() => string | undefined) | undefined;
}

/** Most errors of one file that are reported, and likewise most warnings. */
export const MAX_PROBLEMS = 500;

/**
 * The problems of one file, at most `maximum` of each severity; the last one says how many follow.
 *
 * INVARIANT: errors are counted apart, so that no number of warnings can make a source look sound.
 */
export class ProblemList {
  readonly #found: Diagnostic[] = [];
  readonly #counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };

  constructor(readonly maximum: number = MAX_PROBLEMS) {}

  /** In the order of the reports. */
  get all(): readonly Diagnostic[] {
    return this.#found.map((one) => {
      const more = this.#counts[one.severity] - this.maximum;
      if (more <= 0 || this.#found.findLast(({ severity }) => severity === one.severity) !== one) return one;
      const { code, message, severity, ...details } = one;
      return createDiagnostic(code, `${message}, and ${more} more ${severity}${more === 1 ? "" : "s"} follow`, details);
    });
  }

  last(count: number): readonly Diagnostic[] {
    return this.#found.slice(-count);
  }

  /** A function as hint is called only for a problem that is reported. */
  report(code: DiagnosticCode, message: string, { hint, ...details }: ProblemDetails): void {
    if (!this.#hasRoom(DIAGNOSTIC_CODES[code].severity)) return;
    const text = typeof hint === "function" ? hint() : hint;
    this.#found.push(createDiagnostic(code, message, { ...details, hint: text }));
  }

  add(diagnostic: Diagnostic): void {
    if (this.#hasRoom(diagnostic.severity)) this.#found.push(diagnostic);
  }

  #hasRoom(severity: Severity): boolean {
    return (this.#counts[severity] += 1) <= this.maximum;
  }
}
