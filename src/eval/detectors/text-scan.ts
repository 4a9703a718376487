import type { Detector } from "../../detectors/detector.js";
import type { Finding } from "../../detectors/finding.js";
import { Scanner } from "../../detectors/scan/scanner.js";

/** Findings in some texts, and the time it took. */
export interface TextScan {
  /** Findings of each text. */
  readonly findings: readonly (readonly Finding[])[];
  /** Microseconds per 1,000 characters; undefined without texts. */
  readonly cost: number | undefined;
}

const THOUSAND = 1000;
/** Characters below which texts are read several times. */
const FEW = 300_000;
const PASSES = 5;
/** Threshold that all findings reach. */
const LOWEST = 0.01;

/** Scans texts with one detector and measures the time. */
export class TextScanner {
  readonly detector: Detector;
  readonly #scanner: Scanner;
  readonly #all: Scanner;
  readonly #now: () => number;

  /** @param now - a clock in milliseconds */
  constructor(detector: Detector, now: () => number) {
    this.detector = detector;
    this.#scanner = new Scanner([detector]);
    this.#all = new Scanner([detector], { threshold: LOWEST, overlaps: true });
    this.#now = now;
  }

  /** Returns the findings of texts at the default threshold. */
  scan(texts: readonly string[]): TextScan {
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    // The first texts pay for tables and for the compiler, so that few texts are read several times.
    const passes = characters < FEW ? PASSES : 1;
    let findings: readonly (readonly Finding[])[] = [];
    let fastest = Infinity;
    for (let pass = 0; pass < passes; pass += 1) {
      const startedAt = this.#now();
      findings = texts.map((text) => this.#scanner.scan(text));
      fastest = Math.min(fastest, this.#now() - startedAt);
    }
    return { findings, cost: characters === 0 ? undefined : (fastest * THOUSAND * THOUSAND) / characters };
  }

  /** Returns the best score of the findings of each text for which `counts` is true, whatever the threshold; 0 without any. */
  scores(
    texts: readonly string[],
    counts: (finding: Finding, index: number) => boolean = () => true,
  ): readonly number[] {
    return texts.map((text, index) =>
      this.#all.scan(text).reduce((best, found) => (counts(found, index) ? Math.max(best, found.score) : best), 0),
    );
  }
}

/** True for a finding that overlaps a range. */
export function overlaps(finding: Finding, range: { readonly start: number; readonly end: number }): boolean {
  return finding.start < range.end && range.start < finding.end;
}
