import type { BaseMessage } from "@langchain/core/messages";

/** Replaces an earlier message, or returns it as it is. */
export type EditMessage = (message: BaseMessage) => BaseMessage;

/** Edits the messages before an index; returns the list itself if nothing changes. */
export function editEach(
  messages: readonly BaseMessage[],
  before: number,
  edit: EditMessage | undefined,
): readonly BaseMessage[] {
  if (edit === undefined) return messages;
  const changed = messages.map((message, index) => (index < before ? edit(message) : message));
  return changed.every((message, index) => message === messages[index]) ? messages : changed;
}
