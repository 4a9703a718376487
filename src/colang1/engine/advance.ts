import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import type { Advance as AdvanceOf } from "../../engine/flow-engine.js";
import type { TraceEvent } from "../../engine/explain.js";
import { isMap, readOwn, withVariables, writeOwn } from "../../engine/plain-data.js";
import type { Colang1Program, ElementOf } from "../elements.js";
import { decide, draftOf, realises } from "./decide.js";
import { advanceEmitter, processEvent } from "./process-event.js";
import { Processing, type LiveInstance } from "./processing.js";
import { indexOf, UTTERANCE } from "./program-index.js";
import { cascade, run } from "./slide.js";
import {
  hideTurn,
  liveFlows,
  markTurnStart,
  stopTurn,
  type Colang1State,
  type FlowInstance,
  type Origin,
} from "./state.js";

const NO_EVENTS: readonly EventDraft[] = [];
const NOTHING_RUNS: Colang1State["running"] = [];
const NO_TRACE: readonly TraceEvent[] = [];
const EXTERNAL: Origin = { kind: "external" };

type Advance = AdvanceOf<Colang1State>;

/**
 * Processes one event and returns at most one `ContextUpdate` and one step. Pure: the given state is never changed, and
 * equal input gives an equal result.
 *
 * @throws LimitError if the flows take more steps than `limits.slideSteps` without waiting (CO-403)
 *
 * @example
 * ```ts
 * const { state: next, events } = advance(program, state, { type: "UserIntent", intent: "express greeting" });
 * events; // [{ type: "BotIntent", intent: "express greeting" }]
 * ```
 */
export function advance(program: Colang1Program, state: Colang1State, event: GuardrailsEvent): Advance {
  if (typeof (event as GuardrailsEvent | null)?.type !== "string") return unchanged(state);
  if (event.type === "hide_prev_turn") return unchanged(hideTurn(state));
  const isTurn = event.type === UTTERANCE;
  const fresh = isTurn && state.failure ? { ...state, failure: null } : state;
  if (fresh.initialised) return isTurn ? advanceTurn(program, fresh, event) : advanceStarted(program, fresh, event);
  const started = initialise(program, fresh, event);
  const result = isTurn ? advanceTurn(program, started.state, event) : advanceStarted(program, started.state, event);
  return { ...result, trace: [...started.trace, ...result.trace] };
}

function unchanged(state: Colang1State): Advance {
  return { state, events: NO_EVENTS, trace: NO_TRACE };
}

/**
 * Runs flows without a matcher once, before the first event of a conversation, so that variables set by that event take
 * precedence.
 */
function initialise(
  program: Colang1Program,
  state: Colang1State,
  event: GuardrailsEvent,
): { readonly state: Colang1State; readonly trace: readonly TraceEvent[] } {
  const { initialisers } = indexOf(program);
  if (state.scope === "rail" || initialisers.length === 0) {
    return { state: { ...state, initialised: true }, trace: NO_TRACE };
  }
  const work = new Processing(program, state, event, EXTERNAL);
  for (const flow of initialisers) {
    const instance = work.create(flow);
    work.trace.push({ type: "started", flow: flow.id, instance: instance.uid, by: "the start of the conversation" });
    run(work, instance, "started");
  }
  const { context, changed, created, failure } = work;
  return { state: { ...state, initialised: true, context, changed, created, failure }, trace: work.trace };
}

function advanceTurn(program: Colang1Program, state: Colang1State, event: GuardrailsEvent): Advance {
  const marked = markTurnStart(state);
  const fresh = { ...marked, lastAction: null, announced: NO_EVENTS, next: null, utterance: event };
  return step(program, fresh, event, EXTERNAL);
}

function advanceStarted(program: Colang1Program, given: Colang1State, event: GuardrailsEvent): Advance {
  // A call may set variables before its event; only the event determines the kind of call.
  const opens = given.call !== null && given.callHas === "nothing" && event.type !== "ContextUpdate";
  const state = opens ? { ...given, callHas: "events" as const } : given;
  if (event.type === "FlowFailed") return unchanged({ ...state, failure: null, next: null });
  // The event is the next one returned by the last action, whose items may be any values.
  const expected = state.announced[0] as EventDraft | null | undefined;
  const isAnnounced = expected?.type === event.type && realises(event, expected);
  const isLoose = state.next === null && state.lastAction === null;
  const origin = isLoose ? EXTERNAL : originOf(state, event, isAnnounced);
  const counted = isAnnounced ? { ...state, announced: state.announced.slice(1) } : state;
  switch (event.type) {
    case "StartInternalSystemAction":
      return startAction(program, counted, event, origin);
    case "ContextUpdate":
      return updateContext(program, counted, event, origin);
    case "Listen":
      return listen(program, counted, event, origin);
    case "BotIntent":
      if (event["intent"] !== "stop") break;
      return { ...stopTurn({ ...counted, events: counted.events + 1 }, origin), events: NO_EVENTS };
  }
  return step(program, counted, event, origin);
}

/**
 * Returns the origin of an event: the last action for events it announced, even if they equal the requested step; then
 * the requested step; then the last action for all other events that follow it.
 */
function originOf({ next, lastAction }: Colang1State, event: GuardrailsEvent, isAnnounced: boolean): Origin {
  const isStep =
    !(lastAction && isAnnounced) && next !== null && next.draft.type === event.type && realises(event, next.draft);
  if (isStep) return { kind: "step", instance: next.instance, tier: next.tier };
  return lastAction ? { kind: "action", ...lastAction } : EXTERNAL;
}

/** Processes an ordinary event: flows move, and one of them may take a step. */
function step(program: Colang1Program, state: Colang1State, event: GuardrailsEvent, origin: Origin): Advance {
  const work = new Processing(program, state, event, origin);
  if (work.emitter) engage(work, work.emitter);
  if (event.type === "UserMessage") work.put("last_user_message", event["text"] ?? null);
  if (event.type === "StartUtteranceBotAction") {
    work.put("last_bot_message", event["script"] ?? null);
    dropAnswered(work);
  }
  processEvent(work);
  return finishEvent(work);
}

/** Aborts flows about to render a `BotIntent` if a caller or an action provides the utterance. */
function dropAnswered(work: Processing): void {
  if (work.origin.kind === "step" && work.origin.tier === "system") return;
  for (const instance of work.instances) {
    if (instance.tier !== "system" || instance.engaged || instance.startedBy !== "BotIntent") continue;
    work.abort(instance, "the utterance came without it");
  }
}

/** Marks the instance that takes the step, and its callers, as in the middle of a pipeline. */
function engage(work: Processing, emitter: LiveInstance): void {
  emitter.engaged = true;
  if (emitter.caller === null) return;
  for (const member of work.chainOf(emitter)) member.engaged = true;
}

function finishEvent(work: Processing): Advance {
  const { state, origin } = work;
  const isEnd = work.event.type === "InternalSystemActionFinished";
  const ended = isEnd ? state.running.find(({ uid }) => uid === work.event["action_uid"]) : undefined;
  const announced = ended && work.event["events"];
  let { running } = state;
  // Usually it was the only one.
  if (ended) running = running.length === 1 ? NOTHING_RUNS : running.filter((action) => action !== ended);
  const offer = decide(work);
  const draft = offer && !work.failure ? draftOf(work, offer) : undefined;
  const isTaken = offer && draft && !work.failure;
  const after = stateAfter(work, {
    next: isTaken ? { instance: offer.instance.uid, tier: offer.instance.tier, draft } : null,
    lastAction: ended ?? (origin.kind === "step" ? null : state.lastAction),
    running,
    announced: ended ? (Array.isArray(announced) ? announced : NO_EVENTS) : state.announced,
  });
  const events = draft ? [draft] : NO_EVENTS;
  if (work.failure) return { state: after, events: [work.failure], trace: work.trace };
  return { state: after, events: work.changed.length === 0 ? events : [changesOf(work), ...events], trace: work.trace };
}

/** Returns the next state, without the flows that ended. */
function stateAfter(
  work: Processing,
  { next, lastAction, running, announced }: Pick<Colang1State, "next" | "lastAction" | "running" | "announced">,
): Colang1State {
  const { state } = work;
  const instances: FlowInstance[] = [];
  for (const instance of work.instances) {
    if (instance.status === "active" || instance.status === "interrupted") instances.push(instance);
  }
  const hasWritten = work.flows !== work.index.flows;
  // Written out: this runs for every event, and copying the old state first would double the work.
  return {
    scope: state.scope,
    limits: state.limits,
    context: work.context,
    instances,
    flows: hasWritten ? liveFlows(state.flows, instances, (id) => isYetToStart(work, id)) : state.flows,
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

/** Returns true for a registered flow whose `start_flow` has not been processed. */
function isYetToStart({ state, event }: Processing, id: string): boolean {
  if (event.type === "start_flow" && event["flow_id"] === id) return false;
  return !state.instances.some((instance) => instance.flow === id);
}

/** Returns the update with the variables changed by flows, which precedes the step. */
function changesOf({ changed, context }: Processing): EventDraft {
  const data: Record<string, unknown> = {};
  for (const name of changed) {
    if (name === "__proto__") writeOwn(data, name, readOwn(context, name));
    else data[name] = Object.hasOwn(context, name) ? context[name] : undefined;
  }
  return { type: "ContextUpdate", data };
}

/** Merges variables; the requested step stays requested, because the run loop sends the update just before it. */
function updateContext(program: Colang1Program, state: Colang1State, event: GuardrailsEvent, origin: Origin): Advance {
  const { data } = event;
  const isRequested = origin.kind === "step" && state.changed.length === 0;
  if (!isRequested) {
    if (!isMap(data)) return unchanged(state);
    const changed = state.changed.filter((name) => !Object.hasOwn(data, name));
    const context = withVariables(state.context, data);
    return { state: { ...state, context, changed }, events: NO_EVENTS, trace: NO_TRACE };
  }
  const work = new Processing(program, state, event, origin);
  for (const [name, value] of Object.entries(isMap(data) ? data : {})) work.put(name, value);
  if (work.emitter) engage(work, work.emitter);
  processEvent(work);
  return finishEvent(work);
}

/** Ends the turn. The flow that ended it continues after its statement in the next turn. */
function listen(program: Colang1Program, state: Colang1State, event: GuardrailsEvent, origin: Origin): Advance {
  const quiet = { ...state, next: null, failure: null, lastAction: null, announced: NO_EVENTS };
  if (origin.kind !== "step") return unchanged(quiet);
  const work = new Processing(program, quiet, event, origin);
  if (work.emitter) engage(work, work.emitter);
  advanceEmitter(work);
  return { state: stateAfter(work, quiet), events: NO_EVENTS, trace: work.trace };
}

/**
 * Starts an action: the instance that requested it waits for its end, and so do user instances about to request the
 * same. Among the others, only uninterruptible flows are affected: they end.
 */
function startAction(program: Colang1Program, state: Colang1State, event: GuardrailsEvent, origin: Origin): Advance {
  const { action_uid: uid } = event;
  const work = new Processing(program, state, event, origin);
  const { emitter: requester } = work;
  const element = requester && work.elementOf(requester);
  if (!requester || element?.kind !== "Run" || typeof uid !== "string") return unchanged({ ...state, next: null });
  engage(work, requester);
  requester.waitingFor = uid;
  for (const instance of work.instances) {
    if (instance === requester || instance.tier !== "user" || instance.status !== "active") continue;
    const other = work.elementOf(instance);
    const isSame = other?.kind === "Run" && instance.waitingFor === null && runKey(other) === runKey(element);
    if (isSame) instance.waitingFor = uid;
    else if (requester.tier === "user" && work.flows.get(instance.flow)?.interruptible === false) {
      work.abort(instance, "another flow took a step");
    }
  }
  while (cascade(work));
  const callers = work.callersOf(requester);
  const running = [...state.running, { uid, instance: requester.uid, tier: requester.tier, callers }];
  const instances: FlowInstance[] = work.instances.filter((instance) => instance.status !== "aborted");
  const after = { ...state, instances, running, next: null, lastAction: null, announced: NO_EVENTS };
  return { state: after, events: NO_EVENTS, trace: work.trace };
}

const keys = new WeakMap<ElementOf<"Run">, string>();

/** Returns the key of a request; equal for `Run` elements with the same action, arguments and result name. */
function runKey(element: ElementOf<"Run">): string {
  const known = keys.get(element);
  if (known !== undefined) return known;
  const withoutPlaces = (name: string, value: unknown) => (name === "start" || name === "end" ? undefined : value);
  const key = JSON.stringify([element.action, element.arguments, element.result ?? null], withoutPlaces);
  keys.set(element, key);
  return key;
}
