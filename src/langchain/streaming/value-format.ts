import { AIMessageChunk } from "@langchain/core/messages";
import type { AnswerReview } from "../../turn/options.js";
import type { AnswerOptions } from "../values/answer.js";
import { isMessage, isObject, isPromptValue, type PlainObject } from "../values/message-kinds.js";
import { shapeOfRunnable } from "../review/result-shape.js";
import type { ChunkFormat } from "./chunk-format.js";
import { messageFormat } from "./message-format.js";
import { objectFormat } from "./object-format.js";
import { shapeError } from "../shape-error.js";

/** Chunk format of a chain's stream, detected from its first chunk; undefined if it must be buffered. */
export function formatOfValue(chunk: unknown, review: AnswerReview, options: AnswerOptions): ChunkFormat | undefined {
  const { guarded, readsReasoning = false } = review;
  const plain = (value: unknown): ChunkFormat | undefined => {
    if (typeof value === "string") return stringFormat;
    return AIMessageChunk.isInstance(value)
      ? messageFormat({ guarded, readsReasoning, mayAskForTools: true })
      : undefined;
  };
  const form = plain(chunk);
  if (form !== undefined || !isObject(chunk) || isMessage(chunk) || isPromptValue(chunk)) return form;
  return objectFormat({ outputKey: options.outputKey, contextKey: options.contextKey, innerOf: plain });
}

/** Graphs stream their steps and not their result in pieces, so they are asked for the result. */
export function streamsItsResult(runnable: unknown): boolean {
  if (shapeOfRunnable(runnable)?.kind === "messages") return false;
  return !isRemoteGraph(runnable);
}

function isRemoteGraph(runnable: unknown): boolean {
  if (!isObject(runnable)) return false;
  const inner =
    (runnable as PlainObject)["bound"] ?? (Array.isArray(runnable["middle"]) ? runnable["last"] : undefined);
  return "graphId" in runnable || (inner !== undefined && isRemoteGraph(inner));
}

/** Streams of strings. They have no place for a verdict. */
export const stringFormat: ChunkFormat = {
  isComposite: false,
  read(chunk) {
    if (typeof chunk !== "string") {
      throw shapeError("this stream of strings goes on with something else", chunk, "stream values of one kind");
    }
    return { text: chunk, waits: false };
  },
  release: (chunks, { texts, text }) => (texts.join("") === text ? chunks : text === "" ? [] : [text]),
  close: ({ rest }) => (rest === "" ? [] : [rest]),
  refuse: (refusal) => refusal,
  findings: () => ({}),
};
