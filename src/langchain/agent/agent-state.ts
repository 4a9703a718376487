import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod/v4";
import type { GuardrailsMetadata, RailDecision } from "../../turn/decision.js";
import { summarizeDecisions } from "../../turn/decision.js";
import { cloneMessage } from "../clone-message.js";
import { isObject, roleOf } from "../values/message-kinds.js";
import { type UserInput } from "../values/user-input.js";
import { ownVerdictOf } from "../values/own-verdict.js";
import { verdictOf } from "../verdict.js";

/** The channel that only this middleware reads and writes; the agent's callers do not see it. */
export const STATE_KEY = "_guardrails";

export const agentStateSchema = z.object({ [STATE_KEY]: z.custom<GuardrailsState>().optional() });

/** What the middleware knows of a turn, in a form that every checkpointer can keep. */
export interface GuardrailsState {
  /** Ids of the messages of this turn that the input rails let pass. */
  readonly passed: readonly string[];
  readonly verdict: GuardrailsMetadata;
}

export function stateOf(state: object): GuardrailsState | undefined {
  const found = (state as Readonly<Record<string, unknown>>)[STATE_KEY];
  return isObject(found) && Array.isArray(found["passed"]) ? (found as unknown as GuardrailsState) : undefined;
}

export function passedState(input: UserInput, decisions: readonly RailDecision[], blocked = false): GuardrailsState {
  const passed = blocked ? [] : input.pending.flatMap((index) => input.messages[index]?.id ?? []);
  return { passed, verdict: { ...summarizeDecisions(decisions, blocked), blocked } };
}

/** Messages of this turn that were reviewed: what the user said when the turn began, and results with a verdict on them. */
export function isReviewed(message: BaseMessage, state: GuardrailsState | undefined): boolean {
  if (roleOf(message) === "tool") return ownVerdictOf(message) !== undefined;
  return message.id !== undefined && state?.passed.includes(message.id) === true;
}

const HIDDEN = "(this message is hidden)";

/**
 * A blocked message without what it said. INVARIANT: it stays in its place, so that the conversation can still be told,
 * but no later turn shows it to a model.
 */
export function hideMessage<M extends BaseMessage>(message: M): M {
  const hidden = cloneMessage(message, { content: HIDDEN, additional_kwargs: {}, response_metadata: {} });
  return "artifact" in hidden ? Object.assign(hidden, { artifact: undefined }) : hidden;
}

/** All that was decided in the turn: at its beginning, and on every message since. */
export function turnVerdict(messages: readonly BaseMessage[], state: GuardrailsState): GuardrailsMetadata {
  const start = messages.findLastIndex((message) => message.id !== undefined && state.passed.includes(message.id));
  const later = messages.slice(start + 1).flatMap((message) => verdictOf(message)?.decisions ?? []);
  const { blocked } = verdictOf(messages.at(-1) as BaseMessage) ?? { blocked: false };
  const decisions = [...state.verdict.decisions, ...later];
  return { ...summarizeDecisions(decisions, false), blocked };
}
