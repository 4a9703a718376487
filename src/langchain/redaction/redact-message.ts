import { omitUndefined } from "../../engine/variables.js";
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import type { GuardrailsMetadata, RailDecision } from "../../turn/decision.js";
import { verdictOf } from "../verdict.js";

/** Placeholder for every text in traces. */
export const REDACTED = "[redacted]";

const KEPT_METADATA = ["model_name", "model", "model_provider", "finish_reason", "stop_reason"] as const;
/** A short word of identifiers, which names something and says nothing. */
const NAME = /^[\w.:/@-]{1,80}$/;

/** The value if it is a name; models and tools have such names, and texts are none. */
export function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && NAME.test(value) ? value : undefined;
}

/** Returns a decision without its texts. */
export function bareDecision(decision: RailDecision): RailDecision {
  const { status, stage, rail, flow, categories, score, threshold, durationMs, usage, about } = decision;
  return omitUndefined({ status, stage, rail, flow, categories, score, threshold, durationMs, usage, about });
}

export function bareVerdict({ blocked, stage, rail, decisions }: GuardrailsMetadata): GuardrailsMetadata {
  return omitUndefined({ blocked, stage, rail, decisions: decisions.map(bareDecision) });
}

/** A message of the same kind that says nothing: its id, its cost, its verdict and the names of the tools it asks for. */
export function redactMessage(message: BaseMessage): BaseMessage {
  const id = omitUndefined({ id: message.id });
  const response_metadata = metadataOf(message);
  switch (message.getType()) {
    case "human":
      return new HumanMessage({ content: REDACTED, ...id });
    case "system":
      return new SystemMessage({ content: REDACTED, ...id });
    case "tool": {
      const { tool_call_id, name, status } = message as ToolMessage;
      const named = omitUndefined({ name: nameOf(name), status });
      return new ToolMessage({ content: REDACTED, tool_call_id, ...id, ...named, response_metadata });
    }
    case "ai":
      return redactAnswer(message as AIMessage, { ...id, response_metadata });
    default:
      return new ChatMessage({ content: REDACTED, role: message.getType(), ...id });
  }
}

function redactAnswer(message: AIMessage, kept: object): BaseMessage {
  const { usage_metadata, tool_calls = [] } = message;
  const calls = tool_calls.map(({ id, name }) => ({
    name: nameOf(name) ?? REDACTED,
    args: {},
    type: "tool_call" as const,
    ...omitUndefined({ id }),
  }));
  const fields = { content: REDACTED, ...kept, ...omitUndefined({ usage_metadata }) };
  if (!AIMessageChunk.isInstance(message)) return new AIMessage({ ...fields, tool_calls: calls });
  const chunks = calls.map((call, index) => ({ ...call, args: "{}", type: "tool_call_chunk" as const, index }));
  return new AIMessageChunk({ ...fields, tool_call_chunks: chunks } as AIMessageChunkFields);
}

function metadataOf(message: BaseMessage): Record<string, unknown> {
  const metadata = message.response_metadata ?? {};
  const verdict = verdictOf(message);
  const kept = KEPT_METADATA.flatMap((key) => {
    const name = nameOf((metadata as Record<string, unknown>)[key]);
    return name === undefined ? [] : [[key, name] as const];
  });
  return { ...Object.fromEntries(kept), ...omitUndefined({ guardrails: verdict && bareVerdict(verdict) }) };
}
