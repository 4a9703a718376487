import type { BaseMessage } from "@langchain/core/messages";
import { joinLines } from "../../turn/lines.js";
import { shapeError } from "../shape-error.js";
import type { Answer, ReadOptions } from "./answer.js";
import { ownTextOf, refuseMessage, releaseMessage, rewriteMessage, extraTextOf } from "./answer-message.js";
import { readMessages } from "./answer-messages.js";
import { readObject } from "./answer-object.js";
import { unseenInMessage } from "./message-extras.js";
import { isMessage, isReadableMessage, isObject, roleOf, toMessage, type PlainObject } from "./message-kinds.js";
import { reasoningText, rewriteReasoning } from "./reasoning.js";
import { ANSWER_HINT, answerKeyOf, isMessageList } from "./side.js";

const MAX_NESTING = 8;

/**
 * Reads the bot's side of a value.
 *
 * @throws InputShapeError for a shape whose text cannot be found: what cannot be read must not pass unreviewed
 */
export function readAnswer(value: unknown, options: ReadOptions = {}): Answer {
  return read(value, options, 0);
}

function read(value: unknown, options: ReadOptions, depth: number): Answer {
  if (typeof value === "string") return readString(value);
  if (isMessage(value)) return readMessage(value);
  if (isMessageList(value) && value.every(isMessage)) return readMessages(value, options.asked);
  if (isDataList(value)) {
    const messages = value.map(toMessage);
    return answerInData(value, messages, readMessages(messages, options.asked));
  }
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string")) {
    return readStrings(value);
  }
  if (isObject(value) && depth < MAX_NESTING) {
    const key = answerKeyOf(value, options) ?? (Array.isArray(value["messages"]) ? "messages" : undefined);
    if (key !== undefined) {
      const inner = { ...options, outputKey: undefined };
      return readObject(value, key, options, (held) => read(held, inner, depth + 1));
    }
  }
  throw shapeError("the answer cannot be read, so it cannot be checked", value, ANSWER_HINT);
}

function isDataList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(isReadableMessage);
}

function readString(value: string): Answer {
  const answer: Answer = {
    value,
    text: value,
    reasoning: () => "",
    replaceReasoning: () => answer,
    rewrite: (text) => text,
    refuse: (refusal) => refusal,
    mark: () => value,
  };
  return answer;
}

function readStrings(value: readonly string[]): Answer {
  const answer: Answer = {
    value,
    text: value.join("\n"),
    reasoning: () => "",
    replaceReasoning: () => answer,
    rewrite: (text) => (text === value.join("\n") ? value : text.split("\n")),
    refuse: (refusal) => [refusal],
    mark: () => value,
  };
  return answer;
}

function readMessage(value: BaseMessage): Answer {
  if (roleOf(value) !== "assistant") throw shapeError("this message is no answer of the bot", value, ANSWER_HINT);
  const mainText = ownTextOf(value);
  const text = joinLines(mainText, extraTextOf(value, mainText));
  return {
    value,
    text,
    ...(text === mainText ? {} : { mainText }),
    message: value,
    callers: [{ message: value }],
    unseen: () => unseenInMessage(value),
    reasoning: () => reasoningText(value),
    replaceReasoning: (reasoning) => readMessage(rewriteReasoning(value, reasoning)),
    rewrite: (rewritten) => rewriteMessage(value, text, rewritten),
    refuse: (refusal, verdict) => refuseMessage(value, refusal, verdict),
    mark: (verdict) => releaseMessage(value, verdict),
  };
}

/** Fields of a message as plain data; a refused one keeps no others. */
const FIELDS = [
  "id",
  "name",
  "content",
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "usage_metadata",
  "tool_call_id",
  "status",
  "artifact",
] as const;

/**
 * An answer in messages that came as plain data, and leaves as plain data. What did not change stays the very same value.
 *
 * @param value - the messages as they came
 * @param messages - the same as objects, in the same order
 * @param answer - the answer found in these objects
 */
function answerInData(value: readonly unknown[], messages: readonly BaseMessage[], answer: Answer): Answer {
  // INVARIANT: what is no longer the object that was read is made anew.
  const like: unknown = value[messages.findIndex((message) => message === answer.message)];
  const back = (result: unknown): unknown =>
    (result as readonly BaseMessage[]).map((message, index, all) => {
      const at = messages.indexOf(message);
      if (at >= 0) return value[at];
      return toData(message, all.length === value.length ? value[index] : like);
    });
  const inData = (read: Answer, unchanged: unknown): Answer => ({
    ...read,
    value: unchanged,
    replaceReasoning: (reasoning) => {
      const replaced = read.replaceReasoning(reasoning);
      return reasoning === read.reasoning() ? inData(read, unchanged) : inData(replaced, back(replaced.value));
    },
    rewrite: (text) => (text === read.text ? unchanged : back(read.rewrite(text))),
    refuse: (refusal, verdict) => back(read.refuse(refusal, verdict)),
    mark: (verdict) => back(read.mark(verdict)),
  });
  return inData(answer, value);
}

/** The message as data of the kind it was: with a `role`, a `type` or both. */
function toData(message: BaseMessage, like: unknown): PlainObject {
  const original = isObject(like) ? like : {};
  const kind = Object.fromEntries(["role", "type"].flatMap((key) => (key in original ? [[key, original[key]]] : [])));
  const fields = FIELDS.flatMap((key) => {
    const field = (message as unknown as PlainObject)[key];
    return field === undefined || (isEmpty(field) && !(key in original)) ? [] : [[key, field] as const];
  });
  return { ...(Object.keys(kind).length === 0 ? { role: "assistant" } : kind), ...Object.fromEntries(fields) };
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
