import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { refusalOf } from "../blocked.js";
import { type Block } from "../../turn/decision.js";
import { closing } from "../call.js";
import { contextVariables } from "../values/plain-object.js";
import { openInput, reviewInput } from "../review/review.js";
import { redactData } from "../../turn/redact-data.js";
import { createRedactor } from "../../turn/redactor.js";
import { readPending, wholeTexts, rewriteMessages } from "../values/read-user-input.js";
import { messageFingerprint } from "../tools/tool-calls.js";
import { withVerdict } from "../verdict.js";
import {
  type AgentRuntime,
  openAgentCall,
  writeVerdict,
  type GuardrailsState,
  hideMessage,
  isReviewed,
  stateOf,
  type AgentGuard,
  shownBlock,
} from "./agent-state.js";

export interface AgentState {
  readonly messages: readonly BaseMessage[];
}

/** Beginning of a turn: input rails over all user messages since the last answer. */
export async function reviewTurn(guard: AgentGuard, state: AgentState, runtime: AgentRuntime | undefined) {
  const given = guard.rails.input === false ? undefined : readPending(state.messages);
  if (given === undefined) return undefined;
  return closing(openAgentCall(guard, runtime), async (call) => {
    const input = await openInput(given, call);
    const { block, texts, verdict } = await reviewInput(input, call);
    writeVerdict(runtime, verdict);
    if (block !== undefined) {
      const shown = shownBlock(guard, block, guard.blockedInputMessage);
      const hidden = given.pending.map((index) => hideMessage(given.messages[index] as BaseMessage));
      const own: GuardrailsState = { passed: [], verdict: { ...block.verdict, blocked: true } };
      return { messages: [...hidden, refusalMessage(shown)], jumpTo: "end", _guardrails: own };
    }
    const rewritten = rewriteMessages(input, texts);
    const changed = rewritten.filter((message, index) => message !== state.messages[index]);
    const rewrites = wholeTexts(given).flatMap((text, index) =>
      text === texts[index] ? [] : [{ text, replacement: texts[index] }],
    );
    const own: GuardrailsState = {
      passed: given.pending.flatMap((index) => rewritten[index] ?? []).map(messageFingerprint),
      verdict: { ...verdict, blocked: false },
      // A checkpointer keeps plain data; the texts that rails rewrote are not among it.
      variables: redactData(contextVariables(call.conversation.variables), createRedactor(rewrites)) ?? {},
    };
    return { ...(changed.length === 0 ? {} : { messages: changed }), _guardrails: own };
  });
}

/** Builds the agent's answer to a block before any model was called. */
export function refusalMessage(block: Block): AIMessage {
  return withVerdict(new AIMessage({ content: refusalOf(block) }), block.verdict);
}

/**
 * Before a model is asked: input rails over what came into the conversation by other ways than the beginning of the turn
 * and the tools it ran, such as messages that other middleware adds.
 */
export async function reviewUnseen(
  guard: AgentGuard,
  request: AgentState & { readonly state: object; readonly runtime?: AgentRuntime | undefined },
): Promise<{ readonly messages: readonly BaseMessage[]; readonly block?: Block }> {
  const { messages } = request;
  const given = guard.rails.input === false ? undefined : readPending(messages);
  if (given === undefined) return { messages };
  const own = stateOf(request.state);
  const seen = new Set(given.pending.filter((index) => isReviewed(given.messages[index] as BaseMessage, own)));
  if (seen.size === given.pending.length) return { messages };
  return closing(openAgentCall(guard, request.runtime, request.state), async (call) => {
    const review = await reviewInput(given, call, seen);
    writeVerdict(request.runtime, review.verdict);
    const { block, texts } = review;
    return block === undefined ? { messages: rewriteMessages(given, texts) } : { messages, block };
  });
}
