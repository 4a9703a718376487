import { createMap } from "../../../expressions/values/value.js";
import { splitActionEvent } from "../../action-events.js";
import { resolveAction, type ActionObject, type Ownership } from "../state/action-object.js";
import { actionUidOf, NO_VALUES, type EngineEvent, type ValueRecord } from "../state/event.js";
import { toOutside } from "../values/copy-value.js";
import type { EventDraft } from "../../../engine/events.js";
import { nextUid, type EngineState, type FlowInstance, type OpenScope } from "../state/state.js";

/** Makes an action that is not started yet, owned by the instance and by the open scopes of the head (spec 4.1). */
export function createAction(
  state: EngineState,
  name: string,
  startArguments: ValueRecord,
  by: { readonly instance: FlowInstance; readonly scopes: readonly OpenScope[] },
): ActionObject {
  const action = createUnownedAction(nextUid(state), name, { startArguments });
  addOwnership(action, { owner: by.instance, scopes: [...by.scopes] });
  return action;
}

/** Makes an action that ends with no flow: one that the program only sends an event of, or one that the engine did not start. */
export function createUnownedAction(
  uid: string,
  name: string,
  { startArguments, isOwn = true }: { readonly startArguments: ValueRecord; readonly isOwn?: boolean },
): ActionObject {
  return { uid, name, status: "initialized", startArguments, context: createMap(), ownerships: new Set(), isOwn };
}

export function addOwnership(action: ActionObject, ownership: Ownership): void {
  action.ownerships.add(ownership);
  ownership.owner.ownerships.set(ownership, action);
  for (const scope of ownership.scopes) scope.members.add(action);
}

/** Takes an ownership away; an action nobody has a right to any more is stopped at once (R-LIFETIME). */
export function releaseOwnership(state: EngineState, ownership: Ownership): void {
  const held = ownership.owner.ownerships.get(ownership);
  if (held === undefined) return;
  ownership.owner.ownerships.delete(ownership);
  const action = resolveAction(held);
  action.ownerships.delete(ownership);
  if (action.ownerships.size > 0) return;
  if (isRunning(action)) stopAction(state, action);
  else forgetOldest(state);
}

export function isRunning(action: ActionObject): boolean {
  return action.status === "starting" || action.status === "started";
}

function stopAction(state: EngineState, action: ActionObject): void {
  emit(state, `Stop${action.name}`, NO_VALUES, action);
}

/** Sends an event to the host. */
export function emit(
  state: EngineState,
  name: string,
  payload: ValueRecord,
  action: ActionObject | undefined,
): EngineEvent {
  const meta = createMap();
  if (action !== undefined) meta["action_uid"] = action.uid;
  const event: EngineEvent = {
    name,
    uid: nextUid(state),
    isInternal: false,
    fields: NO_VALUES,
    payload,
    meta,
    scores: [],
    ...(action === undefined ? {} : { action }),
  };
  state.outgoing.push(toDraft(event));
  if (action !== undefined) {
    noteActionEvent(state, action, event, "engine");
    if (action.ownerships.size === 0) forgetOldest(state);
  }
  return event;
}

/** An event for the host: flat, as on the wire (spec 5.1). */
function toDraft(event: EngineEvent): EventDraft {
  const draft: Record<string, unknown> & { type: string } = { type: event.name, uid: event.uid };
  for (const part of [event.payload, event.meta]) {
    for (const name of Object.keys(part)) {
      if (name !== "type" && name !== "__proto__") draft[name] = toOutside(part[name] ?? null);
    }
  }
  return draft;
}

/** Two equal starts become one action (R-SHARE): whoever had the second one has the first one now. */
export function shareAction(state: EngineState, loser: ActionObject, winner: ActionObject): void {
  for (const ownership of loser.ownerships) addOwnership(winner, ownership);
  loser.ownerships.clear();
  loser.sharedWith = winner;
  if (state.actions.get(loser.uid) === loser) state.actions.delete(loser.uid);
}

/** Finds the action an event belongs to, if the engine knows it. An event of another action with its identifier is forged. */
export function linkAction(state: EngineState, event: EngineEvent): void {
  const uid = event.action === undefined ? actionUidOf(event) : undefined;
  const action = uid === undefined ? undefined : state.actions.get(uid);
  if (action !== undefined && splitActionEvent(event.name)?.action === resolveAction(action).name)
    event.action = action;
}

/** An action the engine did not start gets an object as soon as somebody takes notice of one of its events (spec 6.7). */
export function adoptAction(state: EngineState, event: EngineEvent): void {
  const uid = event.action === undefined ? actionUidOf(event) : undefined;
  const named = splitActionEvent(event.name);
  if (uid === undefined || named === undefined) return;
  const startArguments = named.member === "Start" ? event.payload : NO_VALUES;
  const action = createUnownedAction(uid, named.action, { startArguments, isOwn: false });
  event.action = action;
  noteActionEvent(state, action, event, "world");
  forgetOldest(state);
}

/**
 * Keeps what an event tells of an action (spec 6.7). Requests to the engine's own actions come from the engine: one that comes
 * back is known already, and one that somebody else made up does not keep the engine from stopping what it has started.
 */
export function noteActionEvent(
  state: EngineState,
  action: ActionObject,
  event: EngineEvent,
  by: "engine" | "world",
): void {
  const named = splitActionEvent(event.name);
  Object.assign(action.context, event.meta, event.payload);
  delete action.context["type"];
  const isTold = named !== undefined && (by === "engine" || !named.isRequest || !action.isOwn);
  const status = isTold ? STATUS_AFTER.get(named.member) : undefined;
  // A stop does not undo an end, and a late start does not undo a stop.
  if (status !== undefined && RANK[status] > RANK[action.status]) action.status = status;
  // INVARIANT: the world may give one identifier twice; nothing takes the place of an action that is known.
  const known = state.actions.get(action.uid);
  if (known !== undefined && known !== action) return;
  if (action.status === "finished") state.actions.delete(action.uid);
  else if (action.status !== "initialized" || !action.isOwn) state.actions.set(action.uid, action);
}

const STATUS_AFTER: ReadonlyMap<string, ActionObject["status"]> = new Map([
  ["Start", "starting"],
  ["Started", "started"],
  ["Stop", "stopping"],
  ["Finished", "finished"],
]);

const RANK = { initialized: 0, starting: 1, started: 2, stopping: 3, finished: 4 } as const;

/** What nobody owns is only kept in case its end is told; a host that never tells it must not fill the state. */
function forgetOldest(state: EngineState): void {
  const { foreignActions } = state.options.limits;
  if (state.actions.size <= foreignActions) return;
  let left = -foreignActions;
  for (const action of state.actions.values()) if (action.ownerships.size === 0) left += 1;
  for (const action of state.actions.values()) {
    if (left <= 0) return;
    if (action.ownerships.size > 0) continue;
    state.actions.delete(action.uid);
    left -= 1;
  }
}
