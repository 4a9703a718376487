import {
  type BaseMessage,
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type AIMessageFields,
  type UsageMetadata,
} from "@langchain/core/messages";
import type { OptionTable } from "../../diagnostics/options.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { GuardedResponse } from "../../runtime/responder.js";
import type { EvidenceReader } from "./evidence.js";
import type { UnseenPart } from "./unseen.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { createRedactor } from "../../turn/redactor.js";
import { joinLines, splitOff } from "../../turn/extra-text.js";
import { releasedOf, withoutEscapes } from "./escaped-text.js";
import { cloneMessage, asksForTools, isObject, type PlainObject, wordSet } from "./message-kinds.js";
import { extraTextsOf, isKnownName, type MessageTexts, replaceExtraTexts, splitTexts } from "./message-extras.js";
import { extractText, replaceText, withoutRawReasoning, withoutReasoning, redactMetadata } from "./content.js";
import { registerVerdict, withoutForeignVerdict, withVerdict } from "../verdict.js";
import { isIdentifier } from "./metadata-codes.js";
import { withEqualCalls } from "../tools/call-copies.js";
import { plainMessage } from "./plain-message.js";
import { type Mapper, mapParts } from "../../engine/walk.js";

/** The bot's side of a value of any shape: its text, and functions that return the same shape with another text. */
export interface BotResponse extends GuardedResponse {
  /** The text of the main key, if other keys have text too. */
  readonly mainText?: string | undefined;
  /** The bot's last message, if the response consists of messages. */
  readonly message?: BaseMessage | undefined;
  /** The list that holds the response, if there is one. */
  readonly listed?: ListedMessages | undefined;
  /** The messages of it that ask for tools, with their places in a list, unless rails reviewed them before these tools ran. */
  readonly callers?: readonly Caller[] | undefined;
  /** Returns the parts that no rail can read; absent for text-only answers. */
  readonly unseen?: (() => readonly UnseenPart[]) | undefined;
  /** Returns the same response with other reasoning, or without any. */
  replaceReasoning(reasoning: string): BotResponse;
  /** Returns the same shape with a rewritten text. */
  rewrite(text: string): unknown;
  /** Returns the same shape with a refusal and no part of the blocked response. */
  refuse(refusal: string, verdict: GuardrailsMetadata): unknown;
  /** Returns the same shape for release: with the verdict on its message, and without unreviewed parts. */
  mark(verdict: GuardrailsMetadata): unknown;
}

/** Adds the evidence of the input to a response without evidence of its own, so that rails compare the two. */
export function withEvidence(response: BotResponse, relevantChunks: readonly string[] | undefined): BotResponse {
  if (relevantChunks === undefined || response.relevantChunks !== undefined) return response;
  return { ...response, relevantChunks };
}

/** A message with tool calls; without an index, it is the response itself. */
export interface Caller {
  readonly message: BaseMessage;
  readonly index?: number | undefined;
}

export interface ResponseOptions {
  /** Key of the response in an output object. */
  readonly outputKey?: string | undefined;
  /** Key of the evidence, such as retrieved documents. Default: `context`. */
  readonly contextKey?: string | undefined;
  /** Keep the evidence in a blocked object. Default: false. */
  readonly keepContext?: boolean | undefined;
  /** Key under which the verdict is added to an output object. */
  readonly verdictKey?: string | undefined;
}

export const RESPONSE_OPTIONS: OptionTable<ResponseOptions> = {
  outputKey: "text",
  contextKey: "text",
  keepContext: "boolean",
  verdictKey: "text",
};

/** Common keys of the question in an object with its response or evidence. */
export const QUESTION_KEYS: readonly string[] = ["question", "input", "query"];

/** Returns the key of the question in such an object, other than the response's key. */
export function questionKeyIn(value: PlainObject, responseKey?: string): string | undefined {
  return QUESTION_KEYS.find((name) => name !== responseKey && typeof value[name] === "string");
}

/** Returns the question itself. */
export function questionIn(value: PlainObject, responseKey?: string): string | undefined {
  const key = questionKeyIn(value, responseKey);
  return key === undefined ? undefined : (value[key] as string);
}

/** Facts about the call, for the reader. */
export interface ReadOptions extends ResponseOptions {
  /** Rails that review the evidence or compare the response with it; without any, it is read with the response. */
  readonly evidence?: EvidenceReader | undefined;
  /** The input object of the call; entries returned unchanged are the user's own. */
  readonly input?: unknown;
  /** User texts; in a list, the response begins after them. Default: after the last user message. */
  readonly asked?: readonly string[] | undefined;
  /** Messages that rails need not read again; without it, those up to the user's last message. */
  readonly known?: KnownMessages | undefined;
  /** Takes a list without messages of the bot, or no value, for a response without a text. */
  readonly mayBeEmpty?: boolean | undefined;
}

/** Messages of a result that say nothing new: a graph with a conversation of its own returns all of it. */
export interface KnownMessages {
  /** Returns true for a message that the caller sent with this call. */
  isSent(message: BaseMessage): boolean;
  /** Returns true for a message as it left with an earlier result. */
  hasLeft(message: BaseMessage): boolean;
  /** The message as it left with an earlier result: a refusal, or undefined if it did not; any other message stays. */
  asLeft(message: BaseMessage): BaseMessage | undefined;
}

/** The messages of a response that is a list. */
interface ListedMessages {
  readonly all: readonly BaseMessage[];
  /** Those that the caller neither sent nor received before, and that do not come from the application. */
  readonly fresh: readonly BaseMessage[];
  /** Those that stay before a refusal. */
  readonly kept: readonly BaseMessage[];
  /** The one that becomes the refusal, if any. */
  readonly last: BaseMessage | undefined;
}

/** Properties that a refused message keeps; others could quote the blocked text. */
const KEPT_KEYS: ReadonlySet<string> = wordSet(
  "lc_serializable lc_kwargs lc_namespace lc_runnable type role id name content additional_kwargs",
  "response_metadata usage_metadata tool_calls invalid_tool_calls tool_call_chunks",
);

/**
 * Text visible outside of the content: the transcript of an audio response, a provider's own refusal, `.text` beyond the
 * content. Empty for nearly all messages.
 */
export function strayText(message: BaseMessage, text: string): string {
  if (isPlainResponse(message)) return "";
  const { audio, refusal } = (message.additional_kwargs ?? {}) as PlainObject;
  const transcript = isObject(audio) ? audio["transcript"] : undefined;
  const shown: unknown = (message as { text?: unknown }).text;
  const strayTexts = [transcript, refusal, shown].filter((stray) => typeof stray === "string" && stray !== "");
  // Visible text made of some of the blocks is part of the whole.
  return [...new Set(strayTexts as string[])].filter((stray) => !text.includes(stray)).join("\n");
}

/** Returns the message as plain data in which all copies of a tool call have the same arguments. */
export function plainResponse<M extends BaseMessage>(message: M): M {
  return withEqualCalls(plainMessage(message));
}

/**
 * All other visible texts of the message, as one text, and last its text without escapes. INVARIANT: a parser behind the
 * rails undoes the escapes of JSON, which could hide a word from a rail.
 */
export function extraTextOf(message: BaseMessage, text: string): string {
  return joinLines(...extraTextsOf(message, text), withoutEscapes(text) ?? "");
}

/** Plain text in LangChain's own class has no other text, and computing `.text` again costs more than the turn. */
function isPlainResponse(message: BaseMessage): boolean {
  const prototype: unknown = Object.getPrototypeOf(message);
  if (prototype !== AIMessage.prototype && prototype !== AIMessageChunk.prototype) return false;
  if (typeof message.content !== "string" || Object.hasOwn(message, "text")) return false;
  const { additional_kwargs: kwargs, response_metadata: metadata } = message;
  if (metadata !== undefined && ("model_provider" in metadata || "output_version" in metadata)) return false;
  return kwargs === undefined || !("audio" in kwargs || "refusal" in kwargs);
}

/** Returns a message with another text and without copies of the old one. */
export function rewriteMessage<M extends BaseMessage>(message: M, before: string, text: string): M {
  if (before === text) return message;
  const content = extractText(message);
  const stray = strayText(message, content);
  const own = joinLines(content, stray);
  const extra = extraTextsOf(message, own);
  const decoded = withoutEscapes(own);
  if (decoded !== undefined && before === joinLines(own, ...extra, decoded)) {
    const plain = joinLines(own, ...extra);
    return rewriteMessage(message, plain, releasedLines({ main: own, extra }, decoded, text));
  }
  const texts = { main: own, extra };
  const after = splitTexts(texts, text);
  // Lines next to a message without a text of its own give it none.
  const main = own === "" && extra.length > 0 ? "" : after.main;
  if (stray !== "" || before !== joinLines(own, ...texts.extra)) {
    return withoutClassText(stripMessage(replaceExtraTexts(message, texts, after), main), main);
  }
  const changed = replaceText(replaceExtraTexts(message, texts, { ...after, main }), main);
  const redactor = createRedactor(
    [before, content].map((hidden) => ({ text: hidden, replacement: text })),
    { shown: [text] },
  );
  const copy = redactMetadata(changed, redactor);
  return withoutClassText(copy, extractText(copy));
}

/** Lines of a message to release, from a review of them and of the main text without escapes. */
function releasedLines({ main, extra }: MessageTexts, decoded: string, reviewed: string): string {
  if (extra.length === 0) return releasedOf(main, decoded, reviewed);
  const { main: lines, others } = splitOff(joinLines(main, ...extra), decoded, reviewed);
  if (others === decoded) return lines;
  const after = splitTexts({ main, extra }, lines);
  return joinLines(releasedOf(main, decoded, joinLines(after.main, others)), ...(after.extra ?? []));
}

/**
 * Returns a message as released by the output rails. Unreviewed reasoning is removed, except in a message that calls
 * tools, since providers require it along with the tool results.
 *
 * @param options - `marked`: this message carries the verdict; `callsTools`: its calls will run, unlike those that are the form of
 *   the response
 */
export function releaseMessage<M extends BaseMessage>(
  original: M,
  verdict: GuardrailsMetadata,
  {
    marked = true,
    callsTools = asksForTools(original),
  }: { readonly marked?: boolean; readonly callsTools?: boolean } = {},
): M {
  const message = withoutForeignVerdict(original);
  const reviews = verdict.decisions.filter(({ stage, shadow }) => stage === "output" && shadow === undefined);
  const released = reviews.some(({ about }) => about === "reasoning")
    ? withoutRawReasoning(message)
    : reviews.length > 0 && !callsTools
      ? withoutReasoning(message)
      : message;
  return marked ? withVerdict(released, verdict) : released;
}

/**
 * Returns a response without a text, on which no output rail runs, without its reasoning: it would leave unread. Next to
 * tool calls it stays, since providers require it along with their results.
 */
export function withoutUnreadReasoning(response: BotResponse): BotResponse {
  if (response.text !== "" || response.reasoning() === "") return response;
  const { message, callers = message === undefined ? [] : [{ message }] } = response;
  return callers.some((caller) => asksForTools(caller.message)) ? response : response.replaceReasoning("");
}

/**
 * Returns the refusal in the class of the blocked message: it keeps id and usage, but no content, tool calls or
 * metadata.
 */
export function refuseMessage<M extends BaseMessage>(message: M, refusal: string, verdict: GuardrailsMetadata): M {
  const copy = stripMessage(message, refusal, { guardrails: registerVerdict(verdict) });
  if (!isKnownName(message.name)) Reflect.deleteProperty(copy, "name");
  if (quotesId(message)) Object.assign(copy, { id: undefined, lc_kwargs: { ...copy.lc_kwargs, id: undefined } });
  return withoutClassText(copy, refusal);
}

/** Returns true if the id of a message is part of its text, or a text itself. */
function quotesId(message: BaseMessage): boolean {
  const { id } = message;
  if (typeof id !== "string" || id === "") return false;
  return !isIdentifier(id) || createRedactor([textOfResponse(message)])?.quotes(id) === true;
}

/** Keeps only numbers. */
const COUNTS: Mapper = { leaf: (leaf) => (typeof leaf === "number" ? leaf : undefined) };

/** Returns the message with this text, and without anything that could quote another one. */
export function stripMessage<M extends BaseMessage>(message: M, text: string, metadata: PlainObject = {}): M {
  const usage = (message as { usage_metadata?: UsageMetadata }).usage_metadata;
  const empty = {
    content: text,
    additional_kwargs: {},
    response_metadata: metadata,
    usage_metadata: usage === undefined ? undefined : (mapParts(usage, COUNTS) as UsageMetadata),
    tool_calls: [],
    invalid_tool_calls: [],
    ...("tool_call_chunks" in message ? { tool_call_chunks: [] } : {}),
  };
  const copy = cloneMessage(message, empty);
  for (const key of Object.keys(copy)) if (!KEPT_KEYS.has(key)) Reflect.deleteProperty(copy, key);
  return Object.assign(copy, { lc_kwargs: { ...empty, ...(message.id === undefined ? {} : { id: message.id }) } });
}

/**
 * Returns a plain message if its class computes its own `.text`. INVARIANT: that text must not quote the removed one.
 */
function withoutClassText<M extends BaseMessage>(message: M, text: string): M {
  if (strayText(message, text) === "") return message;
  const { content, id, name, response_metadata, additional_kwargs } = message;
  const { usage_metadata } = message as { readonly usage_metadata?: UsageMetadata };
  const kept = omitUndefined({ id, name, usage_metadata });
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

/** Returns all visible text of the message. */
export function textOfResponse(message: BaseMessage): string {
  const own = ownTextOf(message);
  return joinLines(own, extraTextOf(message, own));
}

/** Returns the visible text without citations and providers' extra texts. */
export function ownTextOf(message: BaseMessage): string {
  const text = extractText(message);
  return joinLines(text, strayText(message, text));
}
