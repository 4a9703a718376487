import type { BaseMessage } from "@langchain/core/messages";
import { sha256 } from "@langchain/core/utils/hash";
import { readToolCalls } from "./tool-calls.js";
import { jsonText } from "../values/json-text.js";
import { roleOf } from "../values/message-kinds.js";

/**
 * Identity of a message: its id plus its content. INVARIANT: a message that is replaced under its id is another message.
 */
export function messageFingerprint(message: BaseMessage): string {
  // Agents give the result of a tool its id only after the rails have checked it.
  const { id, tool_call_id: call } = message as BaseMessage & { readonly tool_call_id?: string };
  return sha256(
    jsonText(
      [call ?? id ?? null, roleOf(message), message.content, readToolCalls(message)],
      "the parts of this message",
    ),
  );
}
