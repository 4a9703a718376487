import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { type Block, refusalOf, violation } from "../blocked.js";
import { reviewInputAndResults } from "../guarded-calls.js";
import type { Host } from "../host.js";
import { pendingTexts, readPending, rewriteMessages, settleMessages, type UserInput } from "../values/user-input.js";
import { withVerdict } from "../verdict.js";
import { type AgentRuntime, openAgentCall, writeVerdict } from "./agent-call.js";
import { type GuardrailsState, hideMessage, isReviewed, passedState, stateOf } from "./agent-state.js";
import type { AgentGuard } from "./middleware-options.js";

export interface AgentState {
  readonly messages: readonly BaseMessage[];
}

export interface InputUpdate {
  readonly messages?: BaseMessage[];
  readonly jumpTo?: "end";
  readonly _guardrails: GuardrailsState;
}

/** The beginning of a turn: input rails over everything the user said since the last answer. */
export async function reviewTurn(
  host: Host,
  guard: AgentGuard,
  state: AgentState,
  runtime: AgentRuntime | undefined,
): Promise<InputUpdate | undefined> {
  const given = guard.rails.input === false ? undefined : readPending(state.messages);
  if (given === undefined) return undefined;
  const { review, input } = await reviewInputAndResults(host, given, openAgentCall(host, runtime, guard.rails));
  writeVerdict(runtime, review.verdict);
  if (review.block !== undefined) return blockTurn(guard, given, review.block);
  const changed = rewriteMessages(input, review.texts).filter((message, index) => message !== given.messages[index]);
  return {
    ...(changed.length === 0 ? {} : { messages: changed }),
    _guardrails: passedState(given, review.verdict.decisions),
  };
}

function blockTurn(guard: AgentGuard, given: UserInput, block: Block): InputUpdate {
  const said = { ...block, refusal: guard.inputMessage ?? block.refusal };
  if (guard.onBlocked === "throw") throw violation(said);
  const hidden = given.pending.flatMap((index) => {
    const message = given.messages[index];
    return message === undefined ? [] : [hideMessage(message)];
  });
  return {
    messages: [...hidden, refusalMessage(said)],
    jumpTo: "end",
    _guardrails: passedState(given, block.verdict.decisions, true),
  };
}

/** The agent's answer where a rail blocked before anybody could answer. */
export function refusalMessage(block: Block): AIMessage {
  return withVerdict(new AIMessage({ content: refusalOf(block) }), block.verdict);
}

/**
 * Before a model is asked: input rails over what came into the conversation by other ways than the beginning of the turn
 * and the tools it ran, such as messages that other middleware adds.
 */
export async function reviewUnseen(
  host: Host,
  guard: AgentGuard,
  request: AgentState & { readonly state: object; readonly runtime?: AgentRuntime | undefined },
): Promise<{ readonly messages: readonly BaseMessage[]; readonly block?: Block }> {
  const { messages } = request;
  const given = guard.rails.input === false ? undefined : readPending(messages);
  if (given === undefined) return { messages };
  const own = stateOf(request.state);
  const seen = given.pending.filter((index) => isReviewed(given.messages[index] as BaseMessage, own));
  if (seen.length === given.pending.length) return { messages };
  const texts = pendingTexts(given);
  const settled = new Map(seen.map((index) => [index, texts[given.pending.indexOf(index)] ?? ""]));
  const call = openAgentCall(host, request.runtime, guard.rails);
  const { review, input } = await reviewInputAndResults(host, settleMessages(given, settled), call);
  writeVerdict(request.runtime, review.verdict);
  if (review.block === undefined) return { messages: rewriteMessages(input, review.texts) };
  return { messages, block: { ...review.block, refusal: guard.inputMessage ?? review.block.refusal } };
}
