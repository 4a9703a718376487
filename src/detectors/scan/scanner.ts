import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector } from "../detector.js";
import { checkRange } from "../option-values.js";
import type { Finding } from "../finding.js";
import { DisguisedView, furtherViews, plainView, writtenView } from "../hygiene/views.js";
import { withoutOverlaps } from "./overlaps.js";
import { hasEncoding } from "./encodings.js";
import { READS_ALL, READS_DECODED, READS_ORIGINAL, READS_PLAIN, READS_WRITTEN, RuleSet } from "./rule-set.js";
import { type Coverage, type ScanWindow, ViewScan } from "./view-scan.js";

/** Options of a scanner. */
export interface ScannerOptions {
  /** Least score of a finding, between 0 and 1; default: 0.5. */
  readonly threshold?: number;
  /** Findings that overlap a better one are kept as well; default: false. */
  readonly overlaps?: boolean;
}

const SCANNER_OPTIONS: OptionTable<ScannerOptions> = { threshold: "number", overlaps: "boolean" };

/** Least score of a finding. */
export const THRESHOLD = 0.5;

/**
 * Runs the rules of many detectors over a text: one automaton finds the triggers of all of them in one pass, then each rule
 * checks the places where its triggers stand.
 *
 * @example
 * ```ts
 * const scanner = new Scanner([personalData(), secrets()]);
 * scanner.scan("mail ada@example.org"); // [{ type: "EMAIL_ADDRESS", start: 5, end: 20, … }]
 * ```
 */
export class Scanner {
  readonly #rules: RuleSet;
  readonly #threshold: number;
  readonly #keepsOverlaps: boolean;

  /** @throws ConfigError for an option that is not known, a threshold outside of 0 to 1, and what is not a detector */
  constructor(detectors: readonly Detector[], options: ScannerOptions = {}) {
    checkOptions("Scanner", options, SCANNER_OPTIONS);
    checkRange({ surface: "Scanner", option: "threshold" }, options.threshold, 0, 1);
    this.#rules = new RuleSet(detectors);
    this.#threshold = options.threshold ?? THRESHOLD;
    this.#keepsOverlaps = options.overlaps ?? false;
  }

  /** Returns the findings of a text, in its order. */
  scan(text: string): readonly Finding[] {
    const { findings } = scanViews(this.#rules, text, this.#threshold);
    if (findings.length === 0) return findings;
    return this.#keepsOverlaps ? findings.sort((a, b) => a.start - b.start) : withoutOverlaps(findings);
  }
}

/** Findings in all views of a text, some of which overlap. */
export interface ViewsScan {
  readonly findings: Finding[];
  /** Offset from which on the text to come may change what is found; `Infinity` for a whole text. */
  readonly open: number;
  /** Matches in the plain view of a window. */
  readonly coverage: readonly Coverage[];
}

/** Runs rules over all views of a text, or of a window of a stream. */
export function scanViews(rules: RuleSet, text: string, threshold: number, window?: ScanWindow): ViewsScan {
  const findings: Finding[] = [];
  let open = Infinity;
  const scan = (view: DisguisedView, reads: number, limits: ScanWindow | undefined): readonly Coverage[] => {
    if ((rules.reads & reads) === 0) return [];
    const pass = new ViewScan(rules, view, { threshold, findings, ...(limits && { window: limits }) }).run(reads);
    open = Math.min(open, pass.open);
    return pass.coverage;
  };
  const original = new DisguisedView(text);
  const plain = plainView(original);
  if (plain !== original) scan(original, READS_ORIGINAL, window);
  const reads = READS_PLAIN | READS_ALL | (plain === original ? READS_ORIGINAL : 0);
  const coverage = scan(plain, reads, window);
  // Matches before the window are of the plain view: what they cover, the others may find.
  const further = window && { ...window, covered: new Map() };
  if ((rules.reads & (READS_ALL | READS_DECODED)) !== 0) {
    furtherViews(plain).forEach((view, at) => {
      scan(view, at === 0 && hasEncoding(view.layers) ? READS_ALL | READS_DECODED : READS_ALL, further);
    });
  }
  const written = (rules.reads & READS_WRITTEN) === 0 ? undefined : writtenView(plain);
  if (written !== undefined) scan(written, READS_WRITTEN, further);
  return { findings, open, coverage };
}
