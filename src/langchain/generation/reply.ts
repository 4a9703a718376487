import { QUESTION_KEYS } from "../values/response.js";
import { applyBlock } from "../blocked.js";
import { runAndClose, type GuardedCall } from "../call.js";
import { utteranceMessage, indexesRefused, hiddenMessage } from "../verdict.js";
import { readGuardedInput, takeGuardedTurn } from "../review/review.js";
import { sideOf } from "../values/side.js";
import { joinStream } from "../step.js";
import { streamFrom, unreadMsOf } from "../streaming/sink.js";
import { streamThroughRails } from "../streaming/stream-output.js";
import { textStream, type StreamingTurn, streamingTurn } from "../streaming/streaming-turn.js";
import { moderateResponse } from "../steps/review-steps.js";
import { shapeError } from "../shape-error.js";
import { type BaseMessage, AIMessageChunk, type BaseMessageLike, type HumanMessage } from "@langchain/core/messages";
import type { BasePromptValueInterface } from "@langchain/core/prompt_values";
import { isMessage, isObject, isPromptValue, toMessage, wordSet } from "../values/message-kinds.js";
import { rewriteMessages, toTurnMessage } from "../values/read-user-input.js";
import { type UserInput } from "../values/input-object.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import type { Host } from "../host.js";
import { HIDDEN_USER_TEXT, assignContext } from "../../turn/conversation.js";
import { InputShapeError } from "../../diagnostics/errors.js";
import type { TurnMessage } from "../../turn/options.js";
import { extractText } from "../values/content.js";

type UserMessage = HumanMessage | { readonly role: "user"; readonly content: string };

/** Values that a whole turn answers: a prompt, or messages of which the user's is the last. */
export type TurnInput = BasePromptValueInterface | UserMessage | readonly [...BaseMessageLike[], UserMessage];

/** Streams the guardrails object's response to a value: the reviewed response of a pipe, or the reply to the user. */
export async function* streamReply(chunks: AsyncGenerator<unknown>, call: GuardedCall): AsyncGenerator<unknown> {
  const first = await chunks.next();
  const all = resumed(first, chunks);
  if (first.done !== true && isPieceOfResponse(first.value)) {
    yield* streamThroughRails(all, call, {});
    return;
  }
  const value = await joinStream(all);
  const { host } = call;
  // Streams the turn's text as it is generated if the whole response is a message.
  if (sideOf(takeSteering(value, host).rest) === "bot" || !repliesWithMessage(value)) {
    yield await replyToValue(value, call);
    return;
  }
  yield* streamFrom(call.config.signal, unreadMsOf(host, call.config), (sink, signal) =>
    runAndClose(call.with({ signal }), async (streamCall) => {
      const reply = await replyToValue(value, streamCall, streamingTurn(host, sink, textStream(host, sink)));
      if (reply !== undefined) await sink.put([reply]);
    }),
  );
}

/**
 * Responds to a value: output rails for the bot's side, a whole guarded turn for the user's side.
 *
 * @param turn - the stream that emits the text of the turn
 * @returns undefined if the whole reply has been streamed
 * @throws InputShapeError if no model is configured to answer the user
 */
export async function replyToValue(value: unknown, call: GuardedCall, turn?: StreamingTurn): Promise<unknown> {
  const { host } = call;
  const { steering, rest } = takeSteering(value, host);
  if (sideOf(rest) === "bot") return moderateResponse(rest, call, {});
  if (!host.runtime.hasMain && !host.runtime.hasDialog) {
    throw new InputShapeError(
      "expected a main model to answer the user; pass one with the option `llm` or under `models`, or use " +
        "`wrap(model)`, `input()` or `check()`",
    );
  }
  for (const message of steering) if (message.role === "context") call.conversation.assign(message.content);
  const input = await readGuardedInput(rest, call);
  const events = steering.filter(({ role }) => role === "event");
  const outcome = await takeGuardedTurn({ call, input, events, ...turn?.options });
  if (outcome.kind !== "blocked") {
    if (turn?.streamed.continuesWith(outcome) === true) return turn.streamed.end(outcome);
    const left = turn === undefined ? outcome.text : turn.emitted.restOf(outcome.text);
    const message = utteranceMessage(left, outcome.verdict, outcome.calls);
    return replyTo(input, message, outcome.texts);
  }
  const { block } = outcome;
  const kept = block.verdict.stage === "input" ? undefined : outcome.texts;
  return applyBlock(block, value, host.onBlocked ?? "refuse", (refusal) =>
    replyTo(input, turn?.refusal(refusal, block.verdict) ?? utteranceMessage(refusal, block.verdict), kept),
  );
}

/** Returns true if the reply to such a value is just a message. */
function repliesWithMessage(value: unknown): boolean {
  if (!isObject(value) || isMessage(value) || isPromptValue(value) || !Array.isArray(value["messages"])) return true;
  return QUESTION_KEYS.some((key) => value[key] !== undefined);
}

/**
 * The reply in the shape of the input: a message, or `{ messages }` including it, as a graph node writes them.
 *
 * @param texts - the user's texts after the input rails; undefined if blocked, which drops them
 */
function replyTo(input: UserInput, reply: BaseMessage, texts: readonly string[] | undefined): unknown {
  if (repliesWithMessage(input.value)) return reply;
  const messages =
    texts === undefined
      ? input.messages.map((message, index) => (input.pending.includes(index) ? hiddenMessage(message) : message))
      : rewriteMessages(input, texts);
  return { messages: [...messages, reply] };
}

/**
 * Returns true if the first chunk belongs to a response: part of a text, of a message, or of an object without messages.
 */
export function isPieceOfResponse(chunk: unknown): boolean {
  if (typeof chunk === "string" || AIMessageChunk.isInstance(chunk)) return true;
  return isObject(chunk) && !isMessage(chunk) && !isPromptValue(chunk) && !("messages" in chunk);
}

/** The stream including the chunk already read from it. Closing it closes the rest. */
export async function* resumed<Chunk>(first: IteratorResult<Chunk>, rest: AsyncGenerator<Chunk>) {
  try {
    if (first.done === true) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Message with the roles of NeMo Guardrails, whose guide writes `bot` for `assistant`. */
export type GenerationMessage =
  | { readonly role: "user" | "assistant" | "bot" | "system"; readonly content: string }
  | {
      readonly role: "tool";
      readonly content: string;
      readonly tool_call_id?: string;
      /** `error` for a tool that failed; the content has its message. */
      readonly status?: "success" | "error";
    }
  | { readonly role: "context"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly role: "event"; readonly event: GuardrailsEvent };

const HINT = 'pass a string, or a list of messages such as `{ role: "user", content: "hi" }`';

/** Messages of a `generate` call; a string is the user's text. */
export function readGenerationMessages(value: unknown): readonly TurnMessage[] {
  if (typeof value === "string") return [{ role: "user", content: value }];
  if (isPromptValue(value))
    return value.toChatMessages().map((message) => toTurnMessage(message, extractText(message)));
  if (isMessage(value)) return [toTurnMessage(value, extractText(value))];
  if (Array.isArray(value) && value.length > 0) return value.map(readMessage);
  throw shapeError("expected a prompt or a list of messages", value, HINT);
}

function readMessage(value: unknown): TurnMessage {
  if (isObject(value) && !isMessage(value)) {
    const { role, content, event } = value;
    if (role === "context" && isObject(content)) return { role, content };
    if (role === "event" && isObject(event) && typeof event["type"] === "string") {
      return { role, event: event as GuardrailsEvent };
    }
    if (role === "bot" && typeof content === "string") return { role: "assistant", content };
    if (role === "tool" && typeof content === "string") {
      const id = value["tool_call_id"] ?? value["toolCallId"];
      const failed = value["status"] === "error" ? { failed: true } : {};
      return { role, content, ...(typeof id === "string" ? { toolCallId: id } : {}), ...failed };
    }
    if (typeof role !== "string" || !("content" in value)) throw shapeError("expected a message", value, HINT);
  }
  const message = toMessage(value);
  return toTurnMessage(message, extractText(message));
}

/**
 * Checks the messages with which a caller steers the engine. Variables of the engine and of the rails are rejected, as
 * are events that act for the bot or the engine.
 *
 * @param allowEvents - accept every event
 * @throws InputShapeError naming the variable or the event
 */
export function checkSteering(messages: readonly TurnMessage[], allowEvents: boolean): void {
  for (const message of messages) {
    if (message.role === "context") assignContext({}, message.content);
    if (message.role !== "event" || allowEvents) continue;
    const { type, data } = message.event;
    if (type === "ContextUpdate" && isObject(data)) assignContext({}, data);
    if (!ENGINE_EVENTS.has(type)) continue;
    throw new InputShapeError(
      `an event \`${type}\` would bypass the rails; pass texts as messages of the role ` +
        "`user` or `assistant`, or allow such events with the option `allowEventMessages: true`",
    );
  }
}

const ENGINE_EVENTS: ReadonlySet<unknown> = wordSet(
  "UserMessage UserIntent BotIntent BotMessage StartUtteranceBotAction StartInternalSystemAction",
  "InternalSystemActionFinished StartInputRails InputRailsFinished StartOutputRails OutputRailsFinished",
  "start_flow mask_prev_user_message",
);

/**
 * Messages of a turn without assistant messages that only call tools: the user messages before them are still
 * unanswered, so the input rails check them together with the results.
 */
function withoutToolRequests(messages: readonly TurnMessage[]): readonly TurnMessage[] {
  const answered = messages.findLastIndex((message, index) => message.role === "assistant" && !asks(messages, index));
  return messages.filter((_, index) => index <= answered || !asks(messages, index));
}

/** Returns true for a response followed by a tool message. */
function asks(messages: readonly TurnMessage[], index: number): boolean {
  if (messages[index]?.role !== "assistant") return false;
  let next = index + 1;
  while (SILENT_ROLES.has(messages[next]?.role ?? "")) next += 1;
  return messages[next]?.role === "tool";
}

const SILENT_ROLES: ReadonlySet<string> = wordSet("system context event");

/**
 * Converts messages of a `generate` call for the runtime: applies the option `history`, and drops messages that only
 * call tools, unless a flow waits for their results.
 */
export async function prepareMessages(
  sentMessages: readonly TurnMessage[],
  call: GuardedCall,
): Promise<readonly TurnMessage[]> {
  const ids = sentMessages.flatMap((message) => (message.role === "tool" ? (message.toolCallId ?? []) : []));
  const isAwaited = await call.conversation.awaitsResult(ids);
  // A message without text answers nothing, so the preceding user messages still need review.
  const isBlank = (message: TurnMessage, index: number): boolean =>
    message.role === "assistant" && message.content.trim() === "" && !(isAwaited && asks(sentMessages, index));
  const messages = sentMessages.filter(
    (message, index) => index === sentMessages.length - 1 || !isBlank(message, index),
  );
  // Without a response, every message belongs to the current turn.
  if (!messages.some(({ role }) => role === "assistant" || role === "tool")) return messages;
  const joined = isAwaited || ids.length === 0 ? messages : withoutToolRequests(messages);
  const answered = joined.findLastIndex(({ role }) => role === "assistant");
  const isRefusal = (message: TurnMessage): boolean =>
    message.role === "assistant" && call.conversation.isRefusal(message.content);
  const hidden =
    call.host.history === "trust" ? new Set<number>() : indexesRefused(joined, isRefusal, (message) => message.role);
  const earlier = joined.flatMap((message, index) =>
    index < answered && message.role === "user" && !hidden.has(index) ? message.content : [],
  );
  const reviewed = await call.conversation.history([...new Set(earlier)], call.host.history);
  const responses = joined.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const pseudonymised = call.conversation.pseudonyms.isUsed
    ? await call.conversation.pseudonyms.replaceEarlier([...new Set(responses)])
    : new Map<string, string | undefined>();
  if (hidden.size === 0 && reviewed.size === 0 && pseudonymised.size === 0) return joined;
  return joined.map((message, index) => {
    if (message.role === "assistant" && index < joined.length - 1 && pseudonymised.has(message.content)) {
      return { ...message, content: pseudonymised.get(message.content) ?? HIDDEN_USER_TEXT };
    }
    if (index >= answered || (message.role !== "user" && message.role !== "tool")) return message;
    if (hidden.has(index)) return { ...message, content: HIDDEN_USER_TEXT };
    if (message.role === "tool" || !reviewed.has(message.content)) return message;
    return { ...message, content: reviewed.get(message.content) ?? HIDDEN_USER_TEXT };
  });
}

/**
 * Splits off messages of the roles `context` and `event`, if the guardrails object accepts them.
 *
 * @throws InputShapeError for a reserved variable
 */
function takeSteering(value: unknown, { allowContextMessages, allowEventMessages }: Host) {
  const roles = new Set([...(allowContextMessages ? ["context"] : []), ...(allowEventMessages ? ["event"] : [])]);
  if (!Array.isArray(value) || roles.size === 0) return { steering: [], rest: value };
  const isSteering = (item: unknown): boolean => isObject(item) && !isMessage(item) && roles.has(String(item["role"]));
  const steering = value.filter(isSteering).map(readMessage);
  checkSteering(steering, allowEventMessages === true);
  return { steering, rest: steering.length === 0 ? value : value.filter((item) => !isSteering(item)) };
}
