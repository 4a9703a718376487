import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { extractText } from "../../langchain/values/content.js";
import type { PlainObject } from "../../langchain/values/message-kinds.js";
import type { Exchange, WireUsage } from "../upstream/exchange.js";
import { logprobsOf } from "./logprobs.js";
import type { WireVerdict } from "./verdict.js";
import { type ConversationMessage, writeCalls } from "./messages.js";

/** Facts shared by all parts of one response. */
export interface CompletionHead {
  readonly id: string;
  readonly created: number;
  /** Name of the model if the upstream server sends none. */
  readonly model: string;
}

/** The reply of a turn as a conversation stores it. */
export type WireReply = Extract<ConversationMessage, { readonly role: "assistant" }>;

const NO_USAGE: WireUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Returns a complete response as a `chat.completion`, and its message as a conversation stores it. */
export function toCompletion(
  message: BaseMessage,
  head: CompletionHead,
  exchange: Exchange,
  { isBlocked, verdict }: { readonly isBlocked: boolean; readonly verdict: WireVerdict | undefined },
): { readonly body: object; readonly reply: WireReply } {
  const { facts } = exchange;
  const details = isBlocked ? {} : exchange.detailsOf(exchange.answered ?? message);
  const calls = isBlocked ? [] : writeCalls(message as AIMessage, details.argumentTexts);
  const text = extractText(message);
  const refusal = isBlocked ? null : refusalOf(message);
  const content = text === "" && (calls.length > 0 || refusal !== null) ? null : text;
  const tool_calls = calls.length === 0 ? undefined : calls;
  // JSON omits keys without a value.
  const reply = { role: "assistant" as const, content, refusal, tool_calls };
  const reasoning = reasoningOf(message, isBlocked);
  const choice = {
    index: 0,
    message: reasoning === undefined ? reply : { ...reply, ...reasoning },
    logprobs: logprobsOf(details, text),
    finish_reason: finishReasonOf(message, exchange, calls.length > 0, isBlocked),
  };
  const body = {
    id: head.id,
    object: "chat.completion",
    created: facts.created ?? head.created,
    model: facts.model ?? head.model,
    choices: [choice],
    usage: usageOf(message, exchange),
    service_tier: facts.serviceTier,
    system_fingerprint: facts.systemFingerprint,
    guardrails: verdict,
  };
  return { body, reply };
}

/** Fields of the upstream response to keep. */
export function factFields({ facts }: Exchange): object {
  return {
    ...(facts.serviceTier === undefined ? {} : { service_tier: facts.serviceTier }),
    ...(facts.systemFingerprint === undefined ? {} : { system_fingerprint: facts.systemFingerprint }),
  };
}

/** Token usage of the call; zeros if no model was called or the provider reports none. */
export function usageOf(message: BaseMessage | undefined, { facts }: Exchange): WireUsage {
  if (facts.usage !== undefined) return facts.usage;
  const { usage_metadata: usage } = (message ?? {}) as AIMessage;
  if (usage === undefined) return NO_USAGE;
  const { input_tokens: prompt_tokens, output_tokens: completion_tokens, total_tokens } = usage;
  return { prompt_tokens, completion_tokens, total_tokens };
}

const FINISH_REASONS: ReadonlySet<unknown> = new Set(["stop", "length", "tool_calls", "content_filter"]);

/** Returns the finish reason, one of OpenAI's. A block is `content_filter`. */
export function finishReasonOf(
  message: BaseMessage | undefined,
  { facts }: Exchange,
  asksForTools: boolean,
  isBlocked: boolean,
): string {
  if (isBlocked) return "content_filter";
  const stated: unknown = facts.finishReason ?? message?.response_metadata["finish_reason"];
  if (stated === "length" || stated === "content_filter") return stated;
  if (asksForTools) return stated === "stop" ? "stop" : "tool_calls";
  // Rails may have removed the tool calls.
  return FINISH_REASONS.has(stated) && stated !== "tool_calls" ? (stated as string) : "stop";
}

export function refusalOf({ additional_kwargs: kwargs }: BaseMessage): string | null {
  const refusal: unknown = (kwargs as PlainObject | undefined)?.["refusal"];
  return typeof refusal === "string" && refusal !== "" ? refusal : null;
}

/** Returns the reasoning of servers that expose it, if the rails left it. */
export function reasoningOf({ additional_kwargs: kwargs }: BaseMessage, isBlocked: boolean): object | undefined {
  const reasoning: unknown = (kwargs as PlainObject | undefined)?.["reasoning_content"];
  return isBlocked || typeof reasoning !== "string" ? undefined : { reasoning_content: reasoning };
}
