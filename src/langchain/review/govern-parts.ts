import { type Block, type RailDecision, summarizeDecisions, type RailsStage } from "../../turn/decision.js";
import type { GuardedCall } from "../call.js";
import { governUnseen, type UnseenPart } from "../values/unseen.js";
import { announceDecisions } from "../verdict.js";

interface GovernedParts {
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
}

const NO_PARTS: GovernedParts = { decisions: [] };

/** The decision about parts of a value that no rail of the stage can read. */
export function governParts(
  call: GuardedCall,
  stage: RailsStage,
  parts: () => readonly UnseenPart[],
): Promise<GovernedParts> | GovernedParts {
  const decision = call.hasRails(stage) ? governUnseen(parts(), call.unseen, stage) : undefined;
  return decision === undefined ? NO_PARTS : announceParts(decision, call);
}

async function announceParts(decision: RailDecision, call: GuardedCall): Promise<GovernedParts> {
  const decisions = [decision];
  await announceDecisions(decisions, call.announce);
  if (decision.status !== "blocked") return { decisions };
  return { decisions, block: { refusal: "", verdict: { ...summarizeDecisions(decisions), blocked: true } } };
}
