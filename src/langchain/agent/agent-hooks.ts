import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Block } from "../../turn/decision.js";
import { refusalOf } from "../blocked.js";
import { runAndClose, type GuardedCall } from "../call.js";
import type { NodeRun } from "../graph/node-state.js";
import { runInner } from "../graph/node-work.js";
import { outputReview, reviewThrownResult } from "../review/thrown-results.js";
import { readToolCalls, refusedResult } from "../tools/tool-calls.js";
import { reviewCommand } from "../tools/tool-output.js";
import type { Decided } from "../tools/tool-review.js";
import { extractText } from "../values/content.js";
import { isMessage, type PlainObject, roleOf } from "../values/message-kinds.js";
import { withVerdict } from "../verdict.js";
import { type AgentGuard, type AgentRuntime, openAgentCall, shownBlock, writeVerdict } from "./agent-state.js";
import { guardToolCall, type ToolRequestLike } from "./agent-tool.js";

/** Hooks of a middleware that write to the agent's state. */
const HOOKS = ["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const;

type HookName = (typeof HOOKS)[number];

type RunHook = (state: PlainObject, runtime: AgentRuntime) => unknown;

interface HookWithJumps {
  readonly hook: RunHook;
  readonly canJumpTo?: readonly string[];
}

type WrapToolCall = (
  request: ToolRequestLike,
  handler: (request: ToolRequestLike) => Promise<unknown> | unknown,
) => Promise<unknown> | unknown;

/** Returns the hooks of a middleware around state and tools, each behind the rails; only those that it has. */
export function guardHooks(guard: AgentGuard, middleware: object): object {
  const runHooks = middleware as Readonly<Partial<Record<HookName, RunHook | HookWithJumps>>>;
  const { wrapToolCall: wrap } = middleware as { readonly wrapToolCall?: WrapToolCall };
  const wrapToolCall: WrapToolCall | undefined =
    wrap &&
    ((request, handler) =>
      guardToolCall(guard, request, (guardedRequest) => wrap.call(middleware, guardedRequest, handler), {
        startsTurn: false,
      }));
  const hooks = HOOKS.flatMap((name) => {
    const hook = runHooks[name];
    return hook === undefined ? [] : [[name, guardHook(guard, name, hook)] as const];
  });
  return { ...Object.fromEntries(hooks), ...(wrapToolCall && { wrapToolCall }) };
}

/**
 * Runs a hook like a guarded node: output rails review all that it writes, and none of its output is visible before. A
 * block drops it and ends the turn with the refusal.
 */
function guardHook(guard: AgentGuard, name: HookName, innerHook: RunHook | HookWithJumps): HookWithJumps {
  const { hook, canJumpTo = [] } = typeof innerHook === "function" ? { hook: innerHook } : innerHook;
  const isLast = name === "afterAgent";
  const run: RunHook = (state, runtime) =>
    runAndClose(openAgentCall(guard, runtime, state), async (call) => {
      const around = (own: PlainObject, config: RunnableConfig): unknown =>
        hook(own, { ...runtime, writer: (config as AgentRuntime).writer });
      const options = { around, messagesKey: "messages" } as unknown as NodeRun["options"];
      const { update, block, decisions } = await runReviewed({ state, call, options });
      const verdict = { ...(block?.verdict ?? { blocked: false }), decisions };
      writeVerdict(runtime, verdict);
      if (block === undefined) return update;
      const shown = shownBlock(guard, { ...block, verdict }, guard.blockedOutputMessage);
      return { messages: refusalsOf(messagesIn(state), shown), ...(isLast ? {} : { jumpTo: "end" }) };
    });
  return { hook: run, canJumpTo: isLast ? canJumpTo : [...new Set([...canJumpTo, "end"])] };
}

/** Runs the hook and reviews what it writes, asks or commands; its update is undefined if it writes nothing. */
async function runReviewed(run: NodeRun): Promise<Decided & { readonly update?: PlainObject | undefined }> {
  const { state, call } = run;
  const messages = messagesIn(state);
  const asking = messages.findLast((message) => roleOf(message) === "user");
  const userText = asking === undefined ? "" : extractText(asking);
  const work = await runInner(run, state, call.config).catch((error: unknown) =>
    reviewThrownResult(error, call, userText),
  );
  if ("decisions" in work) return work;
  if (work.update === undefined || !guardsOutput(call)) return { update: work.update, decisions: [] };
  const { update, jump } = withoutJump(work.update);
  const isKnown = (message: BaseMessage): boolean => messages.some((known) => isSameMessage(known, message));
  const command = { lg_name: "Command" as const, update };
  const { output, ...reviewed } = await reviewCommand(command, outputReview(call, userText), { isKnown });
  return { ...reviewed, update: { ...output.update, ...jump } };
}

const guardsOutput = ({ conversation }: GuardedCall): boolean => conversation.guards("output");

/** Targets of a jump, which LangChain checks by itself. */
const JUMPS: ReadonlySet<unknown> = new Set(["model", "tools", "end", undefined]);

/** Separates the target of a jump, which is not a text. */
function withoutJump(hookResult: PlainObject): { readonly update: PlainObject; readonly jump: PlainObject } {
  const { jumpTo, ...update } = hookResult;
  return "jumpTo" in hookResult && JUMPS.has(jumpTo) ? { update, jump: { jumpTo } } : { update: hookResult, jump: {} };
}

function messagesIn({ messages }: PlainObject): readonly BaseMessage[] {
  return Array.isArray(messages) ? messages.filter(isMessage) : [];
}

/** Returns true if the state already holds the message with all its parts. */
function isSameMessage(known: BaseMessage, message: BaseMessage): boolean {
  if (known === message) return true;
  if (known.id === undefined || known.id !== message.id) return false;
  return JSON.stringify(known.toDict()) === JSON.stringify(message.toDict());
}

/** The refusal, and a result for each open tool call, without which a provider would refuse the conversation. */
function refusalsOf(messages: readonly BaseMessage[], block: Block): readonly BaseMessage[] {
  const at = messages.findLastIndex((message) => roleOf(message) === "assistant");
  const answered = new Set(messages.slice(at + 1).map((message) => Reflect.get(message, "tool_call_id")));
  const asking = messages[at];
  const open = asking === undefined ? [] : readToolCalls(asking).filter(({ id }) => !answered.has(id));
  const refusal = refusalOf(block);
  const results = open.map((call) => refusedResult(call, refusal, block.verdict));
  return [...results, withVerdict(new AIMessage({ content: refusal }), block.verdict)];
}
