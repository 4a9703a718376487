import { QUESTION_KEYS } from "../values/answer.js";
import { applyBlock } from "../blocked.js";
import { closing, type GuardedCall } from "../call.js";
import { utteranceMessage } from "../verdict.js";
import { takeSteering } from "./generation-messages.js";
import { readGuardedInput, takeGuardedTurn } from "../review/guarded-turn.js";
import { sideOf } from "../values/side.js";
import { joinStream } from "../step.js";
import { streamFrom, unreadMsOf } from "../streaming/sink.js";
import { streamThroughRails } from "../streaming/stream-output.js";
import { textStream, type StreamingTurn, streamingTurn, refusalMessage } from "../streaming/streaming-turn.js";
import { moderateAnswer } from "../steps/review-steps.js";
import { shapeError } from "../shape-error.js";
import { type BaseMessage, AIMessageChunk } from "@langchain/core/messages";
import { hiddenMessage } from "../graph/message-updates.js";
import { isMessage, isObject, isPromptValue } from "../values/message-kinds.js";
import { rewriteMessages } from "../values/read-user-input.js";
import { type UserInput } from "../values/input-object.js";

/** Streams what the guardrails object makes of a value: the reviewed answer of a pipe, or the reply to the user. */
export async function* streamReply(chunks: AsyncGenerator<unknown>, call: GuardedCall): AsyncGenerator<unknown> {
  const first = await chunks.next();
  const all = resumed(first, chunks);
  if (first.done !== true && isPieceOfAnswer(first.value)) yield* streamThroughRails(all, call, {});
  else yield* streamAnswer(await joinStream(all), call);
}

/** Streams the text of the turn while it is made, where the answer is a message and not a part of something else. */
async function* streamAnswer(value: unknown, call: GuardedCall): AsyncGenerator<unknown> {
  const { host } = call;
  if (sideOf(takeSteering(value, host).rest) === "bot" || !repliesWithMessage(value)) {
    yield await replyToValue(value, call);
    return;
  }
  yield* streamFrom(call.config.signal, unreadMsOf(host, call.config), (sink, signal) =>
    closing(call.with({ signal }), async (own) => {
      const reply = await replyToValue(value, own, streamingTurn(host, sink, textStream(host, sink)));
      if (reply !== undefined) await sink.put(reply);
    }),
  );
}

/**
 * Replies to a value: output rails for the bot's side, a whole guarded turn for the user's side.
 *
 * @param turn - the stream in which the text of the turn leaves
 * @returns undefined when all of the reply has left
 * @throws InputShapeError when there is no model to answer the user
 */
export async function replyToValue(value: unknown, call: GuardedCall, turn?: StreamingTurn): Promise<unknown> {
  const { host } = call;
  const { steering, rest } = takeSteering(value, host);
  if (sideOf(rest) === "bot") return moderateAnswer(rest, call, {});
  if (!host.runtime.hasMain && !host.runtime.hasDialog) {
    throw shapeError(
      "there is no main model to answer the user",
      value,
      "give one with the `llm` option or under `models`, or use `wrap(model)`, `input()` or `check()`",
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
    replyTo(input, refusalMessage(turn, refusal, block.verdict), kept),
  );
}

/** Returns true if the reply to such a value is a message alone. */
function repliesWithMessage(value: unknown): boolean {
  if (!isObject(value) || isMessage(value) || isPromptValue(value) || !Array.isArray(value["messages"])) return true;
  return QUESTION_KEYS.some((key) => value[key] !== undefined);
}

/**
 * The reply in the shape of what was asked: a message, or for `{ messages }` the messages with it, as a graph's node writes
 * them.
 *
 * @param texts - what the user said as the input rails left it; undefined when they blocked it, and then it goes
 */
function replyTo(input: UserInput, reply: BaseMessage, texts: readonly string[] | undefined): unknown {
  if (repliesWithMessage(input.value)) return reply;
  const messages =
    texts === undefined
      ? input.messages.map((message, index) => (input.pending.includes(index) ? hiddenMessage(message) : message))
      : rewriteMessages(input, texts);
  return { messages: [...messages, reply] };
}

/** Returns true if the first chunk belongs to an answer: a piece of text, of a message, or of an object without messages. */
export function isPieceOfAnswer(chunk: unknown): boolean {
  if (typeof chunk === "string" || AIMessageChunk.isInstance(chunk)) return true;
  return isObject(chunk) && !isMessage(chunk) && !isPromptValue(chunk) && !("messages" in chunk);
}

/** The stream with the chunk again that was read of it. Closing it closes the rest. */
export async function* resumed<Chunk>(
  first: IteratorResult<Chunk>,
  rest: AsyncGenerator<Chunk>,
): AsyncGenerator<Chunk> {
  try {
    if (first.done === true) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
