import { AIMessageChunk } from "@langchain/core/messages";
import type { AnswerReview } from "../../turn/options.js";
import type { AnswerOptions } from "../values/answer.js";
import { isMessage, isObject, isPromptValue, type PlainObject } from "../values/message-kinds.js";
import { shapeOfRunnable } from "../review/result-shape.js";
import type { ChunkForm } from "./chunk-form.js";
import { messageForm } from "./message-form.js";
import { objectForm } from "./object-form.js";
import { stringForm } from "./string-form.js";

/** The form of a chain's stream, told by its first chunk; undefined for what can only be read as a whole. */
export function formOfValue(chunk: unknown, review: AnswerReview, options: AnswerOptions): ChunkForm | undefined {
  const { guarded, readsThoughts = false } = review;
  const plain = (value: unknown): ChunkForm | undefined => {
    if (typeof value === "string") return stringForm;
    return AIMessageChunk.isInstance(value) ? messageForm({ guarded, readsThoughts, mayAskForTools: true }) : undefined;
  };
  const form = plain(chunk);
  if (form !== undefined || !isObject(chunk) || isMessage(chunk) || isPromptValue(chunk)) return form;
  return objectForm({ outputKey: options.outputKey, contextKey: options.contextKey, innerOf: plain });
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
