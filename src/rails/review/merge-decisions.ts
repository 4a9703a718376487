import { omitUndefined } from "../../engine/plain-data.js";
import { type RailDecision, addUsage } from "../../turn/decision.js";

/**
 * Leaves one decision for each output rail, however many parts it saw, with the time and the cost of all.
 *
 * @param from - number of decisions before the answer
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
  const usage = addUsage(earlier.usage, later.usage);
  return { ...worse, durationMs: earlier.durationMs + later.durationMs, ...omitUndefined({ usage }) };
}
