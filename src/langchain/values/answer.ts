import type { BaseMessage } from "@langchain/core/messages";
import type { OptionTable } from "../../diagnostics/options.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { joinLines } from "../../turn/lines.js";
import type { ChunkSource } from "../../turn/result.js";
import { shapeError } from "../shape-error.js";
import { answerInData } from "./answer-data.js";
import { ownTextOf, refuseMessage, releaseMessage, rewriteMessage, extraTextOf } from "./answer-message.js";
import { readMessages } from "./answer-messages.js";
import { readObject } from "./answer-object.js";
import { unseenInMessage } from "./message-extras.js";
import type { EvidenceReader } from "./evidence.js";
import { isMessage, isMessageData, isObject, roleOf, toMessage } from "./message-kinds.js";
import { reasoningText, rewriteReasoning } from "./reasoning.js";
import { ANSWER_HINT, answerKeyOf, isMessageList } from "./side.js";
import type { UnseenPart } from "./unseen.js";

/** An answer of any shape, with its text found and ways to give back the same shape with another text. */
export interface Answer {
  readonly value: unknown;
  readonly text: string;
  /** The text without that of other keys beside it, if there are any. */
  readonly mainText?: string | undefined;
  /** The question it answers, where the value tells. */
  readonly userText?: string | undefined;
  /** Evidence beside the answer. */
  readonly relevantChunks?: readonly string[] | undefined;
  /** Source of each of them. */
  readonly sources?: readonly ChunkSource[] | undefined;
  /** The last message of the bot, when the answer is made of messages. */
  readonly message?: BaseMessage | undefined;
  /** The messages of it that ask for tools which have not run, with their places in a list of messages. */
  readonly callers?: readonly Caller[] | undefined;
  /** The parts that rails looked at, when they looked at it part by part. */
  readonly parts?: readonly string[] | undefined;
  /** The parts that no rail can read; absent for answers that are only text. */
  readonly unseen?: (() => readonly UnseenPart[]) | undefined;
  /** Readable reasoning of the model; empty for most answers. */
  reasoning(): string;
  /** The same answer with other thoughts, or without any. */
  replaceReasoning(reasoning: string): Answer;
  /** The same shape with a rewritten text. */
  rewrite(text: string): unknown;
  /** The same shape with a refusal: nothing of the blocked answer stays. */
  refuse(refusal: string, verdict: GuardrailsMetadata): unknown;
  /** The same shape as it leaves: with the verdict on its message, and without what no rail has seen. */
  mark(verdict: GuardrailsMetadata): unknown;
}

/** A message that asks for tools; without a place it is the answer itself. */
export interface Caller {
  readonly message: BaseMessage;
  readonly index?: number | undefined;
}

export interface AnswerOptions {
  readonly outputKey?: string | undefined;
  /** Key of the evidence; `context` unless told. */
  readonly contextKey?: string | undefined;
  /** Leave the evidence in a blocked object. Off by default. */
  readonly keepContext?: boolean | undefined;
  /** Add the verdict to objects under this key. */
  readonly verdictKey?: string | undefined;
}

export const ANSWER_OPTIONS: OptionTable<AnswerOptions> = {
  outputKey: "text",
  contextKey: "text",
  keepContext: "boolean",
  verdictKey: "text",
};

/** Facts about the call, for the reader. */
export interface ReadOptions extends AnswerOptions {
  /** Rails that have reviewed the evidence, or compare the answer with it; without any it is read with the answer. */
  readonly evidence?: EvidenceReader | undefined;
  /** The object that the call was given; its entries that come back unchanged are the user's own. */
  readonly input?: unknown;
  /** Texts of the user; in a list, the answer begins after them. Default: after the last message of a user. */
  readonly asked?: readonly string[] | undefined;
}

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

function isReadable(value: unknown): boolean {
  return isMessage(value) || isMessageData(value);
}

function isDataList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(isReadable);
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
