import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import type { Advance } from "../../engine/flow-engine.js";
import type { Colang1Program } from "../elements.js";
import { decide } from "./arbitration.js";
import { isMap, readOwn, withVariables, writeOwn } from "../../engine/variables.js";
import { initialise } from "./initialise.js";
import { isAnnounced, originOf } from "./origin.js";
import { advanceEmitter, processEvent } from "./process-event.js";
import { Processing, type Origin } from "./processing.js";
import { UTTERANCE } from "./program-index.js";
import { hideTurn, liveFlows, markTurnStart, stopTurn } from "./rollback.js";
import { startAction } from "./start-action.js";
import { type Colang1State, type FlowInstance, type RunningAction } from "./state.js";
import { draftOf } from "./step-draft.js";

const NO_EVENTS: readonly EventDraft[] = [];

/**
 * Processes one event and returns what should happen next: at most one `ContextUpdate` and one step.
 * Pure: the given state is never changed, and the same input gives the same result.
 *
 * @throws LimitError when the flows take more steps than `limits.slideSteps` without waiting (CO-403)
 *
 * @example
 * ```ts
 * const { state: next, events } = advance(program, state, { type: "UserIntent", intent: "express greeting" });
 * events; // [{ type: "BotIntent", intent: "express greeting" }]
 * ```
 */
export function advance(program: Colang1Program, state: Colang1State, event: GuardrailsEvent): Advance<Colang1State> {
  if (!isMap(event) || typeof event.type !== "string") return { state, events: NO_EVENTS, trace: [] };
  if (event.type === "hide_prev_turn") return { state: hideTurn(state), events: NO_EVENTS, trace: [] };
  const isTurn = event.type === UTTERANCE;
  const initialised = initialise(program, isTurn && state.failure ? { ...state, failure: null } : state, event);
  const begun = initialised.state;
  const result = isTurn ? advanceTurn(program, begun, event) : advanceBegun(program, begun, event);
  const trace = initialised.trace.length === 0 ? result.trace : [...initialised.trace, ...result.trace];
  return { ...result, trace };
}

function advanceTurn(program: Colang1Program, state: Colang1State, event: GuardrailsEvent): Advance<Colang1State> {
  const marked = markTurnStart(state);
  const fresh = { ...marked, lastAction: null, announced: NO_EVENTS, next: null, utterance: event };
  return step(program, fresh, event, { kind: "external" });
}

function advanceBegun(program: Colang1Program, given: Colang1State, event: GuardrailsEvent): Advance<Colang1State> {
  // A call may set variables before its event, and only the event decides about the kind of call.
  const opens = given.call !== null && given.callHas === "nothing" && event.type !== "ContextUpdate";
  const state = opens ? { ...given, callHas: "events" as const } : given;
  if (event.type === "FlowFailed") {
    return { state: { ...state, failure: null, next: null }, events: NO_EVENTS, trace: [] };
  }
  const origin = originOf(state, event);
  const counted = isAnnounced(state, event) ? { ...state, announced: state.announced.slice(1) } : state;
  switch (event.type) {
    case "StartInternalSystemAction":
      return startAction(program, counted, event, origin);
    case "ContextUpdate":
      return updateContext(program, counted, event, origin);
    case "Listen":
      return listen(program, counted, event, origin);
    case "BotIntent":
      if (readOwn(event, "intent") !== "stop") break;
      return { ...stopTurn({ ...counted, events: counted.events + 1 }, origin), events: NO_EVENTS };
  }
  return step(program, counted, event, origin);
}

/** An ordinary event: flows move, and one of them may take a step. */
function step(
  program: Colang1Program,
  state: Colang1State,
  event: GuardrailsEvent,
  origin: Origin,
): Advance<Colang1State> {
  const work = new Processing(program, state, event, origin);
  engage(work);
  if (event.type === "UserMessage") work.put("last_user_message", readOwn(event, "text") ?? null);
  if (event.type === "StartUtteranceBotAction") {
    work.put("last_bot_message", readOwn(event, "script") ?? null);
    dropAnswered(work);
  }
  const finished = finishedAction(work);
  processEvent(work);
  return finishEvent(work, finished);
}

/** Aborts flows that were about to give an utterance for a `BotIntent`, when a caller or an action gives one. */
function dropAnswered(work: Processing): void {
  if (work.origin.kind === "step" && work.origin.tier === "system") return;
  for (const instance of work.instances) {
    if (instance.tier !== "system" || instance.engaged || instance.startedBy !== "BotIntent") continue;
    work.abort(instance, "the utterance came without it");
  }
}

/** Marks the instance that takes the step, and its callers, as being in the middle of a pipeline. */
function engage(work: Processing): void {
  if (work.origin.kind !== "step") return;
  const instance = work.find(work.origin.instance);
  if (instance) for (const member of work.chainOf(instance)) member.engaged = true;
}

/** Returns the action that the event ends, with the events that it announces. */
function finishedAction(
  work: Processing,
): { readonly action: RunningAction; readonly announced: readonly unknown[] } | undefined {
  if (work.event.type !== "InternalSystemActionFinished") return undefined;
  const uid = readOwn(work.event, "action_uid");
  const action = work.state.running.find((running) => running.uid === uid);
  if (!action) return undefined;
  const announced = readOwn(work.event, "events");
  return { action, announced: Array.isArray(announced) ? announced : NO_EVENTS };
}

function finishEvent(work: Processing, finished: ReturnType<typeof finishedAction>): Advance<Colang1State> {
  const { state, origin } = work;
  const offer = decide(work);
  const draft = offer && !work.failure ? draftOf(work, offer) : undefined;
  const next =
    offer && draft && !work.failure ? { instance: offer.instance.uid, tier: offer.instance.tier, draft } : null;
  const after = stateAfter(work, {
    next,
    lastAction: finished?.action ?? (origin.kind === "step" ? null : state.lastAction),
    running: finished ? state.running.filter((action) => action !== finished.action) : state.running,
    announced: finished?.announced ?? state.announced,
  });
  return { state: after, events: work.failure ? [work.failure] : draftsOf(work, draft), trace: work.trace };
}

/** Returns the next state, without the flows that ended. */
function stateAfter(
  work: Processing,
  { next, lastAction, running, announced }: Pick<Colang1State, "next" | "lastAction" | "running" | "announced">,
): Colang1State {
  const { state } = work;
  const instances: FlowInstance[] = work.instances.filter(
    (instance) => instance.status === "active" || instance.status === "interrupted",
  );
  // Written out: this is made for every event, and copying the old state first would double the work.
  return {
    scope: state.scope,
    limits: state.limits,
    context: work.context,
    instances,
    flows: liveFlows(state.flows, instances, (id) => isYetToStart(work, id)),
    next,
    changed: work.changed,
    running,
    lastAction,
    announced,
    utterance: state.utterance,
    failure: work.failure,
    initialised: state.initialised,
    events: state.events + 1,
    created: work.created,
    reported: work.reported,
    turns: state.turns,
    call: state.call,
    callHas: state.callHas,
  };
}

/** Returns true for a registered flow whose `start_flow` is yet to come. */
function isYetToStart({ state, event }: Processing, id: string): boolean {
  if (event.type === "start_flow" && readOwn(event, "flow_id") === id) return false;
  return !state.instances.some((instance) => instance.flow === id);
}

/** Returns the events to request; changes of the context go first. */
function draftsOf(work: Processing, draft: EventDraft | undefined): readonly EventDraft[] {
  if (work.changed.length === 0) return draft ? [draft] : NO_EVENTS;
  const data: Record<string, unknown> = {};
  for (const name of work.changed) writeOwn(data, name, readOwn(work.context, name));
  const update = { type: "ContextUpdate", data };
  return draft ? [update, draft] : [update];
}

/** Merges variables; the requested step stays requested, because the run loop sends the update just before it. */
function updateContext(
  program: Colang1Program,
  state: Colang1State,
  event: GuardrailsEvent,
  origin: Origin,
): Advance<Colang1State> {
  const emitted = origin.kind === "step" && state.changed.length === 0;
  if (!emitted) return mergeContext(state, readOwn(event, "data"));
  const work = new Processing(program, state, event, origin);
  const data = readOwn(event, "data");
  if (isMap(data)) {
    for (const [name, value] of Object.entries(data)) work.put(name, value);
    work.changed = work.changed.filter((name) => !Object.hasOwn(data, name));
  }
  engage(work);
  processEvent(work);
  return finishEvent(work, undefined);
}

/** Sets the variables of the event without an effect on flows. */
function mergeContext(state: Colang1State, data: unknown): Advance<Colang1State> {
  if (!isMap(data)) return { state, events: NO_EVENTS, trace: [] };
  const context = withVariables(state.context, data);
  const changed = state.changed.filter((name) => !Object.hasOwn(data, name));
  return { state: { ...state, context, changed }, events: NO_EVENTS, trace: [] };
}

/** Ends the turn. A flow that ended it goes on behind its statement in the next turn. */
function listen(
  program: Colang1Program,
  state: Colang1State,
  event: GuardrailsEvent,
  origin: Origin,
): Advance<Colang1State> {
  const quiet = { ...state, next: null, failure: null, lastAction: null, announced: NO_EVENTS };
  if (origin.kind !== "step") return { state: quiet, events: NO_EVENTS, trace: [] };
  const work = new Processing(program, quiet, event, origin);
  engage(work);
  advanceEmitter(work);
  return { state: stateAfter(work, quiet), events: NO_EVENTS, trace: work.trace };
}
