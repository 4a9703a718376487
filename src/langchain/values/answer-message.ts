import { omitUndefined } from "../../engine/variables.js";
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type AIMessageFields,
  type BaseMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { redactData } from "../../turn/redact-data.js";
import { createRedactor } from "../../turn/redactor.js";
import { joinLines } from "../../turn/lines.js";
import { cloneMessage } from "../models/clone-message.js";
import { extraTextsOf, isKnownName, replaceExtraTexts, splitTexts } from "./message-extras.js";
import { extractText, replaceText } from "./content.js";
import { asksForTools, isObject, type PlainObject } from "./message-kinds.js";
import { hasReviewedReasoning, withoutRawReasoning, withoutReasoning } from "./reasoning.js";
import { registerVerdict, withoutForeignVerdict } from "./registered-verdict.js";
import { withVerdict } from "../verdict.js";

/** Properties that a refused message keeps; the others could quote the blocked text. */
const KEPT_KEYS: ReadonlySet<string> = new Set([
  "lc_serializable",
  "lc_kwargs",
  "lc_namespace",
  "lc_runnable",
  "type",
  "role",
  "id",
  "name",
  "content",
  "additional_kwargs",
  "response_metadata",
  "usage_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
]);

/**
 * Text that readers get outside of the content: the transcript of an audio answer, a provider's own refusal,
 * text of `.text` beyond the content. Empty for nearly all messages.
 */
export function strayText(message: BaseMessage, text: string): string {
  if (isPlainAnswer(message)) return "";
  const { audio, refusal } = (message.additional_kwargs ?? {}) as PlainObject;
  const transcript = isObject(audio) ? audio["transcript"] : undefined;
  const shown: unknown = (message as { text?: unknown }).text;
  const found = [transcript, refusal, shown].filter((stray) => typeof stray === "string" && stray !== "");
  // A visible text made of some of the blocks is a part of the whole one.
  return [...new Set(found as string[])].filter((stray) => !text.includes(stray)).join("\n");
}

/** Every other text that a reader of the message sees, as one text. */
export function extraTextOf(message: BaseMessage, text: string): string {
  return extraTextsOf(message, text).join("\n");
}

/** Text as content in LangChain's own class is all there is to see, and finding `.text` again costs more than the turn. */
function isPlainAnswer(message: BaseMessage): boolean {
  const prototype: unknown = Object.getPrototypeOf(message);
  if (prototype !== AIMessage.prototype && prototype !== AIMessageChunk.prototype) return false;
  if (typeof message.content !== "string" || Object.hasOwn(message, "text")) return false;
  const { additional_kwargs: kwargs, response_metadata: metadata } = message;
  if (metadata !== undefined && ("model_provider" in metadata || "output_version" in metadata)) return false;
  return kwargs === undefined || !("audio" in kwargs || "refusal" in kwargs);
}

/** Returns a message with another text, and without copies of the old one elsewhere in it. */
export function rewriteMessage<M extends BaseMessage>(message: M, before: string, text: string): M {
  if (before === text) return message;
  const content = extractText(message);
  const stray = strayText(message, content);
  const own = joinLines(content, stray);
  const texts = { main: own, extra: extraTextsOf(message, own) };
  const after = splitTexts(texts, text);
  const main = own === "" ? "" : after.main;
  if (stray !== "" || before !== joinLines(own, ...texts.extra)) {
    return withoutClassText(stripMessage(replaceExtraTexts(message, texts, after), main), main);
  }
  const changed = replaceText(replaceExtraTexts(message, texts, { ...after, main }), main);
  const redactor = createRedactor(
    [before, content].map((hidden) => ({ text: hidden, replacement: text })),
    { shown: [text] },
  );
  const { logprobs: _tokens, ...metadata } = changed.response_metadata ?? {};
  const copy = cloneMessage(changed, {
    additional_kwargs: redactData(changed.additional_kwargs, redactor) ?? {},
    response_metadata: redactData(metadata, redactor) ?? {},
  });
  return withoutClassText(copy, extractText(copy));
}

/**
 * Returns a message as it leaves after output rails. Reasoning that they did not review is removed; only
 * a message that asks for tools keeps it, since providers need it with the tools' results.
 *
 * @param marked - whether this message carries the verdict
 */
export function releaseMessage<M extends BaseMessage>(given: M, verdict: GuardrailsMetadata, marked = true): M {
  const message = withoutForeignVerdict(given);
  const reviewed = verdict.decisions.some(({ stage }) => stage === "output");
  const released = hasReviewedReasoning(verdict)
    ? withoutRawReasoning(message)
    : reviewed && !asksForTools(message)
      ? withoutReasoning(message)
      : message;
  return marked ? withVerdict(released, verdict) : released;
}

/** Returns the refusal in the class of the blocked message: it keeps the id and the usage, and no content, tool calls or metadata. */
export function refuseMessage<M extends BaseMessage>(message: M, refusal: string, verdict: GuardrailsMetadata): M {
  const copy = stripMessage(message, refusal, { guardrails: registerVerdict(verdict) });
  if (!isKnownName(message.name)) Reflect.deleteProperty(copy, "name");
  return withoutClassText(copy, refusal);
}

/** Returns the message with this text, and nothing that could quote another one. */
export function stripMessage<M extends BaseMessage>(
  message: M,
  text: string,
  metadata: Record<string, unknown> = {},
): M {
  const usage = (message as { usage_metadata?: UsageMetadata }).usage_metadata;
  const empty = {
    content: text,
    additional_kwargs: {},
    response_metadata: metadata,
    usage_metadata: usage,
    tool_calls: [],
    invalid_tool_calls: [],
    ...("tool_call_chunks" in message ? { tool_call_chunks: [] } : {}),
  };
  const copy = cloneMessage(message, empty);
  for (const key of Object.keys(copy)) if (!KEPT_KEYS.has(key)) Reflect.deleteProperty(copy, key);
  return Object.assign(copy, { lc_kwargs: { ...empty, ...(message.id === undefined ? {} : { id: message.id }) } });
}

/** Returns a plain message if its class computes a `.text` of its own. INVARIANT: that text must not quote the removed one. */
function withoutClassText<M extends BaseMessage>(message: M, text: string): M {
  if (strayText(message, text) === "") return message;
  const { content, id, name, response_metadata, additional_kwargs } = message;
  const usage = (message as { usage_metadata?: UsageMetadata }).usage_metadata;
  const kept = omitUndefined({ id, name, usage_metadata: usage });
  const fields = {
    content: typeof content === "string" ? content : text,
    additional_kwargs,
    response_metadata,
    ...kept,
  };
  const plain = AIMessageChunk.isInstance(message)
    ? new AIMessageChunk(fields as unknown as AIMessageChunkFields)
    : new AIMessage(fields as unknown as AIMessageFields);
  return plain as unknown as M;
}

/** Returns every text of the message that a reader may see. */
export function textOfAnswer(message: BaseMessage): string {
  const own = ownTextOf(message);
  return joinLines(own, extraTextOf(message, own));
}

/** Returns the same without quotations and extra texts of providers. */
export function ownTextOf(message: BaseMessage): string {
  const text = extractText(message);
  return joinLines(text, strayText(message, text));
}
