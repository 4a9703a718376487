import { omitUndefined } from "../../engine/plain-data.js";
import { type BaseMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { InputShapeError } from "../../diagnostics/errors.js";
import { HIDDEN_USER_TEXT } from "../../turn/conversation.js";
import { roleOf } from "../values/message-kinds.js";

/**
 * Updates that turn one list of messages into the other, for the reducer of a graph: it replaces by id, and takes out what a
 * `RemoveMessage` names.
 *
 * @throws InputShapeError when a message that must change has no id: the old one would stay in the state
 */
export function messageUpdates(before: readonly BaseMessage[], after: readonly BaseMessage[]): BaseMessage[] {
  const kept = new Set<BaseMessage>(before);
  const ids = new Set(after.map(({ id }) => id));
  const gone = before.filter((message) => !after.includes(message) && !ids.has(idOf(message)));
  return [
    ...gone.map((message) => new RemoveMessage({ id: idOf(message) })),
    ...after.filter((message) => !kept.has(message)),
  ];
}

/** Placeholder of a message: same id, same place, none of its text. */
export function hiddenMessage(message: BaseMessage): BaseMessage {
  const { id, name, tool_call_id } = message as ToolMessage;
  const content = HIDDEN_USER_TEXT;
  if (roleOf(message) !== "tool") return new HumanMessage({ content, ...omitUndefined({ id }) });
  return new ToolMessage({ content, tool_call_id, status: "error", ...omitUndefined({ id, name }) });
}

export function idOf(message: BaseMessage): string {
  if (message.id !== undefined) return message.id;
  throw new InputShapeError(
    "a message of the state has no id, so it cannot be replaced; use a channel with `messagesStateReducer`, such as that of " +
      "`MessagesAnnotation`",
  );
}
