import { advance } from "../../colang1/engine/advance.js";
import { registerFlow } from "../../colang1/engine/state.js";
import { compileFlowBody } from "../../colang1/flow-body.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { isPromise, type MaybePromise } from "../../engine/maybe-promise.js";
import { isOfRail, stepName } from "../../turn/activity-log.js";
import { fed, type Entry } from "../../turn/entry.js";
import { failureEvents } from "./failure.js";
import { RUN_RAILS, BETWEEN_INTENT_AND_WORDS, type Run, type RuntimeServices } from "./run.js";
import { mergedSlotOf } from "./merged-slot.js";

/**
 * The event loop: feeds events to the engine, performs what it asks for and goes on until
 * nothing is pending. The loop is the only place with effects; the engine is a pure function.
 *
 * @throws ModelError when a model call fails, LimitError when a limit is exceeded, the signal's reason on abort
 */
export function runLoop(services: RuntimeServices, run: Run, initial: readonly EventDraft[]): MaybePromise<void> {
  const waiting = runUntilWaiting(services, run, initial.map(fed));
  return waiting === undefined ? undefined : goOnBehind(services, run, waiting);
}

async function goOnBehind(services: RuntimeServices, run: Run, first: Promise<readonly Entry[]>): Promise<void> {
  for (let waiting: Promise<readonly Entry[]> | undefined = first; waiting !== undefined;) {
    waiting = runUntilWaiting(services, run, await waiting);
  }
}

/** Goes on to the next action that takes time, and gives what will follow from it; undefined at the end. */
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
    noteStep(run, flow, drafts);
    cancelSupersededCall(services, run, drafts);
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
  for (const { draft, feed, marks } of batch) {
    if (marks === true && !feed && !keepsAll) continue;
    const event = services.createEvent(markSystemAction(services, draft));
    run.turn.countEvent(event, services.flows);
    run.events.push(event);
    if (!feed) continue;
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
    // A rail ends at its exception event; in a dialog flow the turn goes on and the last one is reported.
    if (event.type.endsWith("Exception") && run.scope === "rail") {
      run.exception = event;
      break;
    }
  }
  return { last, drafts, flow };
}

/** Tells the log which flow takes which step. */
function noteStep(run: Run, flow: string | undefined, drafts: readonly EventDraft[]): void {
  const step = drafts.at(-1);
  if (run.turn.activity === undefined || flow === undefined || step === undefined) return;
  if (run.rail === undefined) {
    run.turn.activity.step(flow, step, run.turn.now());
    return;
  }
  const name = isOfRail(flow) ? stepName(step) : undefined;
  if (name !== undefined) run.rail.notes.steps.push(name);
}

/** System actions are bookkeeping: prompts and histories do not show them. */
function markSystemAction(services: RuntimeServices, draft: EventDraft): EventDraft {
  if (draft.type !== "StartInternalSystemAction" || draft["is_system_action"] === true) return draft;
  const name = String(draft["action_name"]);
  return isSystemAction(services, name) ? { ...draft, is_system_action: true } : draft;
}

function isSystemAction({ registry }: RuntimeServices, name: string): boolean {
  if (name === RUN_RAILS) return true;
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
  const failure = drafts.find((draft) => draft.type === "FlowFailed");
  if (failure) return failureEvents(services, run, { draft: failure }).map(fed);
  if (last.type === "start_flow" && typeof last["flow_body"] === "string") {
    return startWrittenFlow(services, run, last, last["flow_body"]);
  }
  if (drafts.length > 0) return drafts.map(fed);
  // No flow waits for the end of a rail: its run is over.
  return run.scope === "rail" ? [] : [fed({ type: "Listen" })];
}

/** Takes in a flow that a model wrote: for this conversation only. */
function startWrittenFlow(services: RuntimeServices, run: Run, event: GuardrailsEvent, body: string): readonly Entry[] {
  const id = String(event["flow_id"]);
  const flow = compileFlowBody(id, body, {
    allowedActions: services.config.settings.llm_flows.allowed_actions,
    program: services.program,
  });
  if (flow === undefined) return [fed({ type: "BotIntent", intent: "general response" })];
  run.state = registerFlow(run.state, flow);
  return [fed({ type: "start_flow", flow_id: id })];
}

/**
 * Ends the model call of the turn as soon as the engine decided on a step that does not need the rest of it: a flow runs
 * an action of its own, or what is said needs no model.
 */
function cancelSupersededCall(services: RuntimeServices, run: Run, drafts: readonly EventDraft[]): void {
  const { call } = mergedSlotOf(run.turn);
  const step = drafts.at(-1);
  // Rails run beside the turn and decide nothing about it.
  if (call === undefined || step === undefined || run.scope === "rail") return;
  if (isOwnAction(step) || isSaidWithoutModel(services, step)) call.cancelRest();
}

function isOwnAction(step: EventDraft): boolean {
  return step.type === "StartInternalSystemAction" && !BETWEEN_INTENT_AND_WORDS.has(String(step["action_name"]));
}

function isSaidWithoutModel(services: RuntimeServices, step: EventDraft): boolean {
  if (step.type !== "BotIntent") return false;
  const intent = String(step["intent"]);
  const isGiven = typeof step["text"] === "string" || Object.hasOwn(step, "value") || intent.startsWith("$");
  return isGiven || intent === "stop" || services.generation.messages.has(intent);
}
