import { DEFAULT_REFUSAL } from "../engine/default-refusal.js";
import type { Block, RailDecision } from "../turn/decision.js";
import { GuardrailViolationError } from "./violation-error.js";

/** Effect of a block. */
export type OnBlocked = "refuse" | "throw" | ((decision: RailDecision, value: unknown) => unknown);

/**
 * Applies `onBlocked`: the refusal in the value's own shape, an error, or what the caller's function makes of it.
 *
 * @param value - what was blocked; only the caller's own function sees it
 */
export async function applyBlock(
  block: Block,
  value: unknown,
  onBlocked: OnBlocked,
  refuse: (refusal: string) => unknown,
): Promise<unknown> {
  const decision = blockingDecision(block);
  if (typeof onBlocked === "function") return onBlocked(decision, value);
  if (onBlocked === "throw") throw violation(block, decision);
  return refuse(refusalOf(block));
}

export function violation(block: Block, decision: RailDecision = blockingDecision(block)): GuardrailViolationError {
  return new GuardrailViolationError({ decision, decisions: block.verdict.decisions, refusal: refusalOf(block) });
}

export function refusalOf(block: Block): string {
  if (block.refusal !== "") return block.refusal;
  const message: unknown = block.exception?.["message"];
  return typeof message === "string" && message !== "" ? message : DEFAULT_REFUSAL;
}

/** The decision that blocked. Its metadata has the exception of the rail. */
function blockingDecision(block: Block): RailDecision {
  const { decisions, rail, stage } = block.verdict;
  const found =
    decisions.find((decision) => decision.status === "blocked") ??
    decisions.find((decision) => decision.status === "error");
  const decision: RailDecision = found ?? {
    status: "blocked",
    stage: stage ?? "dialog",
    rail: rail ?? block.exception?.type ?? "guardrails",
    durationMs: 0,
  };
  if (block.exception === undefined || decision.metadata?.["exception"] !== undefined) return decision;
  return { ...decision, metadata: { ...decision.metadata, exception: block.exception } };
}
