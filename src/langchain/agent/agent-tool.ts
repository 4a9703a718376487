import { omitUndefined } from "../../engine/plain-data.js";
import type { CallbackManagerForToolRun } from "@langchain/core/callbacks/manager";
import type { Serialized } from "@langchain/core/load/serializable";
import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { ToolInvocationError } from "langchain";
import type { RailDecision, Block } from "../../turn/decision.js";
import { refusalOf } from "../blocked.js";
import { joinLines } from "../../turn/extra-text.js";
import { closing, type GuardedCall } from "../call.js";
import { extractText } from "../values/content.js";
import type { Host } from "../host.js";
import { isObject, roleOf } from "../values/message-kinds.js";
import { jsonText } from "../shape-error.js";
import { registeredVerdict, verdictOf } from "../verdict.js";
import { type ProposedCall, readToolCalls, refusedResult } from "../tools/tool-calls.js";
import { type OutputReview, reviewOutput, type ReviewText, reviewToolOutput } from "../tools/tool-output.js";
import { hasPassed, reviewCall } from "../tools/tool-review.js";
import {
  type AgentRuntime,
  openAgentCall,
  writeVerdict,
  type AgentGuard,
  type NodeQuarantine,
  quarantineNode,
  shownBlock,
} from "./agent-state.js";
import { decisionsAbout, refusedBefore } from "./refused-calls.js";

/** Request that a middleware receives for a tool call. */
export interface ToolRequestLike {
  readonly toolCall: { readonly name: string; readonly args: unknown; readonly id?: string | undefined };
  readonly tool: unknown;
  readonly state: object;
  readonly runtime?: AgentRuntime | undefined;
}

/**
 * One call of a tool, guarded: rails on its arguments, then the tool, then rails on its result. What is blocked becomes a
 * result of status `error`, so that the model can go on without it.
 */
export async function guardToolCall<Request extends ToolRequestLike>(
  guard: AgentGuard,
  request: Request,
  handler: (request: Request) => Promise<unknown> | unknown,
): Promise<unknown> {
  const { name, args, id } = request.toolCall;
  const messages = messagesOf(request.state);
  const earlier = decisionsOn(messages, id, verdictOf);
  const proposed: ProposedCall = { name, args, id };
  const refuse = (block: Block): ToolMessage => {
    writeVerdict(request.runtime, block.verdict);
    return refusedResult(proposed, refusalOf(shownBlock(guard, block, guard.toolMessage)), block.verdict);
  };
  const blocked = refusedBefore(earlier, proposed);
  if (blocked !== undefined) return refuse(blocked);
  return closing(openAgentCall(guard, request.runtime, request.state), (call) =>
    guardCallOf(guard, { request, handler, call, proposed, refuse }),
  );
}

interface GuardedToolCall<Request extends ToolRequestLike> {
  readonly request: Request;
  readonly handler: (request: Request) => Promise<unknown> | unknown;
  readonly call: GuardedCall;
  readonly proposed: ProposedCall;
  readonly refuse: (block: Block) => ToolMessage;
}

async function guardCallOf<Request extends ToolRequestLike>(
  guard: AgentGuard,
  { request, handler, call, proposed, refuse }: GuardedToolCall<Request>,
): Promise<unknown> {
  const { name } = proposed;
  const messages = messagesOf(request.state);
  const userText = userTextOf(messages);
  const tools = request.tool === undefined ? [] : [request.tool];
  // INVARIANT: a verdict from elsewhere may refuse a call, and never let one pass.
  const review = hasPassed(decisionsOn(messages, proposed.id, registeredVerdict), proposed)
    ? { call: proposed, decisions: [] }
    : await reviewCall(proposed, call, { userText, tools });
  if (review.block !== undefined) return refuse(review.block);
  const toolCall = { ...request.toolCall, args: review.call.args };
  const run = async (): Promise<unknown> => handler(review.call === proposed ? request : { ...request, toolCall });
  const isGuarded = call.conversation.guardsTool("tool_input", name);
  // A result without rails of its own is input to the model like the user's text; a direct one answers the user.
  const fallback = isGuarded ? undefined : sideReview("input", guard, call, userText);
  const direct = answersUser(request.tool) ? sideReview("output", guard, call, userText) : undefined;
  const isReviewed = isGuarded || fallback !== undefined || direct !== undefined;
  const shown = isReviewed ? await ToolRun.open(guard.host, review.call) : undefined;
  const result = await reviewToolOutput(review.call, call, run, { userText, review: fallback })
    .then((reviewed) => (direct === undefined ? reviewed : reviewDirect(reviewed, direct, name)))
    .catch(async (error: unknown) => {
      await shown?.fail(error);
      throw asToolError(error, request);
    });
  if (result.block !== undefined)
    return shown === undefined ? refuse(result.block) : shown.endWith(refuse, result.block);
  await shown?.end(result.output);
  writeVerdict(request.runtime, { blocked: false, decisions: [...review.decisions, ...result.decisions] });
  return result.output;
}

/** The run of a tool as streams show it: with a result that was reviewed. */
class ToolRun {
  readonly #node: NodeQuarantine;
  readonly #run: CallbackManagerForToolRun | undefined;

  private constructor(node: NodeQuarantine, run: CallbackManagerForToolRun | undefined) {
    this.#node = node;
    this.#run = run;
  }

  static async open(host: Host, { name, args, id }: ProposedCall): Promise<ToolRun> {
    const node = quarantineNode(host);
    const input = jsonText(args, "the arguments of this tool call");
    const unset = [undefined, undefined, undefined, undefined] as const;
    return new ToolRun(node, await node.manager?.handleToolStart(SERIALIZED, input, ...unset, name, id));
  }

  async end(output: unknown): Promise<void> {
    this.#node.restore();
    await this.#run?.handleToolEnd(output);
  }

  /** Ends with a refusal, or with the error that stands for it. */
  async endWith(refuse: (block: Block) => unknown, block: Block): Promise<unknown> {
    try {
      const output = refuse(block);
      await this.end(output);
      return output;
    } catch (error) {
      await this.fail(error);
      throw error;
    }
  }

  async fail(error: unknown): Promise<void> {
    this.#node.restore();
    await this.#run?.handleToolError(error);
  }
}

const SERIALIZED: Serialized = { lc: 1, type: "not_implemented", id: ["langchain_guardrails", "tool"] };

/** The result of such a tool is the agent's answer, and no model rephrases it. */
function answersUser(tool: unknown): boolean {
  return isObject(tool) && tool["returnDirect"] === true;
}

/** The rails of a side of the conversation over a result. */
function sideReview(
  stage: "input" | "output",
  { rails }: AgentGuard,
  { conversation }: GuardedCall,
  userMessage: string,
): ReviewText | undefined {
  if (rails[stage] === false || !conversation.guards(stage)) return undefined;
  return async ({ text: own, extra = "" }) => {
    const text = joinLines(own, extra);
    const reviewing =
      stage === "input"
        ? conversation.input({ pending: [{ text }] })
        : conversation.output({ botMessage: text, userMessage });
    const { texts, verdict, block } = await reviewing;
    return { text: texts[0] ?? text, ...omitUndefined({ decisions: verdict.decisions, block }) };
  };
}

async function reviewDirect(before: OutputReview, direct: ReviewText, name: string): Promise<OutputReview> {
  if (before.block !== undefined) return before;
  const after = await reviewOutput(before.output, direct, name);
  return { ...after, decisions: [...before.decisions, ...after.decisions] };
}

function decisionsOn(
  messages: readonly BaseMessage[],
  id: string | undefined,
  verdictOn: typeof verdictOf,
): readonly RailDecision[] {
  if (id === undefined) return [];
  const asking = messages.findLast((message) => readToolCalls(message).some((call) => call.id === id));
  const { decisions = [] } = (asking === undefined ? undefined : verdictOn(asking)) ?? {};
  return decisionsAbout(decisions, id);
}

/**
 * Agents take an error out of a middleware for one of the middleware and end. That of a tool is marked as such, so that
 * the model receives it as without this middleware, and an outer middleware may retry.
 */
function asToolError(error: unknown, { toolCall }: ToolRequestLike): unknown {
  if (!(error instanceof Error) || (isObject(error) && error["is_bubble_up"] === true)) return error;
  if (error.name === "AbortError" || ToolInvocationError.isInstance(error)) return error;
  const failure = new ToolInvocationError(error, { name: toolCall.name, id: toolCall.id ?? "", args: {} });
  return Object.assign(failure, { name: error.name, message: `${String(error)}\n Please fix your mistakes.` });
}

function messagesOf(state: object): readonly BaseMessage[] {
  const { messages } = state as { readonly messages?: readonly BaseMessage[] };
  return messages ?? [];
}

function userTextOf(messages: readonly BaseMessage[]): string {
  const last = messages.findLast((message) => roleOf(message) === "user");
  return last === undefined ? "" : extractText(last);
}
