import { omitUndefined } from "../../engine/plain-data.js";
import { type RailDecision, addUsage } from "../../turn/decision.js";

/**
 * Merges the decisions of each output rail on the parts of a response, and adds up their time and cost.
 *
 * @param from - number of decisions before the response
 */
export function mergeDecisions(decisions: RailDecision[], from: number): void {
  for (const decision of decisions.splice(from)) {
    const { stage, rail, about, shadow } = decision;
    const index = decisions.findIndex(
      (known, at) =>
        at >= from && known.stage === stage && known.rail === rail && known.about === about && known.shadow === shadow,
    );
    const earlier = decisions[index];
    if (earlier === undefined || decision.stage !== "output") decisions.push(decision);
    else decisions[index] = mergeTwo(earlier, decision);
  }
}

const SEVERITY = { passed: 0, modified: 1, error: 2, blocked: 3 } as const;

function mergeTwo(earlier: RailDecision, later: RailDecision): RailDecision {
  const worse = SEVERITY[later.status] >= SEVERITY[earlier.status] ? later : earlier;
  const own = earlier.status === later.status ? joinFindings(earlier, later) : worse;
  const usage = addUsage(earlier.usage, later.usage);
  return { ...own, durationMs: earlier.durationMs + later.durationMs, ...omitUndefined({ usage }) };
}

const MOST_LISTED = 50;

/** Returns the later decision, with the findings of both if both rewrote text. */
function joinFindings(earlier: RailDecision, later: RailDecision): RailDecision {
  const [before, after] = [earlier.metadata?.["findings"], later.metadata?.["findings"]];
  if (later.status !== "modified" || !Array.isArray(before) || !Array.isArray(after)) return later;
  const categories = [...new Set([...(earlier.categories ?? []), ...(later.categories ?? [])])];
  return {
    ...later,
    reason: `found ${categories.join(", ")}`,
    categories,
    score: Math.max(earlier.score ?? 0, later.score ?? 0),
    metadata: { ...later.metadata, findings: [...before, ...after].slice(0, MOST_LISTED) },
  };
}
