import type { SourceLocation } from "../diagnostics/source-file.js";

/** Reason why an instance of a flow could offer a step. */
export type OfferReason = "matched" | "started" | "resumed" | "pending";

/** One step that a flow wanted to take, and whether it won. */
export interface TraceOffer {
  readonly flow: string;
  readonly instance: string;
  readonly reason: OfferReason;
  readonly priority: number;
  /** Colang 2.x: how well each event of the chain matched that led here. */
  readonly scores?: readonly number[];
  /** Colang 2.x: the flows for which this one acts, the nearest first. */
  readonly callers?: readonly string[];
  /** Colang 2.x: where each of them asks for the next one. */
  readonly callerPlaces?: readonly (SourceLocation | undefined)[];
  readonly location?: SourceLocation;
  readonly step: string;
}

/**
 * A decision of an engine. One stream feeds explain, tracing, logs and tests.
 * `decided` answers why a flow spoke, `not-started` and `aborted` why one did not.
 */
export type TraceEvent =
  | { readonly type: "started"; readonly flow: string; readonly instance: string; readonly by: string }
  | { readonly type: "moved"; readonly flow: string; readonly instance: string; readonly location?: SourceLocation }
  | { readonly type: "finished"; readonly flow: string; readonly instance: string }
  | { readonly type: "aborted"; readonly flow: string; readonly instance: string; readonly why: string }
  | { readonly type: "interrupted"; readonly flow: string; readonly instance: string; readonly by?: string }
  | { readonly type: "resumed"; readonly flow: string; readonly instance: string }
  | { readonly type: "not-started"; readonly flow: string; readonly why: string; readonly code?: string }
  | { readonly type: "decided"; readonly winner: TraceOffer; readonly others: readonly TraceOffer[] }
  | {
      readonly type: "failed";
      readonly flow: string;
      readonly instance: string;
      readonly code: string;
      readonly message: string;
      readonly location?: SourceLocation;
    }
  | { readonly type: "logged"; readonly flow: string; readonly instance: string; readonly text: string }
  | { readonly type: "warning"; readonly code: string; readonly message: string; readonly flow?: string };
