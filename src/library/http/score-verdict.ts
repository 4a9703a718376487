import type { ServiceVerdict } from "./service-code.js";

/** Types of risks by precedence: name at the service, case of the flow, greatest score that passes. */
export type RiskKinds = readonly (readonly [name: string, group: string, threshold: number])[];

/** Returns the verdict on scores by type: with one threshold for all types, or the first type over its own threshold. */
export function scoreVerdict(scores: ReadonlyMap<string, number>, thresholds: number | RiskKinds): ServiceVerdict {
  if (typeof thresholds === "number") {
    const high = [...scores].filter(([, score]) => score > thresholds).map(([name]) => name);
    return {
      blocked: high.length > 0,
      categories: high,
      score: Math.max(0, ...scores.values()),
      threshold: thresholds,
    };
  }
  for (const [name, group, threshold] of thresholds) {
    const score = scores.get(name) ?? 0;
    if (score > threshold) return { blocked: true, case: group, categories: [name], score, threshold };
  }
  return { blocked: false };
}
