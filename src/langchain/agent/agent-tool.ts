import type { CallbackManagerForToolRun } from "@langchain/core/callbacks/manager";
import type { Serialized } from "@langchain/core/load/serializable";
import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { ToolInvocationError } from "langchain";
import type { RailDecision, Block } from "../../turn/decision.js";
import { refusalOf, violation } from "../blocked.js";
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
  host: Host,
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
    const shown = { ...block, refusal: guard.toolMessage ?? block.refusal };
    if (guard.onBlocked === "throw") throw violation(shown);
    return refusedResult(proposed, refusalOf(shown), block.verdict);
  };
  const blocked = refusedBefore(earlier, proposed);
  if (blocked !== undefined) return refuse(blocked);
  return closing(openAgentCall(host, request.runtime, guard.rails, request.state), (call) =>
    guardCallOf(host, guard, { request, handler, call, proposed, refuse }),
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
  host: Host,
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
  const fallback = call.conversation.guardsTool("tool_input", name) ? undefined : inputReview(guard, call);
  const direct = answersUser(request.tool) ? outputReview(guard, call, userText) : undefined;
  const isReviewed = fallback !== undefined || direct !== undefined || call.conversation.guardsTool("tool_input", name);
  const shown = isReviewed ? await ToolRun.open(host, review.call) : undefined;
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
    const run = await node.manager?.handleToolStart(
      SERIALIZED,
      input,
      undefined,
      undefined,
      undefined,
      undefined,
      name,
      id,
    );
    return new ToolRun(node, run);
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

/** The input rails, for tools without rails on their results: a result is input to the model like the user's text. */
function inputReview(guard: AgentGuard, { conversation }: GuardedCall): ReviewText | undefined {
  if (guard.rails.input === false || !conversation.guards("input")) return undefined;
  return async ({ text: own, extra = "" }) => {
    const text = joinLines(own, extra);
    const { texts, verdict, block } = await conversation.input({ pending: [{ text }] });
    return { text: texts[0] ?? text, decisions: verdict.decisions, ...(block === undefined ? {} : { block }) };
  };
}

/** The result of such a tool is the agent's answer, and no model rephrases it. */
function answersUser(tool: unknown): boolean {
  return isObject(tool) && tool["returnDirect"] === true;
}

function outputReview(guard: AgentGuard, { conversation }: GuardedCall, userMessage: string): ReviewText | undefined {
  if (guard.rails.output === false || !conversation.guards("output")) return undefined;
  return async ({ text: own, extra = "" }) => {
    const text = joinLines(own, extra);
    const { texts, verdict, block } = await conversation.output({ botMessage: text, userMessage });
    return { text: texts[0] ?? text, decisions: verdict.decisions, ...(block === undefined ? {} : { block }) };
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
