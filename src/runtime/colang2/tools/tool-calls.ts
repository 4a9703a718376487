import { outcomeEvents } from "../host-loop.js";
import type { EngineConversation } from "../../../colang2/engine/conversation.js";
import type { EventDraft, GuardrailsEvent } from "../../../engine/events.js";
import type { ToolTurnMessage, TurnMessage, TurnOptions } from "../../../turn/options.js";
import { NO_EXTRAS } from "../../../turn/extra-text.js";
import { checkTool, selectToolRails } from "../../../rails/tools/tool-check.js";
import { type Colang2Run, type Colang2Services, judgeInput } from "../run.js";
import { splitActionEvent, modalityOf } from "../../../colang2/event-names.js";
import { isMetaField } from "../../../colang2/engine/state/event.js";
import type { ActionCall } from "../../../turn/result.js";
import { argumentsOf } from "../dispatch-action.js";
import { toolNameOf } from "./tool-names.js";
import { type LocalAction, type LocalOutcome, startLocal } from "../local-actions.js";

/** A result supplied by the caller for a delegated action. */
interface ToolResult {
  readonly action: string;
  readonly uid: string;
  readonly content: string;
  readonly failed: boolean;
  /** True if rails have reviewed it. */
  readonly reviewed: boolean;
}

/** Messages of a call, split into awaited tool results and others. */
interface BroughtResults {
  readonly results: readonly ToolResult[];
  /** All other messages. */
  readonly others: readonly TurnMessage[];
  /** For each user-side text, in message order: the index of its result, or `user`. */
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
 * Splits off results of actions that this conversation waits for; all other messages stay unchanged. If there are any,
 * the messages up to the response with the calls are already known.
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

type Feed = (drafts: readonly EventDraft[]) => Promise<void>;

/**
 * Tool results are user-side texts: rails review them before flows receive them, either the tool-result rails or the
 * input rails. A flow whose result was blocked is notified that its action failed, and the rest of the turn is skipped.
 *
 * @param texts - the results as the rails leave them; modified here
 * @returns true if all of them passed
 */
export async function takeResults(
  services: Colang2Services,
  run: Colang2Run,
  { results, texts, feed }: { readonly results: readonly ToolResult[]; readonly texts: string[]; readonly feed: Feed },
): Promise<boolean> {
  let passed = true;
  for (const [index, result] of results.entries()) {
    const { action, uid, failed } = result;
    const content = result.reviewed ? result.content : await reviewResult(services, run, result, feed);
    passed &&= content !== undefined;
    texts[index] = content ?? "";
    // The end of an action as its host reports it, with the reason of a failure.
    const end =
      failed || content === undefined
        ? { status: "failed", is_success: false, failure_reason: content ?? BLOCKED, return_value: null }
        : { status: "success", is_success: true, return_value: content };
    await feed([{ type: `${action}Finished`, action_uid: uid, ...end }]);
  }
  return passed;
}

const BLOCKED = "a rail blocked the result";

/** Returns the result as the rails left it; undefined if they blocked it. */
async function reviewResult(
  services: Colang2Services,
  run: Colang2Run,
  { content, action, uid, failed }: ToolResult,
  feed: Feed,
): Promise<string | undefined> {
  const { turn } = run;
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

/** All user-side texts in their original order. */
export function inOrder(
  order: readonly (number | "user")[],
  results: readonly string[],
  utterances: readonly string[],
): readonly string[] {
  let next = 0;
  return order.map((place) => (place === "user" ? utterances[next++] : results[place]) ?? "");
}

/**
 * Runs the tool-call rails before an action is delegated; undefined if there are none. INVARIANT: the call is emitted
 * only if they pass it. The flow of a blocked call is notified that the action failed.
 */
export function launchToolRails(
  services: Colang2Services,
  run: Colang2Run,
  request: GuardrailsEvent,
): LocalAction | undefined {
  const action = splitActionEvent(request.type)?.action ?? "";
  // Bot expressions are not tools, and a refused timer would end at once.
  if (run.scope === "rail" || modalityOf(action) !== undefined) return undefined;
  const tool = toolNameOf(services, action, run.turn.options);
  if (selectToolRails(services, "tool_output", tool, run.turn.options).length === 0) return undefined;
  // Asynchronous like the action itself, which the caller performs.
  return startLocal(run, `the action \`${action}\` was stopped`, ({ signal }) =>
    review(services, run, { tool, action, request, signal }),
  );
}

async function review(
  services: Colang2Services,
  run: Colang2Run,
  call: { readonly tool: string; readonly action: string; readonly request: GuardrailsEvent; signal: AbortSignal },
): Promise<LocalOutcome> {
  const { tool, action, request, signal } = call;
  const { turn } = run;
  const args = argumentsOf(request);
  const subject = { tool, args, callId: String(request["action_uid"]), userMessage: turn.userTexts.at(-1) };
  const part = turn.part();
  part.cancellation.follow(signal);
  const check = await checkTool(services, part, "tool_output", subject).finally(() => part.close());
  turn.decisions.push(...check.decisions);
  if (check.status !== "blocked" && check.status !== "error") {
    const passed = check.args === undefined ? request : withArguments(request, check.args);
    writeText(run, request, passed);
    return { events: [], request: passed };
  }
  writeText(run, request, withArguments(request, {}));
  run.toolRefusal ??= check.refusal;
  const raised = check.exception === undefined ? [] : [check.exception];
  return { events: [...raised, cancelledEnd(action, request, "blocked by a tool rail")] };
}

/** INVARIANT: the record of a run shows a call as its rails left it. */
function writeText({ events }: Colang2Run, request: GuardrailsEvent, left: GuardrailsEvent): void {
  const at = events.findIndex(({ type, action_uid: uid }) => type === request.type && uid === request["action_uid"]);
  if (at !== -1) events[at] = left;
}

function cancelledEnd(action: string, request: GuardrailsEvent, reason: string): EventDraft {
  const end = { status: "failed", is_success: false, was_stopped: true, failure_reason: reason, return_value: null };
  return { type: `${action}Finished`, action_uid: request["action_uid"], ...end };
}

/** Returns the ends of the actions that a blocked turn would have delegated. */
export function cancelledEvents(output: readonly GuardrailsEvent[]): EventDraft[] {
  return openRequests(output).flatMap((request) => {
    const action = splitActionEvent(request.type)?.action ?? "";
    return modalityOf(action) === undefined ? [cancelledEnd(action, request, "the turn was blocked")] : [];
  });
}

/** Returns the tool calls that are delegated to the caller. */
export function callsOf(
  services: Colang2Services,
  output: readonly GuardrailsEvent[],
  options: TurnOptions,
): readonly ActionCall[] {
  return openRequests(output).map((request) => {
    const action = splitActionEvent(request.type)?.action ?? "";
    const modality = modalityOf(action)?.modality;
    return {
      id: String(request["action_uid"]),
      name: modality === undefined ? toolNameOf(services, action, options) : action,
      args: argumentsOf(request),
      ...(modality === undefined ? {} : { modality }),
    };
  });
}

/** Requests that were not revoked in the same turn. */
function openRequests(output: readonly GuardrailsEvent[]): readonly GuardrailsEvent[] {
  const ended = new Set<unknown>();
  for (const { type, action_uid: uid } of output) {
    const member = splitActionEvent(type)?.member;
    if (member === "Stop" || member === "Finished") ended.add(uid);
  }
  return output.filter(
    ({ type, action_uid: uid }) =>
      splitActionEvent(type)?.member === "Start" && typeof uid === "string" && !ended.has(uid),
  );
}

function withArguments(request: GuardrailsEvent, args: Readonly<Record<string, unknown>>): GuardrailsEvent {
  const envelope = Object.entries(request).filter(([name]) => isMetaField(name));
  const given = Object.entries(args).filter(([name]) => !isMetaField(name));
  return Object.fromEntries([...given, ...envelope]) as unknown as GuardrailsEvent;
}
