import { BIAS, MANY, MANY_SHARE, RESTATED_SHARE, RESTATEMENTS, WEIGHTS } from "./weights.js";

/** Piece of text that indicates a jailbreak. */
export interface Evidence {
  /** Family and kind, for example `instruction-override.full`. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Evidence within one stretch of a text, and the certainty that it adds up to. */
export interface Verdict {
  readonly score: number;
  readonly evidence: readonly Evidence[];
}

/** The kinds that restate one another, by each of them. */
const GROUPS: ReadonlyMap<string, readonly string[]> = new Map(
  RESTATEMENTS.flatMap((kinds) => kinds.map((kind) => [kind, kinds])),
);

/**
 * Returns the stretch of at most `reach` characters whose evidence is the strongest, in time linear in the evidence.
 */
export function weighEvidence(evidence: readonly Evidence[], reach: number): Verdict {
  const counts = new Map<string, number>();
  let odds = BIAS;
  let best = { odds, first: 0, end: 0 };
  const count = (kind: string, by: 1 | -1): void => {
    const before = weightWith(kind, counts);
    counts.set(kind, (counts.get(kind) ?? 0) + by);
    odds += weightWith(kind, counts) - before;
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

/** Weight of a kind together with the kinds that it restates. */
function weightWith(kind: string, counts: ReadonlyMap<string, number>): number {
  const group = GROUPS.get(kind);
  if (group === undefined) return weightOf(kind, counts.get(kind) ?? 0);
  let heaviest = 0;
  let sum = 0;
  for (const member of group) {
    const weight = weightOf(member, counts.get(member) ?? 0);
    sum += weight;
    if (weight > heaviest) heaviest = weight;
  }
  return heaviest + RESTATED_SHARE * (sum - heaviest);
}

function weightOf(kind: string, count: number): number {
  const weight = WEIGHTS[kind] ?? 0;
  return count === 0 ? 0 : count < MANY ? weight : weight * (1 + MANY_SHARE);
}

/** Certainty of log odds, to two digits. */
function certaintyOf(odds: number): number {
  return Math.round(100 / (1 + Math.exp(-odds))) / 100;
}
