import type { FlowExplanation, TraceEvent } from "../../engine/explain.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { explainFlow } from "../../colang2/engine/explain/explain-flow.js";
import type { RailDecision } from "../../turn/decision.js";
import type { Colang2Run, Colang2Services } from "./run.js";
import { unknownFlow } from "../rail-facts.js";

/** Sources of an explanation. */
export interface Colang2Evidence {
  readonly trace: readonly TraceEvent[];
  readonly decisions: readonly RailDecision[];
}

/**
 * Why a flow acted, or did not, and what it waits for. Listed rails run in states of their own, so of them it is shown what
 * they decided.
 *
 * @throws DiagnosticError `CO-204` when no flow has that name
 */
export function explainColang2Flow(
  services: Colang2Services,
  { engine }: Pick<Colang2Run, "engine">,
  { trace, decisions }: Colang2Evidence,
  flow: string,
): FlowExplanation {
  if (!engine.state.definitions.has(flow)) throw unknownFlow(services.program.flows, flow);
  const explained = explainFlow(trace, flow, engine.state);
  const judged = decisions.filter(({ rail }) => parseFlowReference(rail).id === flow).map(sentenceOf);
  if (judged.length === 0) return explained;
  const isAlone = explained.outcome === "unseen";
  return { flow, outcome: "decided", reasons: [...(isAlone ? [] : explained.reasons), ...judged] };
}

function sentenceOf({ stage, status, reason }: RailDecision): string {
  const why = reason === undefined || status === "passed" ? "" : ` (${reason})`;
  return `it ran as a rail of the stage \`${stage}\`: ${status}${why}`;
}
