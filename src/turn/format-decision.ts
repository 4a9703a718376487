import type { RailDecision } from "./decision.js";

/** Optional parts of a formatted decision. */
export interface FormatDecisionOptions {
  /** Show the duration of the rail. Default: true. */
  readonly time?: boolean;
  /** Show why a rail did not pass. Default: true. */
  readonly reason?: boolean;
}

/**
 * Formats a decision as one line for developers. Reasons are not for end users.
 *
 * @example
 * ```ts
 * for (const decision of verdictOf(message)?.decisions ?? []) console.log(formatDecision(decision));
 * // input rail "check card numbers": blocked in 0.3 ms
 * ```
 */
export function formatDecision(decision: RailDecision, options: FormatDecisionOptions = {}): string {
  const { stage, rail, status, durationMs, reason, shadow } = decision;
  const { time = true, reason: withReason = true } = options;
  const inShadow = shadow === undefined ? "" : " in shadow";
  const took = time ? ` in ${durationMs.toFixed(1)} ms` : "";
  const why = !withReason || status === "passed" || reason === undefined ? "" : ` (${reason.replace(/\s+/g, " ")})`;
  return `${stage} rail "${rail}"${inShadow}: ${status}${took}${why}`;
}
