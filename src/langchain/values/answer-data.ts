import type { BaseMessage } from "@langchain/core/messages";
import type { Answer } from "./answer.js";
import { isObject, type PlainObject } from "./message-kinds.js";

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
export function answerInData(value: readonly unknown[], messages: readonly BaseMessage[], answer: Answer): Answer {
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
