import { roleOf } from "../../langchain/values/message-kinds.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { type ConversationMessage, toWireMessages } from "../openai-format/messages.js";
import type { WireReply } from "../openai-format/completion.js";
import type { ChatCall } from "./chat-call.js";

/**
 * Keeps the turn in the conversation. INVARIANT: messages are kept as rails left them; a turn that an input rail blocked is not
 * kept at all.
 *
 * @throws ApiError 409 if another process has changed the conversation meanwhile
 */
export async function keepTurn(
  call: ChatCall,
  reply: WireReply,
  verdict: GuardrailsMetadata | undefined,
): Promise<void> {
  const { thread, reviewed } = call;
  if (thread === undefined || reviewed.blocked !== undefined) return;
  if (verdict?.blocked === true && verdict.stage !== "output") return;
  await thread.save([...(await sentMessages(call, verdict)), reply]);
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
