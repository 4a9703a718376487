import type { BaseMessage } from "@langchain/core/messages";
import type { PseudonymTable } from "../../actions/pseudonym-table.js";
import type { GuardedCall } from "../call.js";
import { hide, restore } from "../tools/restored-output.js";
import { messageFingerprint } from "../tools/tool-calls.js";
import { roleOf } from "../values/message-kinds.js";
import { rewriteWhole, wholeText } from "../values/message-extras.js";
import { nameOfCall } from "../values/read-user-input.js";
import { hiddenMessage } from "../verdict.js";

/** Messages as an agent's model receives them, and the pseudonyms in them. */
export interface MaskedMessages {
  readonly messages: readonly BaseMessage[];
  readonly table: PseudonymTable | undefined;
}

/**
 * Replaces values in all messages of an agent by pseudonyms. The agent's state keeps the values, which users and tools
 * read, so every hook numbers the pseudonyms again from the first message: the same messages always get the same
 * pseudonyms, in any process, checkpoint or branch.
 */
export async function maskMessages(messages: readonly BaseMessage[], call: GuardedCall): Promise<MaskedMessages> {
  const { pseudonyms } = call.conversation;
  const masked: BaseMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const name = roleOf(message) === "tool" ? nameOfCall(messages, index) : undefined;
    const text = roleOf(message) === "system" ? "" : wholeText(message, name);
    const changed = text === "" ? undefined : await pseudonyms.replaceAgain([text], name);
    const left = changed?.has(text) === true ? changed.get(text) : text;
    if (left === undefined) masked.push(hiddenMessage(message));
    else masked.push(left === text ? message : rewriteWhole(message, left, name));
  }
  const { table } = pseudonyms;
  if (table === undefined) return { messages: masked, table };
  // Tool arguments, and values that only another message reveals as such.
  return { messages: masked.map((message) => (roleOf(message) === "system" ? message : hide(message, table))), table };
}

/** Returns the original message if rails only replaced values by pseudonyms. */
export function restoreInState(
  message: BaseMessage,
  before: BaseMessage | undefined,
  table: PseudonymTable | undefined,
): BaseMessage {
  const restored = restore(message, table);
  if (table === undefined || before === undefined) return restored;
  const isSame =
    messageFingerprint(restored) === messageFingerprint(before) && wholeText(restored) === wholeText(before);
  return isSame ? before : restored;
}
