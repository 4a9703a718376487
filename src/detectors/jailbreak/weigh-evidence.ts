import type { Evidence } from "./evidence.js";
import { BIAS, MANY, MANY_SHARE, WEIGHTS } from "./weights.js";

/** Evidence within one stretch of a text, and the certainty that it gives together. */
export interface Verdict {
  readonly score: number;
  readonly evidence: readonly Evidence[];
}

/**
 * Returns the stretch of at most `reach` characters whose evidence is the strongest, in time linear in the evidence.
 */
export function weighEvidence(evidence: readonly Evidence[], reach: number): Verdict {
  const counts = new Map<string, number>();
  let odds = BIAS;
  let best = { odds, first: 0, end: 0 };
  const count = (kind: string, by: 1 | -1): void => {
    const before = counts.get(kind) ?? 0;
    counts.set(kind, before + by);
    odds += weightOf(kind, before + by) - weightOf(kind, before);
  };
  let first = 0;
  evidence.forEach(({ kind, end }, index) => {
    count(kind, 1);
    for (let left = evidence[first]; left !== undefined && end - left.start > reach && first < index;) {
      count(left.kind, -1);
      left = evidence[++first];
    }
    if (odds > best.odds + 1e-9) best = { odds, first, end: index + 1 };
  });
  return { score: certaintyOf(best.odds), evidence: evidence.slice(best.first, best.end) };
}

function weightOf(kind: string, count: number): number {
  const weight = WEIGHTS[kind] ?? 0;
  return count === 0 ? 0 : count < MANY ? weight : weight * (1 + MANY_SHARE);
}

/** Certainty of log odds, to two digits. */
function certaintyOf(odds: number): number {
  return Math.round(100 / (1 + Math.exp(-odds))) / 100;
}
