import type { EventDraft } from "../../../engine/events.js";
import { createMap, isMap, type Value } from "../../../expressions/values/value.js";
import { splitActionEvent, type ActionEventName, actionEventName } from "../../event-names.js";
import { actionUidOf, createTable, NO_VALUES, outerEvent, tableOf } from "../state/event.js";
import type { StateIndex } from "../state/indexes.js";
import type {
  ActionRecord,
  EngineEvent,
  FlowInstance,
  Head,
  Ownership,
  ValueRecord,
  OutgoingRequest,
} from "../state/records.js";
import { actionOf, findFlow, nextOrder, nextUid, type EngineState } from "../state/state.js";
import { toOutside, copyValue } from "../values/plain-values.js";
import type { ActionRequestName, ElementArgument, EventRequest } from "../../elements.js";
import { evaluateNamed, problem } from "../values/evaluate-in.js";
import { freeze } from "../heads/steps/value-steps.js";

/** Makes an action that is not started yet, owned by the instance and by the open scopes of the head. */
export function createAction(
  state: EngineState,
  name: string,
  startArguments: ValueRecord,
  by: { readonly instance: FlowInstance; readonly head: Head },
): ActionRecord {
  const action = createUnownedAction(state, nextUid(state), name, { startArguments });
  const ownership = { flow: by.instance.uid, scopes: by.head.scopes, action: action.id };
  by.instance.ownerships.push(ownership);
  addOwnership(state, ownership);
  return action;
}

/** Makes an action that ends with no flow: one that a program only sends an event of, or one of the world. */
function createUnownedAction(
  state: EngineState,
  uid: string,
  name: string,
  { startArguments, isOwn = true }: { readonly startArguments: ValueRecord; readonly isOwn?: boolean },
): ActionRecord {
  const action: ActionRecord = {
    id: nextOrder(state),
    uid,
    name,
    startArguments,
    context: createTable(),
    isOwn,
    status: "initialized",
    isKnown: false,
    sharedWith: undefined,
  };
  state.data.actions.set(action.id, action);
  return action;
}

function addOwnership(state: EngineState, ownership: Ownership): void {
  state.index.ownerships.add(ownership.action, ownership);
  for (const scope of findFlow(state, ownership.flow)?.scopes ?? []) {
    const { order, members } = scope;
    if (ownership.scopes.includes(order) && !members.includes(ownership.action)) members.push(ownership.action);
  }
}

/** Takes an ownership away; an action without an owner is stopped at once. */
export function releaseOwnership(state: EngineState, ownership: Ownership): void {
  const held = findFlow(state, ownership.flow)?.ownerships ?? [];
  const at = held.indexOf(ownership);
  if (at === -1) return;
  held.splice(at, 1);
  state.index.ownerships.delete(ownership.action, ownership);
  if (state.index.ownerships.has(ownership.action)) return;
  const action = actionOf(state, ownership.action);
  if (isRunning(action)) emit(state, `Stop${action.name}`, NO_VALUES, action);
  else forgetOldest(state);
}

export function isRunning({ status }: ActionRecord): boolean {
  return status === "starting" || status === "started";
}

/** Sends an event to the host. */
export function emit(
  state: EngineState,
  name: string,
  payload: ValueRecord,
  action: ActionRecord | undefined,
): EngineEvent {
  const meta = action === undefined ? NO_VALUES : tableOf({ action_uid: action.uid });
  const event = outerEvent(name, nextUid(state), payload, meta);
  event.action = action?.id;
  state.round.outgoing.push(toDraft(event));
  if (action !== undefined) {
    noteActionEvent(state, action, event, "engine");
    if (!state.index.ownerships.has(action.id)) forgetOldest(state);
  }
  return event;
}

/** An event for the host: flat, as on the wire. */
function toDraft(event: EngineEvent): EventDraft {
  const draft: Record<string, unknown> & { type: string } = { type: event.name, uid: event.uid };
  for (const part of [event.payload, event.meta]) {
    for (const name of Object.keys(part)) {
      if (name !== "type" && name !== "__proto__") draft[name] = toOutside(part[name] ?? null);
    }
  }
  return draft;
}

/** Makes one action of two equal starts: the owners of the second one own the first one now. */
export function shareAction(state: EngineState, loser: ActionRecord, winner: ActionRecord): void {
  const { index } = state;
  for (const ownership of index.ownerships.get(loser.id)) {
    index.ownerships.delete(loser.id, ownership);
    ownership.action = winner.id;
    addOwnership(state, ownership);
  }
  loser.sharedWith = winner.id;
  forgetAction(index, loser);
}

/** Finds the action of an event among the known ones. An event of another action with its identifier is forged. */
export function linkAction({ index }: EngineState, event: EngineEvent): void {
  const uid = event.action === undefined ? actionUidOf(event) : undefined;
  const action = uid === undefined ? undefined : index.actions.get(uid);
  if (action !== undefined && splitActionEvent(event.name)?.action === action.name) event.action = action.id;
}

/** Makes a record of an action that the engine did not start, once a flow refers to one of its events. */
export function adoptAction(state: EngineState, event: EngineEvent): void {
  const uid = event.action === undefined ? actionUidOf(event) : undefined;
  const named = splitActionEvent(event.name);
  if (uid === undefined || named === undefined) return;
  const startArguments = named.member === "Start" ? event.payload : NO_VALUES;
  const action = createUnownedAction(state, uid, named.action, { startArguments, isOwn: false });
  event.action = action.id;
  noteActionEvent(state, action, event, "world");
  forgetOldest(state);
}

/**
 * Keeps the fields of an event in its action. Requests to the engine's own actions come from the engine: one that comes back
 * is known already, and a forged one does not keep the engine from stopping the action.
 */
export function noteActionEvent(
  state: EngineState,
  action: ActionRecord,
  event: EngineEvent,
  by: "engine" | "world",
): void {
  const named = splitActionEvent(event.name);
  addFields(action, event);
  const counts = named !== undefined && (by === "engine" || !named.isRequest || !action.isOwn);
  const status = counts ? STATUS_AFTER.get(named.member) : undefined;
  // A stop does not undo an end, and a late start does not undo a stop.
  if (status !== undefined && RANK[status] > RANK[action.status]) action.status = status;
  // INVARIANT: the world may give one identifier twice; a known action is never replaced.
  const known = state.index.actions.get(action.uid);
  if (known !== undefined && known !== action) return;
  if (action.status === "finished") forgetAction(state.index, action);
  else if (action.status !== "initialized" || !action.isOwn) {
    action.isKnown = true;
    state.index.actions.set(action.uid, action);
  }
}

function addFields({ context }: ActionRecord, { meta, payload }: EngineEvent): void {
  for (const name of Object.keys(meta)) if (name !== "type") context[name] = meta[name] ?? null;
  for (const name of Object.keys(payload)) if (name !== "type") context[name] = payload[name] ?? null;
}

const STATUS_AFTER: ReadonlyMap<string, ActionRecord["status"]> = new Map([
  ["Start", "starting"],
  ["Started", "started"],
  ["Stop", "stopping"],
  ["Finished", "finished"],
]);

const RANK = { initialized: 0, starting: 1, started: 2, stopping: 3, finished: 4 } as const;

function forgetAction(index: StateIndex, action: ActionRecord): void {
  action.isKnown = false;
  if (index.actions.get(action.uid) === action) index.actions.delete(action.uid);
}

/** Drops the oldest actions without an owner: their ends may never be reported, and must not fill the state. */
function forgetOldest(state: EngineState): void {
  const { index } = state;
  const { foreignActions } = state.options.limits;
  if (index.actions.size <= foreignActions) return;
  const unowned = [...index.actions.values()].filter(({ id }) => !index.ownerships.has(id));
  for (const action of unowned.slice(0, Math.max(0, unowned.length - foreignActions))) forgetAction(index, action);
}

/** The event that a program sends by its name. */
export function externalRequest(state: EngineState, instance: FlowInstance, request: EventRequest): OutgoingRequest {
  const { action_uid: uid, ...rest } = evaluateNamed(state, instance, request.arguments, "an event");
  const payload = freeze(state, rest);
  const named = splitActionEvent(request.name);
  if (named === undefined) {
    if (uid !== undefined) payload["action_uid"] = copyValue(uid, state.work);
    return { name: request.name, payload, action: undefined, request: undefined, uid: undefined };
  }
  const isRequest = named.member === "Start" || named.member === "Stop" || named.member === "Change";
  return {
    name: request.name,
    payload,
    action: sentAction(state, { ...named, name: request.name, uid, payload }).id,
    request: isRequest ? (named.member as ActionRequestName) : undefined,
    uid: typeof uid === "string" ? uid : undefined,
  };
}

/**
 * The action of an event that a program sends by its name: the one that has the identifier, or else one that belongs to no
 * flow and so is never stopped with it.
 */
function sentAction(
  state: EngineState,
  sent: ActionEventName & { readonly name: string; readonly uid: Value | undefined; readonly payload: ValueRecord },
): ActionRecord {
  const { name, uid, member } = sent;
  const startArguments = member === "Start" ? sent.payload : NO_VALUES;
  if (uid === undefined) {
    if (member === "Stop" || member === "Change") throw problem(`\`${name}\` needs the \`action_uid\` of an action`);
    return createUnownedAction(state, nextUid(state), sent.action, { startArguments });
  }
  if (typeof uid !== "string" || uid === "") throw problem(`\`action_uid\` of \`${name}\` must be a text`);
  const known = state.index.actions.get(uid);
  if (known?.name === sent.action) return known;
  return createUnownedAction(state, uid, sent.action, { startArguments, isOwn: member === "Start" });
}

/** A request to one action; none if it does not run. */
export function actionRequest(
  state: EngineState,
  instance: FlowInstance,
  action: ActionRecord,
  { request, arguments: list }: { readonly request: ActionRequestName; readonly arguments: readonly ElementArgument[] },
): OutgoingRequest[] {
  const name = actionEventName(action.name, request);
  if (request === "Start")
    return [{ name, payload: action.startArguments, action: action.id, request, uid: undefined }];
  // Only an action that runs can be stopped or changed.
  if (!isRunning(action)) return [];
  const { arguments: changes, ...rest } = evaluateNamed(state, instance, list, "an action");
  const given = Object.assign(createMap(), changes !== undefined && isMap(changes) ? changes : {}, rest);
  if (changes !== undefined && !isMap(changes)) given["arguments"] = changes;
  return [{ name, payload: freeze(state, given), action: action.id, request, uid: undefined }];
}

/** Fields that must be texts: the envelope of every event. */
const ENVELOPE = ["uid", "event_created_at", "source_uid"] as const;

/** Fields that must be texts in events of actions: times and utterances. */
const ACTION_TEXTS = [
  ...ENVELOPE,
  "action_started_at",
  "action_updated_at",
  "action_finished_at",
  "script",
  "final_script",
  "interim_script",
  "final_transcript",
  "interim_transcript",
] as const;

/**
 * Checks the fields of an event that is about to be sent. The host completes fields that are missing.
 *
 * @throws ExpressionError, which fails the flow that was about to send it
 */
export function checkOutgoing({ name, payload }: OutgoingRequest): void {
  const parts = splitActionEvent(name);
  for (const field of parts === undefined ? ENVELOPE : ACTION_TEXTS) {
    const value = payload[field];
    if (value !== undefined && typeof value !== "string") throw problem(`\`${field}\` of \`${name}\` must be a text`);
  }
  if (parts?.member !== "Finished") return;
  const success = payload["is_success"];
  if (success === undefined) return;
  if (typeof success !== "boolean") throw problem(`\`is_success\` of \`${name}\` must be True or False`);
  const reason = payload["failure_reason"];
  if (!success && typeof reason !== "string") {
    throw problem(`\`${name}\` of an action without success needs a \`failure_reason\` that is a text`);
  }
}
