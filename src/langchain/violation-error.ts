import { LangChainError, ns, stampRetryable } from "@langchain/core/errors";
import type { RailDecision } from "../turn/decision.js";

const MARKER = Symbol.for("langchain-guardrails.error");

const Branded = ns.brand(LangChainError, "guardrails.violation");

/**
 * Thrown by an input step whose rails blocked (and everywhere under `onBlocked: "throw"`). It carries LangChain's brand and
 * ours, so `LangChainError.isInstance`, `GuardrailsError.isInstance` and its own `isInstance` all say yes, across copies of
 * either package. It is marked as not to be retried. It never carries the blocked text.
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
  /** Text for the user. */
  readonly refusal: string;
  readonly [MARKER] = ["GuardrailsError", "GuardrailViolationError"];

  constructor(input: { decision: RailDecision; decisions?: readonly RailDecision[]; refusal: string }) {
    super(`blocked by the ${input.decision.stage} rail \`${input.decision.rail}\``);
    this.decision = input.decision;
    this.decisions = input.decisions ?? [input.decision];
    this.refusal = input.refusal;
    stampRetryable(this, false);
  }

  /** Always undefined: a retried batch of LangChain would keep the blocked input here. */
  get input(): undefined {
    return undefined;
  }

  set input(_input: unknown) {
    // INVARIANT: a violation never carries the blocked text.
  }
}
