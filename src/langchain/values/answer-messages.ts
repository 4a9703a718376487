import type { BaseMessage } from "@langchain/core/messages";
import type { Answer } from "./answer.js";
import { splitLines } from "../../turn/lines.js";
import { refuseMessage, releaseMessage, rewriteMessage, textOfAnswer } from "./answer-message.js";
import { unseenInMessage, wholeText } from "./message-extras.js";
import { distributeText, extractText } from "./content.js";
import { roleOf } from "./message-kinds.js";
import { registeredVerdict, withoutForeignVerdict } from "./registered-verdict.js";
import { reasoningText, rewriteReasoning } from "./reasoning.js";
import { ANSWER_HINT } from "./side.js";
import { shapeError } from "../shape-error.js";
import { readToolCalls } from "../tools/tool-calls.js";

/**
 * Reads the bot's messages at the end of a list.
 *
 * @param asked - texts that the caller sent
 */
export function readMessages(value: readonly BaseMessage[], asked?: readonly string[]): Answer {
  // INVARIANT: a message of a user that the caller never sent does not end the answer before it.
  const lastUser = value.findLastIndex(
    (message) => roleOf(message) === "user" && (asked === undefined || asked.includes(wholeText(message))),
  );
  const answers = value.filter((message, index) => index > lastUser && roleOf(message) === "assistant");
  const last = answers.at(-1);
  if (last === undefined) throw shapeError("this list holds no answer of the bot", value, ANSWER_HINT);
  const emitted = value.filter(
    (message, index) =>
      index > lastUser && (answers.includes(message) || isUnreviewedResult(message)) && textOfAnswer(message) !== "",
  );
  const text = emitted.map((message) => textOfAnswer(message)).join("\n");
  const question = value[lastUser];
  return {
    value,
    text,
    message: last,
    callers: value.flatMap((message, index) =>
      answers.includes(message) && awaits(message, value) ? [{ message, index }] : [],
    ),
    userText: question === undefined ? undefined : extractText(question),
    unseen: () =>
      value.flatMap((message, index) => (index > lastUser ? unseenInMessage(message, `messages[${index}]`) : [])),
    reasoning: () => answers.map((message) => reasoningText(message)).join(""),
    replaceReasoning: (reasoning) => readMessages(replaceReasonings(value, answers, reasoning), asked),
    rewrite: (rewritten) =>
      rewritten === text ? value : rewriteAnswers(value, emitted.length > 0 ? emitted : [last], rewritten),
    // INVARIANT: all messages of the bot and its tools since the user's message are removed.
    refuse: (refusal, verdict) => [...value.slice(0, lastUser + 1), refuseMessage(last, refusal, verdict)],
    mark: (verdict) =>
      value.map((message, index) => {
        if (message === last) return releaseMessage(message, verdict);
        if (answers.includes(message)) return releaseMessage(message, verdict, false);
        return index > lastUser ? withoutForeignVerdict(message) : message;
      }),
  };
}

/** INVARIANT: a result of a tool that no rail of ours has reviewed leaves with the list, so output rails read it. */
function isUnreviewedResult(message: BaseMessage): boolean {
  return roleOf(message) === "tool" && registeredVerdict(message) === undefined;
}

/** Returns true if a message asks for a tool whose result is not in the list. */
function awaits(message: BaseMessage, value: readonly BaseMessage[]): boolean {
  const done = new Set(value.map((each) => (each as { tool_call_id?: unknown }).tool_call_id));
  return readToolCalls(message).some(({ id }) => id === undefined || !done.has(id));
}

/** Each message keeps its own reasoning if the lines show which is which; otherwise the first one gets all of it. */
function replaceReasonings(
  value: readonly BaseMessage[],
  answers: readonly BaseMessage[],
  reasoning: string,
): BaseMessage[] {
  const before = answers.map((message) => reasoningText(message));
  const after = distributeText(before, "", reasoning);
  return value.map((message) => {
    const index = answers.indexOf(message);
    return index < 0 ? message : rewriteReasoning(message, after[index] ?? "");
  });
}

function rewriteAnswers(value: readonly BaseMessage[], emitted: readonly BaseMessage[], text: string): BaseMessage[] {
  const before = emitted.map(textOfAnswer);
  const after = splitLines(before, text);
  return value.map((message) => {
    const index = emitted.indexOf(message);
    if (index < 0) return message;
    const own = after?.[index] ?? (index === emitted.length - 1 ? text : "");
    return rewriteMessage(message, before[index] ?? "", own);
  });
}
