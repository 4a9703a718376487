/** A place that a detector found. */
export interface FoundPlace {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly detector: string;
  readonly rule: string;
}

/** Findings in a part of a stream, known from the stream as a whole. */
export interface KnownFindings {
  /** The part. */
  readonly text: string;
  /** Characters of the stream before it. */
  readonly from: number;
  readonly findings: readonly FoundPlace[];
  /** True for the last part. */
  readonly isLast: boolean;
}

/** Key under which an action's context has them; only rails of the library read it. */
export const KNOWN_FINDINGS: unique symbol = Symbol("guardrails.known-findings");
