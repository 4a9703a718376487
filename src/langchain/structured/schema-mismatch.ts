import type { GuardrailsMetadata, RailDecision, Block } from "../../turn/decision.js";
import type { GuardedCall } from "../call.js";
import type { TurnOutcome } from "../review/guarded-turn.js";
import { announceDecisions } from "../verdict.js";

/** A rail's text cannot be put back into the structured value it came from. */
export class SchemaMismatchError extends Error {
  override name = "SchemaMismatchError";
}

/** The block of an answer whose rewritten text has no place: a decision of the rail that rewrote it, and the verdict. */
export function schemaMismatchBlock(verdict: GuardrailsMetadata): {
  readonly decision: RailDecision;
  readonly block: Block;
} {
  const { decisions } = verdict;
  const rail = decisions.findLast(({ stage, status }) => stage === "output" && status === "modified")?.rail;
  const decision: RailDecision = {
    status: "error",
    stage: "output",
    rail: rail ?? "structured output",
    reason: "the text that the output rails left does not fit the structured answer",
    durationMs: 0,
  };
  const blocked = { ...verdict, blocked: true, stage: decision.stage, rail: decision.rail };
  return { decision, block: { refusal: "", verdict: { ...blocked, decisions: [...decisions, decision] } } };
}

/** The outcome, or a block where the rails' text has no place in the answer. */
export async function refuseSchemaMismatch(outcome: TurnOutcome, call: GuardedCall): Promise<TurnOutcome> {
  if (outcome.kind !== "answer" || outcome.text === outcome.answer.text) return outcome;
  try {
    outcome.answer.rewrite(outcome.text);
    return outcome;
  } catch (error) {
    if (!(error instanceof SchemaMismatchError)) throw error;
    const { decision, block } = schemaMismatchBlock(outcome.verdict);
    await announceDecisions([decision], call.announce);
    return { kind: "blocked", block, answer: outcome.answer, texts: outcome.texts };
  }
}
