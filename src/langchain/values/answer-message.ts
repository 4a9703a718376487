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
import { cloneMessage } from "../clone-message.js";
import { isReasoningBlock, isSentence, isToolCallBlock, textsBeside, withoutBeside } from "./content-blocks.js";
import { extractText, replaceText } from "./content.js";
import { asksForTools, isObject, type PlainObject } from "./message-kinds.js";
import { hasReviewedReasoning, REASONING_KWARGS, withoutRawReasoning, withoutReasoning } from "./reasoning.js";
import { ownVerdict, withoutForeignVerdict } from "./own-verdict.js";
import { splitLines } from "../structured-text.js";
import { withVerdict } from "../verdict.js";

/** What a refused message keeps of its own properties; the rest could tell what was blocked. */
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
 * Text that reaches readers by other ways than the content: the transcript of spoken answers, a provider's own refusal,
 * what `.text` shows beyond the content. Empty for nearly all messages.
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

/** Quotations and what providers tell beside the answer, as one text that readers see too. */
export function textBeside(message: BaseMessage, text: string): string {
  if (isPlainAnswer(message) && !isTelling(message.additional_kwargs) && !isTelling(message.response_metadata))
    return "";
  const found = [
    ...textsBeside(message.content),
    ...sentencesIn(message.additional_kwargs),
    ...sentencesIn(message.response_metadata),
  ];
  return [...new Set(found)].filter((beside) => !text.includes(beside)).join("\n");
}

/** Keys of metadata whose texts are read elsewhere, or are none. */
const READ_ELSEWHERE: ReadonlySet<string> = new Set([
  ...REASONING_KWARGS,
  "tool_calls",
  "function_call",
  "audio",
  "refusal",
  "guardrails",
  "logprobs",
  "headers",
  "signature",
]);
const MAX_METADATA_DEPTH = 16;

function isTelling(metadata: PlainObject | undefined): boolean {
  for (const key in metadata) {
    const value = metadata[key];
    if (typeof value === "string" ? isSentence(value) : typeof value === "object" && value !== null) return true;
  }
  return false;
}

function sentencesIn(metadata: PlainObject | undefined): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === "string") {
      if (isSentence(value)) found.push(value);
    } else if (typeof value === "object" && value !== null && depth < MAX_METADATA_DEPTH && !isReasoningBlock(value)) {
      if (isObject(value) && isToolCallBlock(value)) return;
      for (const [key, inner] of Object.entries(value)) if (!READ_ELSEWHERE.has(key)) visit(inner, depth + 1);
    }
  };
  if (metadata !== undefined) visit(metadata, 0);
  return found;
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

/** A message with another text. Copies of the old text that providers leave in the metadata are removed. */
export function rewriteMessage<M extends BaseMessage>(message: M, before: string, text: string): M {
  if (before === text) return message;
  const said = extractText(message);
  const stray = strayText(message, said);
  const beside = textBeside(message, joinTexts(said, stray));
  const own = joinTexts(said, stray);
  // INVARIANT: quotations go with the first change; a rail that rewrites them alone leaves the text as it was.
  const changedOwn =
    beside === ""
      ? text
      : (splitLines(
          [own, beside].filter((part) => part !== ""),
          text,
        )?.[0] ?? text);
  const after = own === "" ? "" : changedOwn;
  if (stray !== "" || before !== joinTexts(own, beside)) return honest(stripMessage(message, after), after);
  const changed = replaceText(beside === "" ? message : withoutQuotations(message), after);
  const rewritten = [before, said].map((hidden) => ({ text: hidden, replacement: text }));
  const redactor = createRedactor([...rewritten, ...beside.split("\n")], { shown: [text] });
  const { logprobs: _tokens, ...metadata } = changed.response_metadata ?? {};
  const copy = cloneMessage(changed, {
    additional_kwargs: redactData(changed.additional_kwargs, redactor) ?? {},
    response_metadata: redactData(metadata, redactor) ?? {},
  });
  return honest(copy, extractText(copy));
}

function joinTexts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

function withoutQuotations<M extends BaseMessage>(message: M): M {
  return cloneMessage(message, { content: withoutBeside(message.content) });
}

/**
 * A message as it leaves after output rails looked at it. Unless they looked at what the model thought too, that goes; only
 * a message that asks for tools keeps it, since providers want it back with the tools' results.
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

/** The refusal in the class of the blocked message: its id and its cost stay, its content, tool calls and metadata go. */
export function refuseMessage<M extends BaseMessage>(message: M, refusal: string, verdict: GuardrailsMetadata): M {
  const copy = stripMessage(message, refusal, { guardrails: ownVerdict(verdict) });
  return honest(copy, refusal);
}

/** The message with this text and nothing else that could tell another one. */
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

/** INVARIANT: a class that words `.text` itself must not tell what was taken out; then the message becomes a plain one. */
function honest<M extends BaseMessage>(message: M, text: string): M {
  if (strayText(message, text) === "") return message;
  const { content, id, name, response_metadata, additional_kwargs } = message;
  const usage = (message as { usage_metadata?: UsageMetadata }).usage_metadata;
  const fields = {
    content: typeof content === "string" ? content : text,
    additional_kwargs,
    response_metadata,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(usage === undefined ? {} : { usage_metadata: usage }),
  };
  const plain = AIMessageChunk.isInstance(message)
    ? new AIMessageChunk(fields as unknown as AIMessageChunkFields)
    : new AIMessage(fields as unknown as AIMessageFields);
  return plain as unknown as M;
}
