import type { BaseMessage } from "@langchain/core/messages";
import { joinLines } from "../../turn/lines.js";
import { type Atoms, readValue } from "../structured/structured-text.js";
import { readToolCalls } from "../tools/tool-calls.js";
import type { ReadOptions } from "./answer.js";
import { rewriteMessage, stripMessage, textOfAnswer } from "./answer-message.js";
import { rewriteWhole, wholeText } from "./message-extras.js";
import { isMessage, isObject, roleOf } from "./message-kinds.js";
import { registeredVerdict } from "./registered-verdict.js";

/**
 * Messages inside data: each is read as one text. Those that the caller sent, that come from the application or that rails
 * of ours have reviewed say nothing.
 */
export function messageAtoms({ input, asked = [] }: Pick<ReadOptions, "input" | "asked"> = {}): Atoms {
  let sent: ReadonlySet<string> | undefined;
  const isKnown = (message: BaseMessage): boolean => {
    if (roleOf(message) === "system" || registeredVerdict(message) !== undefined) return true;
    sent ??= new Set([...asked, ...messagesIn(input).map(textOf)]);
    return sent.has(textOf(message));
  };
  return {
    is: isMessage,
    text: (value) => (isKnown(value as BaseMessage) ? "" : textOf(value as BaseMessage)),
    rewrite: (value, text) => rewrite(value as BaseMessage, text),
  };
}

function messagesIn(input: unknown): readonly BaseMessage[] {
  const lists: readonly unknown[] = Array.isArray(input) ? [input] : isObject(input) ? Object.values(input) : [];
  return lists.flatMap((list) => (Array.isArray(list) ? (list as readonly unknown[]).filter(isMessage) : []));
}

/** Everything that a reader of the message may get to see, calls of tools included. */
function textOf(message: BaseMessage): string {
  if (roleOf(message) !== "assistant") return wholeText(message);
  return joinLines(textOfAnswer(message), callsOf(message));
}

function callsOf(message: BaseMessage): string {
  const calls = readToolCalls(message).map(({ name, args }) => ({ [name]: args }));
  return calls.length === 0 ? "" : readValue(calls).text;
}

/** A message that asks for tools loses all of its calls: the rewritten text does not show which are left. */
function rewrite(message: BaseMessage, text: string): BaseMessage {
  if (roleOf(message) !== "assistant") return rewriteWhole(message, text);
  return callsOf(message) === "" ? rewriteMessage(message, textOfAnswer(message), text) : stripMessage(message, text);
}
