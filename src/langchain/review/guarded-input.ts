import type { BaseMessage } from "@langchain/core/messages";
import { indexesRefused } from "../blocked-turns.js";
import type { GuardedCall } from "../call.js";
import { hiddenMessage } from "../graph/message-updates.js";
import { rewriteWhole, wholeText } from "../values/message-extras.js";
import { extractText } from "../values/content.js";
import { roleOf } from "../values/message-kinds.js";
import { readUserInput } from "../values/read-user-input.js";
import { type UserInput, type UserInputOptions } from "../values/input-object.js";
import { verdictOf } from "../verdict.js";

/** Reads the user's side of a value for one call: its variables are set, and its history is checked. */
export function readGuardedInput(
  value: unknown,
  call: GuardedCall,
  options: UserInputOptions = {},
): Promise<UserInput> {
  return openInput(readUserInput(value, { ...options, trustedKeys: options.trustedKeys ?? call.trustedKeys }), call);
}

/**
 * Sets the variables of an input and checks its earlier messages, as the option `history` says: what a rail masked in an
 * earlier turn comes again with every request that sends the conversation again.
 */
export async function openInput(input: UserInput, call: GuardedCall): Promise<UserInput> {
  if (Object.keys(input.variables).length > 0) call.conversation.assign(input.variables);
  if (call.history === "trust") return input;
  const lists = [input.messages.slice(0, input.pending[0] ?? 0), ...input.histories].filter(({ length }) => length > 0);
  if (lists.length === 0) return input;
  const refused = new Set(lists.flatMap((list) => refusedMessages(list, call)));
  const users = lists.flat().filter((message) => roleOf(message) === "user" && !refused.has(message));
  const texts = new Set(users.map((message) => wholeText(message)).filter((text) => text !== ""));
  const reviewed = await call.conversation.history([...texts], call.history);
  if (refused.size === 0 && reviewed.size === 0) return input;
  return input.edited((message) => {
    if (refused.has(message)) return hiddenMessage(message);
    const text = roleOf(message) === "user" ? wholeText(message) : "";
    if (!reviewed.has(text)) return message;
    const left = reviewed.get(text);
    return left === undefined ? hiddenMessage(message) : rewriteWhole(message, left);
  });
}

/** Messages that a refusal of this runtime answered. Around a chain of texts a refusal carries no verdict. */
function refusedMessages(list: readonly BaseMessage[], { conversation }: GuardedCall): readonly BaseMessage[] {
  const isRefusal = (message: BaseMessage): boolean =>
    verdictOf(message) === undefined && conversation.isRefusal(extractText(message));
  const refused = indexesRefused(list, isRefusal, roleOf);
  return list.filter((_, index) => refused.has(index));
}
