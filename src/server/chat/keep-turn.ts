import { roleOf } from "../../langchain/values/message-kinds.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { type ConversationMessage, toWireMessages } from "../openai-format/messages.js";
import type { WireReply } from "../openai-format/completion.js";
import type { StoredReply } from "../threads/record.js";
import type { ChatCall } from "./chat-call.js";

/** A turn that is complete. */
interface CompleteTurn {
  readonly reply: WireReply;
  readonly verdict: GuardrailsMetadata | undefined;
  /** Makes the response for requests with the same key. */
  readonly sent: () => StoredReply;
}

/**
 * Keeps the turn in the conversation. INVARIANT: messages are kept as rails left them; those of a turn that an input rail
 * blocked are not kept at all.
 *
 * @returns the reply of another request with the same key that was faster
 * @throws ApiError 409 if another process has changed the conversation meanwhile
 */
export async function keepTurn(
  call: ChatCall,
  { reply, verdict, sent }: CompleteTurn,
): Promise<StoredReply | undefined> {
  const { thread, reviewed } = call;
  if (thread === undefined) return undefined;
  const isHidden = reviewed.blocked !== undefined || (verdict?.blocked === true && verdict.stage !== "output");
  const messages = isHidden ? undefined : [...(await sentMessages(call, verdict)), reply];
  return thread.save({ messages, reply: sent });
}

/** The conversation as the model got it, and without a model as the input rails leave it. */
async function sentMessages(call: ChatCall, verdict: GuardrailsMetadata | undefined): Promise<ConversationMessage[]> {
  const { exchange, reviewed, chosen, scope } = call;
  if (exchange.sent !== undefined) return exchange.sent as ConversationMessage[];
  const wire = toWireMessages(reviewed.messages, exchange) as ConversationMessage[];
  const isModified =
    verdict?.decisions.some(({ stage, status }) => stage === "input" && status === "modified") === true;
  if (!isModified) return wire;
  const last = reviewed.messages.findLastIndex((message) => roleOf(message) === "user");
  const checked = await chosen.served.guardrails.check(reviewed.messages.slice(last), {
    stage: "input",
    signal: scope.signal,
  });
  return wire.with(last, { role: "user", content: checked.output });
}
