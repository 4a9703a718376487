import type { BaseMessage } from "@langchain/core/messages";
import { sha256 } from "@langchain/core/utils/hash";
import type { GuardrailsMetadata, RailDecision } from "../turn/decision.js";
import { summarizeDecisions } from "../turn/decision.js";
import type { ToolCheck } from "../rails/tools/tool-check.js";
import { textsIn } from "../turn/redact-data.js";
import type { Block } from "./blocked.js";
import type { GuardedCall } from "./call.js";
import type { Host } from "./host.js";
import { type ProposedCall, readToolCalls, replaceToolCalls, type ReviewedCall } from "./tool-calls.js";
import { problemOfCall } from "./tool-schema.js";
import { announceDecisions, withoutQuotes } from "./verdict.js";

/** What is known about a call besides itself. */
export interface CallSurroundings {
  readonly userText?: string | undefined;
  /** The tools that the model was offered. */
  readonly tools?: readonly unknown[] | undefined;
}

export interface CallReview {
  /** The call afterwards. */
  readonly call: ProposedCall;
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
}

/** Runs the rails on calls of a tool over one call. */
export async function reviewCall(
  host: Host,
  proposed: ProposedCall,
  guarded: GuardedCall,
  { userText, tools = [] }: CallSurroundings = {},
): Promise<CallReview> {
  const { name, args, id } = proposed;
  if (host.runtime.toolRails("tool_output", name, guarded.options).length === 0)
    return { call: proposed, decisions: [] };
  const problem = await problemOfCall(proposed, tools);
  const subject = { tool: name, args, callId: id, problem, userMessage: userText };
  const check = await host.runtime.checkTool("tool_output", subject, guarded.options);
  const decisions = quoteless(check.decisions, textsIn(args));
  await announceDecisions(decisions, guarded.announce);
  const block = blockOfTool(check, decisions);
  if (block !== undefined) {
    const refused = marked(decisions, "refused", { ...proposed, args: {} });
    return {
      call: proposed,
      decisions: refused,
      block: { ...block, verdict: { ...block.verdict, decisions: refused } },
    };
  }
  const call = check.args === undefined ? proposed : { ...proposed, args: check.args };
  return { call, decisions: marked(decisions, "passed", call) };
}

export interface ResultReview {
  /** The text afterwards. */
  readonly text: string;
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
}

/** Runs the rails on results of a tool over what it answered. */
export async function reviewResult(
  host: Host,
  { call, text, failed }: { readonly call: ProposedCall; readonly text: string; readonly failed?: boolean | undefined },
  guarded: GuardedCall,
  { userText }: CallSurroundings = {},
): Promise<ResultReview> {
  const subject = { tool: call.name, args: call.args, callId: call.id, result: text, failed, userMessage: userText };
  const check = await host.runtime.checkTool("tool_input", subject, guarded.options);
  const decisions = quoteless(check.decisions, [text]);
  await announceDecisions(decisions, guarded.announce);
  const block = blockOfTool(check, decisions);
  return { text: check.result, decisions, ...(block === undefined ? {} : { block }) };
}

export interface CallsReview {
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
  /** The message with its calls as the rails left them; absent when they stay as they are. */
  readonly apply?: <M extends BaseMessage>(message: M) => M;
}

/**
 * Reviews all calls that a message asks for. A block is a block of the whole message, unless blocked calls are `stripped`:
 * then they stay without their arguments, so that whoever runs the tools can refuse just them.
 */
export async function reviewToolCalls(
  host: Host,
  message: BaseMessage,
  guarded: GuardedCall,
  options: CallSurroundings & { readonly strip?: boolean | undefined } = {},
): Promise<CallsReview> {
  // A call that is taken out of its message is known by its id later on.
  const calls = readToolCalls(message).map((call, index) =>
    call.id === undefined && options.strip === true ? { ...call, id: `call_${index}` } : call,
  );
  if (calls.length === 0) return { decisions: [] };
  const reviews = await Promise.all(calls.map((call) => reviewCall(host, call, guarded, options)));
  const decisions = reviews.flatMap((review) => review.decisions);
  const blocked = reviews.find(({ block }) => block !== undefined)?.block;
  if (blocked !== undefined && options.strip !== true) {
    return { decisions, block: { ...blocked, verdict: { ...blocked.verdict, decisions } } };
  }
  const after = reviews.map(({ call, block }): ReviewedCall =>
    block === undefined ? call : { name: call.name, args: {}, id: call.id, stripped: true },
  );
  const isSame = after.every((call, index) => call === calls[index]);
  return isSame ? { decisions } : { decisions, apply: (changed) => replaceToolCalls(changed, calls, after) };
}

function blockOfTool(check: ToolCheck, decisions: readonly RailDecision[]): Block | undefined {
  if (check.status !== "blocked" && check.status !== "error") return undefined;
  const verdict: GuardrailsMetadata = { ...summarizeDecisions(decisions), blocked: true };
  return { refusal: check.refusal ?? "", exception: check.exception, verdict };
}

/** Which call a decision is about stays told; names and ids are not what was blocked. */
function quoteless(decisions: readonly RailDecision[], texts: readonly string[]): readonly RailDecision[] {
  return withoutQuotes(decisions, texts).map((decision, index) => {
    const told = decisions[index]?.metadata;
    if (told === undefined) return decision;
    const { checked, tool, toolCallId } = told;
    const kept = Object.entries({ checked, tool, toolCallId }).filter(([, value]) => value !== undefined);
    return { ...decision, metadata: { ...decision.metadata, ...Object.fromEntries(kept) } };
  });
}

/**
 * The last decision on a call that passed tells what passed, so that whoever runs it need not ask the rails again; on a
 * call that was blocked, what is left of it, so that nobody runs that.
 */
function marked(
  decisions: readonly RailDecision[],
  mark: "passed" | "refused",
  call: ProposedCall,
): readonly RailDecision[] {
  return decisions.map((decision, index) =>
    index === decisions.length - 1
      ? { ...decision, metadata: { ...decision.metadata, [mark]: fingerprint(call) } }
      : decision,
  );
}

/** Whether this very call is what was left of one that these decisions blocked. */
export function wasRefused(decisions: readonly RailDecision[], call: ProposedCall): boolean {
  return decisions.some(({ stage, metadata }) => stage === "execution" && metadata?.["refused"] === fingerprint(call));
}

/** Whether these decisions let this very call pass. */
export function hasPassed(decisions: readonly RailDecision[], call: ProposedCall): boolean {
  return decisions.some(({ stage, metadata }) => stage === "execution" && metadata?.["passed"] === fingerprint(call));
}

/** Tells a call from one with other arguments. */
export function fingerprint({ name, id, args }: Pick<ProposedCall, "name" | "id" | "args">): string {
  return sha256(JSON.stringify([name, id ?? null, args]));
}
