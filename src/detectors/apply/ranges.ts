import type { Finding } from "../finding.js";
import { withoutOverlaps } from "../scan/overlaps.js";

/** Range of findings that overlap, and the best of them. */
export interface FindingRange {
  readonly start: number;
  readonly end: number;
  readonly best: Finding;
}

/**
 * Joins findings that overlap to ranges, in the order of the text.
 *
 * INVARIANT: each character of each finding is in a range: a finding that a better one covers in part leaves nothing behind.
 */
export function joinOverlaps(findings: readonly Finding[]): readonly FindingRange[] {
  const sorted = findings.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  const ranges: FindingRange[] = [];
  let members: Finding[] = [];
  let end = 0;
  const close = (): void => {
    const [best] = withoutOverlaps(members).sort((a, b) => b.score - a.score);
    if (best !== undefined) ranges.push({ start: members[0]?.start ?? 0, end, best });
  };
  for (const finding of sorted) {
    if (finding.start >= end) {
      close();
      members = [];
    }
    members.push(finding);
    end = members.length === 1 ? finding.end : Math.max(end, finding.end);
  }
  close();
  return ranges;
}
