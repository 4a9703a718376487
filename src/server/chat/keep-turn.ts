import { roleOf } from "../../langchain/values/message-kinds.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { type ConversationMessage, toWireMessages } from "../openai-format/messages.js";
import type { WireReply } from "../openai-format/completion.js";
import type { StoredReply } from "../threads/record.js";
import type { ChatCall } from "./chat-call.js";

/** A completed turn. */
interface CompleteTurn {
  readonly reply: WireReply;
  readonly verdict: GuardrailsMetadata | undefined;
  /** Creates the response for requests with the same idempotency key. */
  readonly sent: () => StoredReply;
}

/**
 * Stores the turn in the conversation. INVARIANT: messages are stored as rails left them; a turn that an input rail blocked is
 * not stored.
 *
 * @returns the reply of a concurrent request with the same key that finished first
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

/** Returns the conversation as the model received it; without a model, as the input rails left it. */
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
