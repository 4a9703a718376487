import { InputShapeError } from "../../diagnostics/errors.js";
import type { Detector } from "../detector.js";
import type { Finding } from "../finding.js";
import { DetectorStream, type StreamPart } from "./detector-stream.js";

/**
 * Characters between a cut and the next finding on either side. Text next to a finding may become one itself once that is
 * masked, such as a telephone number next to the digits of a card.
 */
const CUT_MARGIN = 512;

/**
 * Places at which a text that comes in chunks can be cut into parts. The findings of a part are those of the whole text:
 * INVARIANT: no finding is cut or stands near a cut, and no text that is still to come changes the findings before it.
 *
 * @example
 * ```ts
 * const cuts = new FindingCuts([personalData()], 0.5);
 * cuts.push("many words ".repeat(100));
 * cuts.mayCut(220); // true
 * cuts.mayCut(1000); // false: a finding may follow
 * ```
 */
export class FindingCuts {
  readonly #stream: DetectorStream;
  #findings: Finding[] = [];
  /** Greatest end of the findings up to each. */
  #ends: number[] = [];
  #decided = 0;
  #isFinished = false;

  constructor(detectors: readonly Detector[], threshold: number) {
    this.#stream = new DetectorStream(detectors, { threshold, overlaps: true, otherwise: "report" });
  }

  /** Offset up to which it is known where the text can be cut. */
  get knownTo(): number {
    return this.#isFinished ? this.#decided : this.#decided - CUT_MARGIN;
  }

  push(text: string): void {
    this.#take(this.#stream.push(text));
  }

  /** True once the text has ended. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Ends the text: all of it is decided. */
  finish(): void {
    this.#take(this.#stream.finish());
    this.#isFinished = true;
  }

  /** Returns true if the text can be cut before this character. */
  mayCut(offset: number): boolean {
    if (offset === 0) return true;
    if (this.#isFinished) return offset === this.#decided;
    const [from, to] = [offset - CUT_MARGIN, offset + CUT_MARGIN];
    if (to > this.#decided) return false;
    // Cuts are looked for at the end of the text, so the last findings decide.
    for (let at = this.#findings.length - 1; at >= 0 && (this.#ends[at] ?? 0) > from; at -= 1) {
      const finding = this.#findings[at];
      if (finding !== undefined && finding.start < to && finding.end > from) return false;
    }
    return true;
  }

  /**
   * Returns the findings between two cuts, with offsets behind the first. The parts are read in their order.
   *
   * @throws InputShapeError for a part that ends where a finding may be
   */
  findingsIn(from: number, to: number): readonly Finding[] {
    if (from !== to && !this.mayCut(to)) throw new InputShapeError("the text is cut where a finding may be");
    const inside = this.#findings.filter(({ start, end }) => start >= from && end <= to);
    const rest = this.#findings.filter(({ end }) => end > to - CUT_MARGIN);
    this.#findings = [];
    this.#ends = [];
    this.#add(rest);
    return inside.map((finding) => ({ ...finding, start: finding.start - from, end: finding.end - from }));
  }

  #take({ text, findings }: StreamPart): void {
    this.#decided += text.length;
    this.#add(findings);
  }

  #add(findings: readonly Finding[]): void {
    for (const finding of findings) {
      this.#findings.push(finding);
      this.#ends.push(Math.max(this.#ends.at(-1) ?? 0, finding.end));
    }
  }
}
