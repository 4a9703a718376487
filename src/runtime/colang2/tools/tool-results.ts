import type { EngineConversation } from "../../../colang2/engine/conversation.js";
import type { EventDraft } from "../../../engine/events.js";
import type { ToolTurnMessage, TurnMessage } from "../../../turn/options.js";
import { NO_EXTRAS } from "../../../turn/extra-text.js";
import { checkTool, selectToolRails } from "../../../rails/tools/tool-check.js";
import { toolNameOf } from "./delegated-calls.js";
import { judgeInput, outcomeEvents } from "../input-stage.js";
import type { Colang2Run, Colang2Services } from "../run.js";

/** A result that the caller brings for an action that was handed out. */
interface ToolResult {
  readonly action: string;
  readonly uid: string;
  readonly content: string;
  readonly failed: boolean;
  /** Rails have looked at it. */
  readonly reviewed: boolean;
}

/** Messages of a call, split into awaited results of tools and others. */
interface BroughtResults {
  readonly results: readonly ToolResult[];
  /** All other messages. */
  readonly others: readonly TurnMessage[];
  /** Of each text of the user's side, in the order of the messages: the number of its result, or that the user said it. */
  readonly order: readonly (number | "user")[];
}

/** Returns true if flows wait for the end of a delegated action. */
export function isAwaited(engine: EngineConversation, uid: string): boolean {
  const action = engine.state.index.actions.get(uid);
  if (action === undefined) return false;
  const { isOwn, status } = action;
  return isOwn && (status === "starting" || status === "started" || status === "stopping");
}

/**
 * Splits off the results of actions that this conversation waits for; all other messages stay as they are. Where there are
 * some, the messages up to the answer that asked for them were heard before.
 */
export function splitToolResults(engine: EngineConversation, messages: readonly TurnMessage[]): BroughtResults {
  const isResult = (message: TurnMessage): message is ToolTurnMessage & { readonly toolCallId: string } =>
    message.role === "tool" && message.toolCallId !== undefined && isAwaited(engine, message.toolCallId);
  if (!messages.some(isResult)) return { results: [], others: messages, order: [] };
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  const results: ToolResult[] = [];
  const others: TurnMessage[] = [];
  const order: (number | "user")[] = [];
  for (const [index, message] of messages.entries()) {
    if (isResult(message)) {
      const { content, toolCallId: uid, failed = false, reviewed = false } = message;
      if (!reviewed) order.push(results.length);
      results.push({ action: engine.state.index.actions.get(uid)?.name ?? "", uid, content, failed, reviewed });
    } else if (index > answered || message.role === "context" || message.role === "system") {
      others.push(message);
      if (message.role === "user" || message.role === "tool") order.push("user");
    }
  }
  return { results, others, order };
}

/** The end of an action as its host tells it; one that failed tells why. */
function toolResultEvent({ action, uid, failed }: ToolResult, content: string): EventDraft {
  const end = failed
    ? { status: "failed", is_success: false, failure_reason: content, return_value: null }
    : { status: "success", is_success: true, return_value: content };
  return { type: `${action}Finished`, action_uid: uid, ...end };
}

interface Brought {
  readonly results: readonly ToolResult[];
  /** The results as the rails leave them; changed here. */
  readonly texts: string[];
  readonly feed: (drafts: readonly EventDraft[]) => Promise<void>;
}

/**
 * Results of tools are texts of the user's side: rails look at them before flows do, those on results of the tool or else
 * the input rails. A flow whose result was blocked is told that its action has failed; then the rest of the turn is not
 * heard.
 *
 * @returns whether all of them passed
 */
export async function takeResults(
  services: Colang2Services,
  run: Colang2Run,
  { results, texts, feed }: Brought,
): Promise<boolean> {
  let passed = true;
  for (const [index, result] of results.entries()) {
    const content = result.reviewed ? result.content : await reviewResult(services, run, { result, feed });
    passed &&= content !== undefined;
    texts[index] = content ?? "";
    await feed([toolResultEvent(content === undefined ? { ...result, failed: true } : result, content ?? BLOCKED)]);
  }
  return passed;
}

const BLOCKED = "the result was blocked by a rail";

/** The result as the rails left it; undefined when they blocked it. */
async function reviewResult(
  services: Colang2Services,
  run: Colang2Run,
  { result, feed }: Pick<Brought, "feed"> & { readonly result: ToolResult },
): Promise<string | undefined> {
  const { turn } = run;
  const { content, action, uid, failed } = result;
  const tool = toolNameOf(services, action, turn.options);
  if (selectToolRails(services, "tool_input", tool, turn.options).length > 0) {
    const subject = { tool, args: null, callId: uid, result: content, failed };
    const check = await checkTool(services, turn, "tool_input", subject);
    turn.decisions.push(...check.decisions);
    if (check.status === "passed" || check.status === "modified") return check.result;
    run.toolRefusal ??= check.refusal;
    await feed(check.exception === undefined ? [] : [check.exception]);
    return undefined;
  }
  const known = [...turn.userTexts];
  const { extras, readsExtras } = turn;
  turn.userTexts = [content];
  turn.extras = NO_EXTRAS;
  const outcome = await judgeInput(services, run, content);
  const left = turn.userTexts[0] ?? content;
  turn.userTexts = known;
  turn.extras = extras;
  turn.readsExtras = readsExtras;
  await feed(outcomeEvents(services, outcome));
  return outcome.blocked ? undefined : left;
}

/** All texts of the user's side in the order in which they came. */
export function inOrder(
  order: readonly (number | "user")[],
  results: readonly string[],
  said: readonly string[],
): readonly string[] {
  let next = 0;
  return order.map((place) => (place === "user" ? said[next++] : results[place]) ?? "");
}
