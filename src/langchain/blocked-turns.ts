import type { BaseMessage } from "@langchain/core/messages";
import { hiddenMessage } from "./graph/message-updates.js";
import { roleOf } from "./values/message-kinds.js";
import { verdictOf } from "./verdict.js";

/**
 * A conversation as models may read it: where an answer is the refusal of an input rail, what it refused becomes a note.
 * Applications keep user messages, and would pass them to the model with every later turn, when no rail checks them any
 * more.
 *
 * @returns the same list when nothing in it was blocked
 */
export function withoutBlockedTurns(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const hidden = new Set<number>();
  for (const [index, message] of messages.entries()) {
    if (!isInputRefusal(message)) continue;
    // What an earlier answer stands behind has passed, also where it only asked for tools.
    for (let at = index - 1; at >= 0; at -= 1) {
      const role = roleOf(messages[at] as BaseMessage);
      if (role === "assistant") break;
      if (role !== "system") hidden.add(at);
    }
  }
  if (hidden.size === 0) return messages;
  return messages.map((message, index) => (hidden.has(index) ? hiddenMessage(message) : message));
}

function isInputRefusal(message: BaseMessage): boolean {
  if (roleOf(message) !== "assistant" || message.response_metadata === undefined) return false;
  const verdict = verdictOf(message);
  return verdict?.blocked === true && verdict.stage === "input";
}
