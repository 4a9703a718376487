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
  const hidden = indexesRefused(messages, isInputRefusal, roleOf);
  if (hidden.size === 0) return messages;
  return messages.map((message, index) => (hidden.has(index) ? hiddenMessage(message) : message));
}

/** Indexes of the messages that refusals answered: those before each refusal, back to the answer before it. */
export function indexesRefused<Message>(
  messages: readonly Message[],
  isRefusal: (message: Message) => boolean,
  roleOf: (message: Message) => string,
): ReadonlySet<number> {
  const refused = new Set<number>();
  for (const [index, message] of messages.entries()) {
    if (roleOf(message) !== "assistant" || !isRefusal(message)) continue;
    // Messages before an earlier answer have passed, also where that answer only asked for tools.
    for (let at = index - 1; at >= 0; at -= 1) {
      const role = roleOf(messages[at] as Message);
      if (role === "assistant") break;
      if (role !== "system") refused.add(at);
    }
  }
  return refused;
}

function isInputRefusal(message: BaseMessage): boolean {
  if (message.response_metadata === undefined) return false;
  const verdict = verdictOf(message);
  return verdict?.blocked === true && verdict.stage === "input";
}
