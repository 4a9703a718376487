import { advance } from "../../colang1/engine/advance.js";
import { registerFlow } from "../../colang1/engine/state.js";
import { compileFlowBody } from "../../colang1/flow-body.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { isPromise, type MaybePromise } from "../../engine/async.js";
import { isOfRail, stepName } from "../../turn/activity-log.js";
import type { Entry } from "../../turn/decision.js";
import { RUN_RAILS, BETWEEN_INTENT_AND_WORDS, type Run, type RuntimeServices, openedSlotOf } from "./run.js";
import { type ActionError, ColangRuntimeError } from "../../diagnostics/errors.js";
import type { SourceLocation } from "../../diagnostics/source-file.js";
import { reportProblem } from "../../turn/problem-log.js";

/**
 * The event loop: feeds events to the engine and performs requested actions until nothing is pending. Only the loop has
 * effects; the engine is a pure function.
 *
 * @throws ModelError if a model call fails, LimitError if a limit is exceeded, the signal's reason on abort
 */
export function runLoop(services: RuntimeServices, run: Run, initial: readonly Entry[]): MaybePromise<void> {
  const waiting = runUntilWaiting(services, run, initial);
  return waiting === undefined ? undefined : continueLoop(services, run, waiting);
}

async function continueLoop(services: RuntimeServices, run: Run, first: Promise<readonly Entry[]>): Promise<void> {
  for (let waiting: Promise<readonly Entry[]> | undefined = first; waiting !== undefined;) {
    waiting = runUntilWaiting(services, run, await waiting);
  }
}

/** Continues to the next asynchronous action and returns its resulting events; undefined at the end. */
function runUntilWaiting(
  services: RuntimeServices,
  run: Run,
  initial: readonly Entry[],
): Promise<readonly Entry[]> | undefined {
  let batch = initial;
  while (batch.length > 0) {
    run.cancellation.throwIfAborted();
    const { last, drafts, flow } = takeIn(services, run, batch);
    if (last === undefined || last.type === "Listen" || run.exception !== undefined) return undefined;
    const step = drafts.at(-1);
    if (step !== undefined && flow !== undefined && run.turn.activity !== undefined) noteStep(run, flow, step);
    // The rest of the turn's model call is cancelled at the first step that does not need it; rails do not count.
    const hasCall = step !== undefined && run.scope !== "rail" && run.turn.slot !== undefined;
    const call = hasCall ? openedSlotOf(run.turn)?.call : undefined;
    if (step !== undefined && call !== undefined && needsNoModel(services, step)) call.cancelRest();
    const next = nextBatch(services, run, last, drafts);
    if (isPromise(next)) return next;
    batch = next;
  }
  return undefined;
}

function takeIn(
  services: RuntimeServices,
  run: Run,
  batch: readonly Entry[],
): { last: GuardrailsEvent | undefined; drafts: readonly EventDraft[]; flow: string | undefined } {
  let last: GuardrailsEvent | undefined;
  let flow: string | undefined;
  let drafts: readonly EventDraft[] = [];
  const keepsAll = run.turn.options.log?.internalEvents === true;
  for (const entry of batch) {
    const isNote = entry.type === undefined;
    if (isNote && entry.isMarker === true && !keepsAll) continue;
    const draft = isNote ? entry.note : entry;
    const isSystem = draft.type === "StartInternalSystemAction" && isSystemAction(services, draft);
    const event = services.createEvent(isSystem ? { ...draft, is_system_action: true } : draft);
    run.turn.countEvent(event, services.flows);
    run.events.push(event);
    if (isNote) continue;
    const advanced = advance(services.program, run.state, event);
    run.state = advanced.state;
    drafts = advanced.events;
    flow = undefined;
    for (const entry of advanced.trace) {
      run.turn.trace.push(entry);
      if (entry.type === "decided") flow = entry.winner.flow;
    }
    last = event;
    if (event.type === "BotIntent" && event["intent"] === "stop") run.stopped = true;
    // A rail ends at its exception event; in a dialog flow the turn continues and the last exception is reported.
    if (event.type.endsWith("Exception") && run.scope === "rail") {
      run.exception = event;
      break;
    }
  }
  return { last, drafts, flow };
}

/** Logs the step of a flow. */
function noteStep(run: Run, flow: string, step: EventDraft): void {
  if (run.rail === undefined) {
    run.turn.activity?.step(flow, step, run.turn.now());
    return;
  }
  const name = isOfRail(flow) ? stepName(step) : undefined;
  if (name !== undefined) run.rail.notes.steps.push(name);
}

/** Returns true for a system action, which prompts and histories omit. */
function isSystemAction({ registry }: RuntimeServices, draft: EventDraft): boolean {
  const name = String(draft["action_name"]);
  if (name === RUN_RAILS || draft["is_system_action"] === true) return true;
  const resolution = registry.resolve(name);
  return resolution.found && resolution.definition.system;
}

function nextBatch(
  services: RuntimeServices,
  run: Run,
  last: GuardrailsEvent,
  drafts: readonly EventDraft[],
): MaybePromise<readonly Entry[]> {
  if (last.type === "StartInternalSystemAction") return run.perform(services, run, last);
  const [first] = drafts;
  if (first?.type === "FlowFailed") return failureEvents(services, run, { draft: first });
  if (last.type === "start_flow" && typeof last["flow_body"] === "string") {
    // An LLM-written flow is added to this conversation only.
    const { allowed_actions: allowedActions } = services.config.settings.llm_flows;
    const id = String(last["flow_id"]);
    const flow = compileFlowBody(id, last["flow_body"], { allowedActions, program: services.program });
    if (flow === undefined) return [{ type: "BotIntent", intent: "general response" }];
    run.state = registerFlow(run.state, flow);
    return [{ type: "start_flow", flow_id: id }];
  }
  if (first !== undefined) return drafts;
  // No flow waits for the end of a rail: its run is over.
  return run.scope === "rail" ? [] : [{ type: "Listen" }];
}

/** Returns true for a step that needs no model: a flow runs its own action, or the utterance is predefined. */
function needsNoModel(services: RuntimeServices, step: EventDraft): boolean {
  if (step.type === "StartInternalSystemAction") return !BETWEEN_INTENT_AND_WORDS.has(String(step["action_name"]));
  if (step.type !== "BotIntent") return false;
  const intent = String(step["intent"]);
  const isGiven = typeof step["text"] === "string" || Object.hasOwn(step, "value") || intent.startsWith("$");
  return isGiven || intent === "stop" || services.generation.messages.has(intent);
}

type Failure =
  | { readonly draft: EventDraft }
  | { readonly action: EventDraft; readonly error: ActionError; readonly missing: boolean };

/**
 * The failure path: the user sees a configured text, the dialog returns to its state before the turn, and the cause is
 * logged. Inside a rail, a failure is the rail's error.
 *
 * @throws ActionError or ColangRuntimeError inside a rail
 */
export function failureEvents(services: RuntimeServices, run: Run, failure: Failure): readonly EventDraft[] {
  const { messages } = services.config.settings;
  if ("draft" in failure) {
    const error = flowError(failure.draft);
    if (run.scope === "rail") throw error;
    run.failed = true;
    const { code, message, flow } = error;
    const problem = { code, message, ...(flow === undefined ? {} : { flow }), cause: error };
    reportProblem(services, run.turn, problem, { flow });
    return [failure.draft, ...apology(messages.internal_error)];
  }
  const { action, error, missing } = failure;
  if (run.scope === "rail") throw error;
  run.failed = true;
  const problem = { code: error.code, message: error.message, action: error.action, cause: error };
  reportProblem(services, run.turn, problem);
  const finished: EventDraft = {
    type: "InternalSystemActionFinished",
    action_uid: action["action_uid"],
    action_name: action["action_name"],
    status: "failed",
    is_success: false,
    failure_reason: error.message,
  };
  const text = missing ? messages.action_missing.replaceAll("{name}", () => error.action) : messages.internal_error;
  return [finished, ...apology(text)];
}

function apology(text: string): readonly EventDraft[] {
  return [
    { type: "BotIntent", intent: "inform internal error occurred" },
    { type: "StartUtteranceBotAction", script: text },
    { type: "hide_prev_turn" },
    { type: "Listen" },
  ];
}

function flowError(draft: EventDraft): ColangRuntimeError {
  const flow = typeof draft["flow_id"] === "string" ? draft["flow_id"] : undefined;
  const location = draft["location"] as SourceLocation | undefined;
  const place = location ? ` (${location.file}:${location.line}:${location.column})` : "";
  return new ColangRuntimeError(`${String(draft["message"])}${flow ? ` in flow \`${flow}\`` : ""}${place}`, {
    code: String(draft["code"] ?? "CO-410"),
    flow,
    location,
  });
}
