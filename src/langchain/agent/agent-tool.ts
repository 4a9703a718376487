import type { Serialized } from "@langchain/core/load/serializable";
import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { ToolInvocationError } from "langchain";
import type { Block } from "../../turn/decision.js";
import { refusalOf } from "../blocked.js";
import { joinLines } from "../../turn/extra-text.js";
import { runAndClose, type GuardedCall } from "../call.js";
import { extractText } from "../values/content.js";
import type { Host } from "../host.js";
import { outputReview } from "../review/thrown-results.js";
import { isObject, roleOf } from "../values/message-kinds.js";
import { jsonText } from "../shape-error.js";
import { registeredVerdict, verdictOf } from "../verdict.js";
import type { ProposedCall } from "../tools/call-copies.js";
import { readToolCalls, refusedResult } from "../tools/tool-calls.js";
import { reviewOutput, reviewToolOutput } from "../tools/tool-output.js";
import { isMarked, type OutputReview, reviewCall, type ReviewText } from "../tools/tool-review.js";
import {
  type AgentRuntime,
  openAgentCall,
  writeVerdict,
  type AgentGuard,
  quarantineNode,
  shownBlock,
  stateOf,
  writeState,
} from "./agent-state.js";
import { hide, restore, restoreError, restoreOutput } from "../tools/restored-output.js";
import { maskMessages } from "./agent-pseudonyms.js";
import { decisionsAbout, refusedBefore } from "./refused-calls.js";
import { restartTurn } from "./agent-turn.js";

/** Request that a middleware receives for a tool call. */
export interface ToolRequestLike {
  readonly toolCall: { readonly name: string; readonly args: unknown; readonly id?: string | undefined };
  readonly tool: unknown;
  readonly state: object;
  readonly runtime?: AgentRuntime | undefined;
}

/**
 * Guards one tool call: rails on its arguments, the tool, rails on its result. A blocked call or result becomes a tool
 * message of status `error`, so the model can continue without it.
 */
export async function guardToolCall<Request extends ToolRequestLike>(
  guard: AgentGuard,
  request: Request,
  handler: (request: Request) => Promise<unknown> | unknown,
  { startsTurn }: { readonly startsTurn: boolean },
): Promise<unknown> {
  const { runtime, tool } = request;
  const { name, args, id } = request.toolCall;
  const { messages = [] } = request.state as { readonly messages?: readonly BaseMessage[] };
  let proposed: ProposedCall = { name, args, id };
  const refuse = (block: Block): ToolMessage => {
    writeVerdict(runtime, block.verdict);
    return refusedResult(proposed, refusalOf(shownBlock(guard, block, guard.blockedToolMessage)), block.verdict);
  };
  const blocked = refusedBefore(decisionsOn(messages, id, verdictOf), proposed);
  if (blocked !== undefined) return refuse(blocked);
  const started = startsTurn ? await restartTurn(guard, request.state, runtime) : request;
  if ("block" in started && started.block !== undefined) return refuse(started.block);
  const { state } = started;
  return runAndClose(openAgentCall(guard, runtime, state), async (call) => {
    const masked = guard.host.runtime.hasPseudonyms ? await maskMessages(messages, call) : undefined;
    if (masked?.table !== undefined) proposed = { name, args: hide(args, masked.table), id };
    const asking = (masked?.messages ?? messages).findLast((message) => roleOf(message) === "user");
    const userText = asking === undefined ? "" : extractText(asking);
    // INVARIANT: a verdict from another source may refuse a call but never pass one.
    const review = isMarked(decisionsOn(messages, id, registeredVerdict), "passed", proposed)
      ? { call: proposed, decisions: [] }
      : await reviewCall(proposed, call, { userText, tools: tool === undefined ? [] : [tool] });
    if (review.block !== undefined) return refuse(review.block);
    const toolCall = { ...request.toolCall, args: restore(review.call.args, call.pseudonyms) };
    const isSame = review.call.args === proposed.args;
    const run = async (): Promise<unknown> => handler(isSame ? request : { ...request, toolCall });
    const isGuarded = call.conversation.guardsTool("tool_input", name);
    // Without tool rails, a result is input to the model like a user message.
    const fallback = isGuarded ? undefined : sideReview("input", guard, call, userText);
    // With `returnDirect`, the result is the agent's response and no model rephrases it.
    const returnsToUser = isObject(tool) && tool["returnDirect"] === true;
    const direct = returnsToUser ? sideReview("output", guard, call, userText) : undefined;
    const isReviewed = isGuarded || fallback !== undefined || direct !== undefined;
    const shown = isReviewed ? await openToolRun(guard.host, { ...review.call, args: toolCall.args }) : undefined;
    const result = await reviewToolOutput(review.call, call, run, { userText, review: fallback })
      .then((reviewed) => (direct === undefined ? reviewed : reviewDirect(reviewed, direct, name)))
      .catch(async (error: unknown) => {
        await shown?.fail(error);
        throw asToolError(restoreError(error, call.pseudonyms), request);
      });
    if (result.block !== undefined)
      return shown === undefined ? refuse(result.block) : shown.refuse(refuse, result.block);
    const output = await restoreOutput(result.output, call.pseudonyms);
    await shown?.end(output);
    if (returnsToUser && stateOf(state) !== undefined) writeState({ later: result.decisions });
    writeVerdict(runtime, { blocked: false, decisions: [...review.decisions, ...result.decisions] });
    return output;
  });
}

/** Opens the tool run that streams show, with the reviewed result. */
async function openToolRun(host: Host, { name, args, id }: ProposedCall) {
  const node = quarantineNode(host);
  const input = jsonText(args, "the arguments of this tool call");
  const unset = [undefined, undefined, undefined, undefined] as const;
  const run = await node.manager?.handleToolStart(SERIALIZED, input, ...unset, name, id);
  const end = async (output: unknown): Promise<void> => {
    node.restore();
    await run?.handleToolEnd(output);
  };
  const fail = async (error: unknown): Promise<void> => {
    node.restore();
    await run?.handleToolError(error);
  };
  /** Ends with a refusal, or with the error in its place. */
  const endRefused = async (refuse: (block: Block) => unknown, block: Block): Promise<unknown> => {
    try {
      const output = refuse(block);
      await end(output);
      return output;
    } catch (error) {
      await fail(error);
      throw error;
    }
  };
  return { end, fail, refuse: endRefused };
}

const SERIALIZED: Serialized = { lc: 1, type: "not_implemented", id: ["langchain_guardrails", "tool"] };

/** Runs the rails of one side of the conversation over a result. */
function sideReview(
  stage: "input" | "output",
  { rails }: AgentGuard,
  call: GuardedCall,
  userMessage: string,
): ReviewText | undefined {
  const { conversation } = call;
  if (rails[stage] === false || !conversation.guards(stage)) return undefined;
  if (stage === "output") return outputReview(call, userMessage);
  return async ({ text: own, extra = "" }) => {
    const text = joinLines(own, extra);
    const { texts, verdict, block } = await conversation.input([{ text }]);
    return { text: texts[0] ?? text, decisions: verdict.decisions, ...(block === undefined ? {} : { block }) };
  };
}

async function reviewDirect(before: OutputReview, direct: ReviewText, name: string): Promise<OutputReview> {
  if (before.block !== undefined) return before;
  const after = await reviewOutput(before.output, direct, name);
  return { ...after, decisions: [...before.decisions, ...after.decisions] };
}

function decisionsOn(messages: readonly BaseMessage[], id: string | undefined, verdictOn: typeof registeredVerdict) {
  if (id === undefined) return [];
  const asking = messages.findLast((message) => readToolCalls(message).some((call) => call.id === id));
  const { decisions = [] } = (asking === undefined ? undefined : verdictOn(asking)) ?? {};
  return decisionsAbout(decisions, id);
}

/**
 * Agents treat an error thrown in a middleware as the middleware's own and stop. A tool's error is marked as such, so
 * the model receives it as it would without this middleware, and an outer middleware can retry.
 */
function asToolError(error: unknown, { toolCall }: ToolRequestLike): unknown {
  if (!(error instanceof Error) || (isObject(error) && error["is_bubble_up"] === true)) return error;
  if (error.name === "AbortError" || ToolInvocationError.isInstance(error)) return error;
  const failure = new ToolInvocationError(error, { name: toolCall.name, id: toolCall.id ?? "", args: {} });
  return Object.assign(failure, { name: error.name, message: `${String(error)}\n Please fix your mistakes.` });
}
