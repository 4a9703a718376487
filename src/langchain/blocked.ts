import { DEFAULT_REFUSAL } from "../engine/default-refusal.js";
import { type Block, hasStatus, type RailDecision } from "../turn/decision.js";
import { LangChainError, ns, stampRetryable } from "@langchain/core/errors";

/** Effect of a block. */
export type OnBlocked = "refuse" | "throw" | ((decision: RailDecision, value: unknown) => unknown);

/**
 * Applies `onBlocked`: returns the refusal in the shape of the value or the caller's own result, or throws.
 *
 * @param value - the blocked value; only the caller's function sees it
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

/** Returns the decision that blocked, with the rail's exception in its metadata. */
function blockingDecision(block: Block): RailDecision {
  const { decisions, rail, stage } = block.verdict;
  const recorded =
    decisions.find((decision) => hasStatus([decision], "blocked")) ??
    decisions.find((decision) => hasStatus([decision], "error"));
  const decision: RailDecision = recorded ?? {
    status: "blocked",
    stage: stage ?? "dialog",
    rail: rail ?? block.exception?.type ?? "guardrails",
    durationMs: 0,
  };
  if (block.exception === undefined || decision.metadata?.["exception"] !== undefined) return decision;
  return { ...decision, metadata: { ...decision.metadata, exception: block.exception } };
}

const MARKER = Symbol.for("langchain-guardrails.error");

const Branded = ns.brand(LangChainError, "guardrails.violation");

/**
 * Thrown by an input step whose rails blocked, and by every surface under `onBlocked: "throw"`. It carries the brands
 * of LangChain and of this package, so `LangChainError.isInstance`, `GuardrailsError.isInstance` and its own
 * `isInstance` return true, even across copies of either package. It is marked as not retryable and never carries the
 * blocked text.
 *
 * @example
 * ```ts
 * try { await guardrails.input().pipe(prompt).pipe(model).invoke({ input: text }); }
 * catch (error) { if (GuardrailViolationError.isInstance(error)) return error.refusal; throw error; }
 * ```
 */
export class GuardrailViolationError extends Branded {
  override name = "GuardrailViolationError";
  readonly code = "RL-105";
  readonly decision: RailDecision;
  readonly decisions: readonly RailDecision[];
  /** Refusal to show to the user. */
  readonly refusal: string;
  readonly [MARKER] = ["GuardrailsError", "GuardrailViolationError"];

  constructor(input: { decision: RailDecision; decisions?: readonly RailDecision[]; refusal: string }) {
    super(`blocked by the ${input.decision.stage} rail \`${input.decision.rail}\``);
    this.decision = input.decision;
    this.decisions = input.decisions ?? [input.decision];
    this.refusal = input.refusal;
    stampRetryable(this, false);
  }

  /** Always undefined: LangChain's batch retries would otherwise keep the blocked input here. */
  get input(): undefined {
    return undefined;
  }

  set input(_input: unknown) {
    // INVARIANT: a violation never carries the blocked text.
  }
}
