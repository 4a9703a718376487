import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { APPLY_OPTIONS, type ApplyOptions, readTreatments, treatFindings } from "../apply/apply.js";
import type { Detector, DetectorRule } from "../detector.js";
import type { Finding } from "../finding.js";
import { isCleanCut, openDisguise } from "../hygiene/open-disguise.js";
import { checkRange } from "../option-values.js";
import { withoutOverlaps } from "../scan/overlaps.js";
import { RuleSet } from "../scan/rule-set.js";
import { type ScannerOptions, scanViews, THRESHOLD } from "../scan/scanner.js";

/** Options of a detector stream. */
export interface DetectorStreamOptions extends ScannerOptions, ApplyOptions {}

const OPTIONS: OptionTable<DetectorStreamOptions> = { ...APPLY_OPTIONS, threshold: "number", overlaps: "boolean" };

/** Part of a stream that was decided. */
export interface StreamPart {
  /** Text to go on with, its findings treated. */
  readonly text: string;
  /** Findings in it, with offsets in the whole text of the stream. */
  readonly findings: readonly Finding[];
}

/** Characters before the undecided text that rules may read. */
const LOOKBEHIND = 512;
/** Kept text from which on it is cut at any blank. */
const MOST_KEPT = 65_536;
/** Text within a word that is scanned only when so much is new, as a part of the undecided text. */
const LEAST_NEW = 0.5;
/** Part of a long kept text that is new when it is scanned again. */
const LEAST_NEW_OF_KEPT = 1 / 16;
/** Kept text that is scanned after each blank. */
const SHORT = 2048;
const NOTHING: StreamPart = { text: "", findings: [] };

/**
 * Scans a text that comes in chunks and treats its findings. It releases text as soon as no finding in it can appear or change:
 * the findings and the treated text are those of the whole text, however it is cut.
 *
 * Held back are
 * - the last word, and an encoded piece or spaced-out text that may go on, for as long as it does;
 * - the last 96 characters where they have look-alikes of Latin letters, invisible characters or marks;
 * - for each rule, from where a finding may begin whose trigger stands in the last `reach` characters, or is yet to come: see
 *   `within`, `before` and `reach` of a rule;
 * - 30 characters after a match that context words can raise;
 * - everything, for rules that read a text as a whole.
 *
 * Text in shifted alphabets or backwards and split words are looked for in the held-back text and 512 characters before it.
 *
 * @example
 * ```ts
 * const stream = new DetectorStream([personalData()]);
 * stream.push("mail ada@exam").text + stream.push("ple.org now").text + stream.finish().text; // "mail <EMAIL_ADDRESS> now"
 * ```
 */
export class DetectorStream {
  readonly #rules: RuleSet;
  readonly #options: DetectorStreamOptions;
  readonly #blocks: (type: string) => boolean;
  /** Text from `#base` on; what stands before `#released` was released. */
  #text = "";
  #base = 0;
  #released = 0;
  #scanned = 0;
  /** Ends of the last matches before `#base`, by rule, in the whole text. */
  #covered: ReadonlyMap<DetectorRule, number> = new Map();
  #isBlocked = false;

  /** @throws ConfigError if an option or a treatment is not known, or the threshold is outside of 0 to 1 */
  constructor(detectors: readonly Detector[], options: DetectorStreamOptions = {}) {
    checkOptions("DetectorStream", options, OPTIONS);
    checkRange({ surface: "DetectorStream", option: "threshold" }, options.threshold, 0, 1);
    const treatmentOf = readTreatments(options);
    this.#rules = new RuleSet(detectors);
    this.#options = options;
    this.#blocks = (type) => treatmentOf(type) === "block";
  }

  /** True after a finding that blocks: nothing more is released. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Adds a chunk; returns what is decided. */
  push(chunk: string): StreamPart {
    if (this.#isBlocked || chunk === "") return NOTHING;
    this.#text += chunk;
    const end = this.#base + this.#text.length;
    // INVARIANT: kept text of any length is scanned a bounded number of times per character.
    const kept = this.#text.length;
    const least = Math.max(
      /\s/.test(chunk) ? 0 : (end - this.#released) * LEAST_NEW,
      kept <= SHORT ? 0 : kept * LEAST_NEW_OF_KEPT,
    );
    return end - this.#scanned >= least ? this.#scan(false) : NOTHING;
  }

  /** Ends the text; returns the rest of it. */
  finish(): StreamPart {
    return this.#isBlocked ? NOTHING : this.#scan(true);
  }

  #scan(isLast: boolean): StreamPart {
    const base = this.#base;
    const text = this.#text;
    const covered = new Map([...this.#covered].map(([rule, end]) => [rule, end - base]));
    const threshold = this.#options.threshold ?? THRESHOLD;
    const { findings, open, coverage } = scanViews(this.#rules, text, threshold, { isLast, covered });
    this.#scanned = base + text.length;
    const from = this.#released - base;
    const limit = isLast ? text.length : Math.max(from, this.#limit(open));
    const undecided = findings.filter(({ start }) => start >= from).sort((a, b) => a.start - b.start);
    const end = endOfClusters(undecided, limit);
    const decided = undecided.filter(({ start }) => start < end);
    const part = this.#release(text, from, end, decided);
    this.#released = base + end;
    this.#trim(end, coverage);
    return part;
  }

  /** Offset before which nothing may change. */
  #limit(open: number): number {
    const limit = Math.min(open, openDisguise(this.#text));
    if (this.#options.pseudonyms === undefined) return limit;
    // A possible pseudonym is read as a whole.
    const sign = this.#text.lastIndexOf("<", limit - 1);
    return sign >= 0 && /^<[A-Z0-9_]{0,50}$/.test(this.#text.slice(sign, limit)) ? sign : limit;
  }

  #release(text: string, from: number, end: number, findings: readonly Finding[]): StreamPart {
    const shifted = findings.map((finding) => ({ ...finding, start: finding.start - from, end: finding.end - from }));
    const kept = this.#options.overlaps === true ? findings : withoutOverlaps(findings);
    const placed = kept.map((placedFinding) => ({
      ...placedFinding,
      start: placedFinding.start + this.#base,
      end: placedFinding.end + this.#base,
    }));
    if (kept.some(({ type }) => this.#blocks(type))) {
      this.#isBlocked = true;
      this.#text = "";
      return { text: "", findings: placed };
    }
    return { text: treatFindings(text.slice(from, end), shifted, this.#options), findings: placed };
  }

  /** Drops text that no rule reads any more. */
  #trim(decided: number, coverage: readonly { rule: DetectorRule; trigger: number; end: number }[]): void {
    let cut = decided - LOOKBEHIND;
    const mayCutAnywhere = this.#text.length > MOST_KEPT;
    const least = Math.max(0, cut - LOOKBEHIND);
    while (cut > least && !(mayCutAnywhere ? /\s/.test(this.#text.charAt(cut - 1)) : isCleanCut(this.#text, cut)))
      cut--;
    if (cut <= least) return;
    const covered = new Map(this.#covered);
    for (const { rule, trigger, end } of coverage) if (trigger < cut) covered.set(rule, end + this.#base);
    this.#base += cut;
    this.#text = this.#text.slice(cut);
    this.#covered = new Map([...covered].filter(([, end]) => end > this.#base));
  }
}

/** Offset before which all findings that overlap one another end before a limit. */
function endOfClusters(findings: readonly Finding[], limit: number): number {
  let start = 0;
  let end = 0;
  for (const finding of findings) {
    if (finding.start >= end) {
      if (end > limit || finding.start >= limit) break;
      start = finding.start;
    }
    end = Math.max(end, finding.end);
  }
  return end > limit ? start : limit;
}
