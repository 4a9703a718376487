import { AIMessageChunk, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { GuardrailsEvent } from "../../engine/events.js";
import type { RailDecision } from "../../turn/decision.js";
import type { TurnResult } from "../../turn/result.js";
import { toToolCallChunks } from "../models/chat-generation.js";
import { cloneMessage } from "../models/clone-message.js";
import { isMessage, isObject, roleOf } from "../values/message-kinds.js";
import { keyOfAnswer } from "./tool-calls.js";
import { fingerprint } from "./tool-review.js";
import { writeToGraph } from "../verdict.js";

/** Name of the custom event for each delegated action and event. */
const DELEGATED_EVENT = "guardrails.event";

/** A call of a tool that a flow asks for. */
export interface DelegatedCall {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly type: "tool_call";
}

/** Calls and events that the flows of a turn delegate to the application. */
export interface Delegated {
  readonly calls: readonly DelegatedCall[];
  /** Events, and requests that no tool performs: gestures, timers, scenes. */
  readonly events: readonly GuardrailsEvent[];
}

const NOTHING: Delegated = { calls: [], events: [] };

/**
 * Splits delegated actions into tool calls and events. An agent runs everything that looks like a call, so gestures are
 * events, unless the caller has a tool of that very name.
 */
export function delegatedOf(
  { toolCalls = [], actions = [], events = [] }: TurnResult,
  tools: readonly string[],
): Delegated {
  if (actions.length === 0 && events.length === 0) return NOTHING;
  const forTools = toolCalls.filter(({ name, modality }) => modality === undefined || tools.includes(name));
  const ids = new Set<unknown>(toolCalls.map(({ id }) => id));
  for (const { id } of forTools) ids.delete(id);
  return {
    calls: forTools.map(({ id, name, args }) => ({ id, name, args: { ...args }, type: "tool_call" })),
    events: [...actions.filter(({ action_uid: uid }) => ids.has(uid)), ...events],
  };
}

/** Marks the calls that the rails on tools have passed, so that the tools need not ask the rails again. */
export function signCalls(
  decisions: readonly RailDecision[],
  calls: readonly DelegatedCall[],
): readonly RailDecision[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const last = new Map<string, number>();
  for (const [index, { stage, metadata }] of decisions.entries()) {
    const id = metadata?.["toolCallId"];
    if (stage === "execution" && metadata?.["checked"] === "call" && typeof id === "string") last.set(id, index);
  }
  if (last.size === 0) return decisions;
  return decisions.map((decision, index) => {
    const id = String(decision.metadata?.["toolCallId"]);
    const call = byId.get(id);
    if (call === undefined || last.get(id) !== index) return decision;
    return { ...decision, metadata: { ...decision.metadata, passed: fingerprint(call) } };
  });
}

/**
 * Adds these calls to an answer: to its message, or to the last message of the bot among several. A text
 * cannot carry any; then only handlers receive them.
 *
 * @param next - the first number that no other call of a stream has
 */
export function withDelegatedCalls(
  value: unknown,
  calls: readonly DelegatedCall[],
  { next = 0, isInside = false }: { readonly next?: number; readonly isInside?: boolean } = {},
): unknown {
  if (calls.length === 0) return value;
  if (isMessage(value)) return addCalls(value, calls, next);
  if (Array.isArray(value)) {
    const last = value.findLastIndex((item) => isMessage(item) && roleOf(item) === "assistant");
    return value.map((item, index) =>
      index === last ? addCalls(item as BaseMessage, calls, next) : (item as unknown),
    );
  }
  if (!isObject(value) || isInside) return value;
  const key = keyOfAnswer(value);
  return key === undefined
    ? value
    : { ...value, [key]: withDelegatedCalls(value[key], calls, { next, isInside: true }) };
}

function addCalls<M extends BaseMessage>(message: M, calls: readonly DelegatedCall[], next: number): M {
  const own = (message as unknown as AIMessage).tool_calls ?? [];
  const changes = { tool_calls: [...own, ...calls] };
  if (!AIMessageChunk.isInstance(message)) return cloneMessage(message, changes);
  const chunks = message.tool_call_chunks ?? [];
  const first = Math.max(next - 1, ...chunks.map(({ index }) => index ?? 0)) + 1;
  const added = toToolCallChunks(calls).map((chunk, index) => ({ ...chunk, index: first + index }));
  return cloneMessage(message, { ...changes, tool_call_chunks: [...chunks, ...added] });
}

/**
 * Emits delegated actions and events to the handlers of the run, and in a graph to its `custom` stream. INVARIANT: a blocked
 * turn emits nothing, and no turn emits what its flows have taken back.
 */
export async function announceDelegated(
  { status, actions = [], toolCalls = [], events = [] }: TurnResult,
  config: RunnableConfig | undefined,
): Promise<void> {
  if (config === undefined || status !== "answered") return;
  const asked = new Set<unknown>(toolCalls.map(({ id }) => id));
  const emitted = [...actions.filter(({ action_uid: uid }) => asked.has(uid)), ...events];
  if (emitted.length === 0) return;
  for (const event of emitted) writeToGraph(config, { type: DELEGATED_EVENT, event });
  if (config.callbacks === undefined) return;
  const { dispatchCustomEvent } = await import("@langchain/core/callbacks/dispatch/web");
  for (const event of emitted) await dispatchCustomEvent(DELEGATED_EVENT, event, config);
}
