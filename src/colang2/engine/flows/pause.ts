import { queueFlowEvent } from "../dispatch/queue.js";
import type { EngineEvent, FlowInstance, Head, Pause, PlacedHead } from "../state/records.js";
import { ENGINE_WORK } from "../limits.js";
import { findFlow, instanceOf, isLive, nextOrder, type EngineState } from "../state/state.js";

/** Effect of the default handler of an event. */
export interface Handling {
  /** The loops in which the event counts as handled. */
  readonly handled: "all" | ReadonlySet<string>;
  /** The head of the instance created by the event. */
  readonly entry?: PlacedHead;
  /** Events missed by paused heads, to be delivered now. */
  readonly deliveries?: readonly Delivery[];
  /** Heads of resumed flows that were at an act or a merge before the pause. */
  readonly standing?: readonly Head[];
}

/** An event for one head alone. */
interface Delivery extends PlacedHead {
  readonly event: EngineEvent;
}

export const HANDLED: Handling = { handled: "all" };

export const UNHANDLED: Handling = { handled: new Set() };

/** Pauses instances with all their descendants. */
export function pauseFlows(state: EngineState, selected: readonly FlowInstance[]): Handling {
  const handled = new Set<string>();
  for (const instance of selected) {
    if (instance.flow === "main") {
      state.round.trace.push({ type: "warning", code: "C2-404", message: "`main` cannot be paused", flow: "main" });
      continue;
    }
    handled.add(instance.loop);
    pauseTree(state, instance, { reason: "request" });
  }
  return { handled };
}

/** Pauses a flow instance and its descendants; those that have not started yet pause when they start. */
export function pauseTree(
  state: EngineState,
  root: FlowInstance,
  { reason, until }: { readonly reason: Pause["reason"]; readonly until?: readonly string[] },
): void {
  const request = nextOrder(state);
  for (const instance of withDescendants(state, root)) {
    const pause = { reason, request, latched: [], until };
    if (instance.status === "started") pauseOne(state, instance, pause);
    else if (isLive(instance) && instance.status !== "paused") instance.pausesWhenStarted ??= pause;
  }
}

/** Parents before children. Flows may keep each other active, so each is visited once. */
function withDescendants({ index }: EngineState, root: FlowInstance): Set<FlowInstance> {
  const found = new Set([root]);
  const childrenOf = ({ uid }: FlowInstance) => [...index.children.get(uid)].reverse();
  const below = childrenOf(root);
  for (let item = below.pop(); item !== undefined; item = below.pop()) {
    for (const instance of "owners" in item ? index.activated.get(item.order) : [item]) {
      if (found.has(instance)) continue;
      found.add(instance);
      below.push(...childrenOf(instance));
    }
  }
  return found;
}

/** Pauses one started instance: its heads stop waiting, and the end of a reference that one awaits is kept for later. */
export function pauseOne(state: EngineState, instance: FlowInstance, pause: Pause): void {
  const { index } = state;
  instance.status = "paused";
  instance.pause = pause;
  if (pause.reason === "digression") index.digressions.add(instance);
  index.countLoop(instance.loop, -1);
  for (const head of instance.heads) {
    if (head.pattern === undefined) continue;
    index.waiting.remove(head);
    if (head.pattern.bound !== undefined && head.pattern.isOnce) index.latches.add(head);
  }
  const by = findFlow(state, pause.until?.[0])?.flow;
  const paused = { flow: instance.flow, instance: instance.uid };
  state.round.trace.push({ type: "interrupted", ...paused, ...(by === undefined ? {} : { by }) });
  queueFlowEvent(state, "FlowPaused", instance, { fields: { reason: pause.reason } });
}

/** Undoes the pause of each instance, including descendants paused by the same request. */
export function resumeFlows(state: EngineState, selected: readonly FlowInstance[]): Handling {
  const handled = new Set<string>();
  const deliveries: Delivery[] = [];
  const standing: Head[] = [];
  for (const instance of selected) {
    if (instance.pausesWhenStarted !== undefined) {
      handled.add(instance.loop);
      instance.pausesWhenStarted = undefined;
    }
    if (instance.pause === undefined) continue;
    handled.add(instance.loop);
    const { request } = instance.pause;
    for (const member of withDescendants(state, instance)) {
      if (member.pause?.request === request) resumeOne(state, member, { deliveries, standing });
      if (member.pausesWhenStarted?.request === request) member.pausesWhenStarted = undefined;
    }
  }
  return { handled, deliveries, standing };
}

function resumeOne(
  state: EngineState,
  instance: FlowInstance,
  { deliveries, standing }: { readonly deliveries: Delivery[]; readonly standing: Head[] },
): void {
  const { pause } = instance;
  if (pause === undefined) return;
  const { index } = state;
  instance.pause = undefined;
  instance.status = "started";
  index.digressions.delete(instance);
  index.countLoop(instance.loop, 1);
  queueFlowEvent(state, "FlowResumed", instance, { fields: { reason: pause.reason } });
  state.round.trace.push({ type: "resumed", flow: instance.flow, instance: instance.uid });
  for (const head of instance.heads) {
    index.latches.remove(head);
    if (head.pattern !== undefined) index.waiting.add(head);
    else if (head.act !== undefined || head.status === "merging") standing.push(head);
  }
  for (const event of pause.latched) for (const head of instance.heads) deliveries.push({ head, instance, event });
}

/** Stores an event for the paused heads that wait for it and would never see it again. */
export function latch(state: EngineState, event: EngineEvent, concerns: (placed: PlacedHead) => boolean): void {
  const heads = state.index.latches.candidates(event);
  state.work.add(heads.length * ENGINE_WORK.candidate);
  for (const head of heads) {
    const instance = instanceOf(state, head);
    const { pause } = instance;
    if (pause !== undefined && !pause.latched.includes(event) && concerns({ head, instance }))
      pause.latched.push(event);
  }
}
