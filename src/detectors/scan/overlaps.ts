import type { Finding } from "../finding.js";

/**
 * Returns the findings in the order of the text, without those that overlap a better one: the one with the higher score, then
 * the one that was not disguised, the longer one, and the first.
 */
export function withoutOverlaps(findings: readonly Finding[]): Finding[] {
  const ranked = [...findings].sort(
    (a, b) => b.score - a.score || layersOf(a) - layersOf(b) || lengthOf(b) - lengthOf(a) || a.start - b.start,
  );
  const kept: Finding[] = [];
  for (const finding of ranked) {
    const at = firstAfter(kept, finding.start);
    const isFree = (kept[at - 1]?.end ?? 0) <= finding.start && (kept[at]?.start ?? Infinity) >= finding.end;
    if (isFree) kept.splice(at, 0, finding);
  }
  return kept;
}

/** Index of the first finding that starts after an offset, in findings that do not overlap. */
function firstAfter(findings: readonly Finding[], offset: number): number {
  let low = 0;
  let high = findings.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((findings[middle]?.start ?? Infinity) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

function lengthOf({ start, end }: Finding): number {
  return end - start;
}

function layersOf({ layers }: Finding): number {
  return layers?.length ?? 0;
}
