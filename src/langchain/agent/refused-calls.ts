import { type AIMessage, type BaseMessage, RemoveMessage, type ToolCall } from "@langchain/core/messages";
import { type RailDecision, type Block, hasStatus } from "../../turn/decision.js";
import { refusalOf, violation } from "../blocked.js";
import { registeredVerdict, VERDICT_KEY, verdictOf, withVerdict } from "../verdict.js";
import { cloneMessage, copyOf, isObject, roleOf } from "../values/message-kinds.js";
import type { ProposedCall } from "../tools/call-copies.js";
import { cloneWithCalls, readToolCalls, refusedResult } from "../tools/tool-calls.js";
import { isMarked } from "../tools/tool-review.js";
import { isToolCallBlock } from "../values/content-blocks.js";
import { type AgentRuntime, writeVerdict, type AgentGuard } from "./agent-state.js";

/** Metadata key for the refused calls of a message, from the model's response until the next hook. */
const REFUSED_KEY = "guardrails_refused";

/** A refused call without its arguments, as plain data for checkpointers. */
interface RefusedCall {
  readonly name: string;
  readonly id: string;
  readonly block: Block;
  /** Content blocks that request the call. */
  readonly content: readonly unknown[];
}

/** INVARIANT: refused calls are tracked by identity during the model call, so a provider cannot forge them. */
const made = new WeakSet<object>();

/** Returns the refusal of a call blocked by these decisions; undefined if they did not block it. */
export function refusedBefore(decisions: readonly RailDecision[], call: ProposedCall): Block | undefined {
  const at = decisions.findIndex((decision) => isMarked([decision], "refused", call));
  const blocking = decisions.slice(0, at + 1).findLast((decision) => hasStatus([decision], "blocked", "error"));
  if (blocking === undefined) return undefined;
  const { stage, rail, refusal = "" } = blocking;
  return { refusal, verdict: { blocked: true, stage, rail, decisions } };
}

/** Returns the decisions on a call of this message. */
export function decisionsAbout(decisions: readonly RailDecision[], id: string | undefined): readonly RailDecision[] {
  const onTools = decisions.filter(({ stage }) => stage === "execution");
  const about = onTools.filter(({ metadata }) => metadata?.["toolCallId"] === id);
  // Decisions do not repeat a malformed id.
  return about.length > 0 ? about : onTools;
}

/**
 * Removes refused calls from a model's response. INVARIANT: no other middleware sees them, so `humanInTheLoopMiddleware`
 * cannot offer them for approval at any position in the list.
 *
 * @throws GuardrailViolationError with `onBlocked: "throw"`
 */
export function hideRefused(message: AIMessage, guard: AgentGuard): AIMessage {
  const { [REFUSED_KEY]: before, ...metadata } = message.response_metadata as Record<string, unknown>;
  const earlier = isObject(before) && made.has(before) ? (before as unknown as readonly RefusedCall[]) : [];
  const decisions = registeredVerdict(message)?.decisions ?? [];
  const refusalOfCall = (call: ProposedCall): Block | undefined =>
    call.id === undefined ? undefined : refusedBefore(decisionsAbout(decisions, call.id), call);
  const refused = readToolCalls(message).flatMap((call): RefusedCall[] => {
    const { name, id = "" } = call;
    const block = refusalOfCall(call);
    if (block === undefined) return [];
    const content = [message.content as unknown].flat().filter((item) => callIdOf(item) === id);
    return [{ name, id, block: { ...block, refusal: guard.blockedToolMessage ?? block.refusal }, content }];
  });
  const [first] = refused;
  if (first === undefined && before === undefined) return message;
  if (first !== undefined && guard.onBlocked === "throw") throw violation(first.block);
  const all = [...earlier, ...refused];
  made.add(all);
  const ids = new Set(refused.map(({ id }) => id));
  return cloneWithCalls(message, {
    tool_calls: (message.tool_calls ?? []).filter((call) => refusalOfCall(call) === undefined),
    content: contentWhere(message, (item) => !ids.has(callIdOf(item) ?? "")),
    response_metadata: all.length === 0 ? metadata : { ...metadata, [REFUSED_KEY]: all },
  });
}

/**
 * After the model: puts refused calls back with their refusals as results, in a message before the calls that passed,
 * so the conversation stays valid for every provider. If no call passed, the model continues at once.
 */
export function addRefusals(messages: readonly BaseMessage[], runtime: AgentRuntime | undefined) {
  const message = messages.findLast((candidate) => roleOf(candidate) === "assistant") as AIMessage | undefined;
  const marked: unknown = message?.response_metadata?.[REFUSED_KEY];
  if (message === undefined || !Array.isArray(marked)) return undefined;
  const { [REFUSED_KEY]: _answered, ...response_metadata } = message.response_metadata as Record<string, unknown>;
  const refused = marked as readonly RefusedCall[];
  const passed = message.tool_calls ?? [];
  const results = refused.map((call) => refusedResult(call, refusalOf(call.block), call.block.verdict));
  for (const { block } of refused) writeVerdict(runtime, block.verdict);
  const ids = new Set(refused.map(({ id }) => id));
  const ownBlocks = refused.flatMap(({ content }) => content);
  const isPassed = (item: unknown): boolean => callIdOf(item) !== undefined;
  const refusing = cloneWithCalls(message, {
    response_metadata,
    tool_calls: refused.map(({ name, id }): ToolCall => ({ type: "tool_call", name, id, args: {} })),
    content: contentWhere(message, (item) => !isPassed(item), ownBlocks),
  });
  // The node of the tools has nothing left to run, and leads to the hooks before the model, such as those that count its calls.
  if (passed.length === 0) return { messages: [refusing, ...results], jumpTo: "tools" };
  const asking = cloneWithCalls(message, {
    tool_calls: passed,
    content: Array.isArray(message.content) ? contentWhere(message, (item) => isPassed(item) || isThinking(item)) : "",
    response_metadata: {},
    additional_kwargs: {},
    usage_metadata: undefined,
  });
  // Results that a middleware has given to calls that passed follow their message, which is a new one.
  const answers = messages.slice(messages.indexOf(message) + 1);
  const isOnPassed = ({ stage, metadata }: RailDecision): boolean =>
    stage === "execution" && !ids.has(String(metadata?.["toolCallId"] ?? ""));
  return {
    messages: [
      withDecisions(refusing, message, (decision) => !isOnPassed(decision)),
      ...answers.map(({ id = "" }) => new RemoveMessage({ id })),
      ...results,
      withDecisions(withoutId(asking), message, isOnPassed),
      ...answers.map(withoutId),
    ],
  };
}

/** Returns a copy of the message that is another one for the state. */
function withoutId<M extends BaseMessage>(message: M): M {
  return copyOf(message, { id: undefined, lc_kwargs: { ...message.lc_kwargs, id: undefined } });
}

/** Returns the message with its own decisions from another message. */
function withDecisions(message: AIMessage, from: AIMessage, isOwn: (decision: RailDecision) => boolean): AIMessage {
  const verdict = verdictOf(from);
  if (verdict === undefined) return message;
  const part = { ...verdict, decisions: verdict.decisions.filter(isOwn) };
  // A verdict stored in the meantime no longer belongs to this process.
  if (registeredVerdict(from) !== undefined) return withVerdict(message, part);
  return cloneMessage(message, { response_metadata: { ...message.response_metadata, [VERDICT_KEY]: part } });
}

/** Providers that reason before a call require that reasoning in front of it. */
function isThinking(item: unknown): boolean {
  return isObject(item) && (item["type"] === "thinking" || item["type"] === "redacted_thinking");
}

function contentWhere(
  { content }: BaseMessage,
  keeps: (item: unknown) => boolean,
  more: readonly unknown[] = [],
): BaseMessage["content"] {
  if (!Array.isArray(content)) return content;
  return [...(content as readonly unknown[]).filter(keeps), ...more] as BaseMessage["content"];
}

function callIdOf(item: unknown): string | undefined {
  if (!isToolCallBlock(item)) return undefined;
  const id = item["id"] ?? item["call_id"];
  return typeof id === "string" ? id : "";
}
