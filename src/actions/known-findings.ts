/** Position of a detector's finding. */
export interface FoundPlace {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly detector: string;
  readonly rule: string;
}

/** Findings in a part of a stream, known from the whole stream. */
export interface KnownFindings {
  /** The part. */
  readonly text: string;
  /** Number of characters of the stream before it. */
  readonly from: number;
  readonly findings: readonly FoundPlace[];
  /** True for the last part. */
  readonly isLast: boolean;
}

/** Key of the findings in an action's context; only library rails read it. */
export const KNOWN_FINDINGS: unique symbol = Symbol("guardrails.known-findings");
