import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod/v4";
import { type GuardrailsMetadata, summarizeDecisions } from "../../turn/decision.js";
import { cloneMessage } from "../models/clone-message.js";
import { isObject, roleOf } from "../values/message-kinds.js";
import { messageFingerprint } from "../tools/tool-calls.js";
import { registeredVerdict } from "../values/registered-verdict.js";
import { verdictOf } from "../verdict.js";

/** The channel that only this middleware reads and writes; the agent's callers do not see it. */
const STATE_KEY = "_guardrails";

export const agentStateSchema = z.object({ [STATE_KEY]: z.custom<GuardrailsState>().optional() });

/** Progress of a turn, in a form that every checkpointer can store. */
export interface GuardrailsState {
  /** Fingerprints of the messages of this turn that the input rails let pass. */
  readonly passed: readonly string[];
  readonly verdict: GuardrailsMetadata;
  /** Context variables that the input rails have set, for the rails of later hooks. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

export function stateOf(state: object): GuardrailsState | undefined {
  const found = (state as Readonly<Record<string, unknown>>)[STATE_KEY];
  return isObject(found) && Array.isArray(found["passed"]) ? (found as unknown as GuardrailsState) : undefined;
}

/**
 * The state after the input rails.
 *
 * @param messages - the pending messages as the rails left them
 */
export function passedState(
  messages: readonly BaseMessage[],
  verdict: GuardrailsMetadata,
  variables: Readonly<Record<string, unknown>> = {},
): GuardrailsState {
  return { passed: messages.map(messageFingerprint), verdict, variables };
}

/** True for messages of this turn that rails have checked, and that are unchanged since. */
export function isReviewed(message: BaseMessage, state: GuardrailsState | undefined): boolean {
  const fingerprint = messageFingerprint(message);
  if (roleOf(message) === "tool") return registeredVerdict(message)?.fingerprint === fingerprint;
  return state?.passed.includes(fingerprint) === true;
}

const HIDDEN = "(this message is hidden)";

/**
 * A blocked message without its text. INVARIANT: it stays in its place, so that the conversation keeps its order,
 * but no later turn shows it to a model.
 */
export function hideMessage<M extends BaseMessage>(message: M): M {
  const hidden = cloneMessage(message, { content: HIDDEN, additional_kwargs: {}, response_metadata: {} });
  // Rails read the name of a user's message with its text; that of a result is the tool's.
  const gone = {
    ...("artifact" in hidden ? { artifact: undefined } : {}),
    ...(roleOf(message) === "user" ? { name: undefined } : {}),
  };
  const { lc_kwargs: fields } = hidden as { lc_kwargs?: object };
  return Object.assign(hidden, gone, fields === undefined ? {} : { lc_kwargs: { ...fields, ...gone } });
}

/** All that was decided in the turn: at its beginning, and on every message since. */
export function turnVerdict(messages: readonly BaseMessage[], state: GuardrailsState): GuardrailsMetadata {
  const start = messages.findLastIndex((message) => state.passed.includes(messageFingerprint(message)));
  const later = messages.slice(start + 1).flatMap((message) => verdictOf(message)?.decisions ?? []);
  const { blocked } = verdictOf(messages.at(-1) as BaseMessage) ?? { blocked: false };
  const decisions = [...state.verdict.decisions, ...later];
  return { ...summarizeDecisions(decisions, false), blocked };
}
