import { countLoop } from "./endings.js";
import type { EngineEvent } from "../state/event.js";
import { field, queueFlowEvent } from "../dispatch/queue.js";
import type { Delivery, Handling } from "./start-flow.js";
import { isLive, type EngineState, type FlowInstance, type Head, type Pause } from "../state/state.js";

/** Pauses instances with all their descendants (spec 6.9.1). */
export function pauseFlows(state: EngineState, selected: readonly FlowInstance[]): Handling {
  const handled = new Set<string>();
  for (const instance of selected) {
    if (instance.definition.id === "main") {
      state.trace.push({ type: "warning", code: "C2-404", message: "`main` cannot be paused", flow: "main" });
      continue;
    }
    handled.add(instance.loop);
    state.orders += 1;
    pauseTree(state, instance, { reason: "request", request: state.orders, latched: [] });
  }
  return { handled };
}

export function pauseTree(state: EngineState, root: FlowInstance, pause: Pause): void {
  for (const instance of withDescendants(root)) {
    const own = instance === root ? pause : { ...pause, latched: [] };
    if (instance.status === "started") pauseOne(state, instance, own);
    else if (isLive(instance) && instance.status !== "paused") instance.pausesWhenStarted ??= own;
  }
}

/** Parents before children. Flows may keep each other active, so each is taken once. */
function withDescendants(root: FlowInstance): Set<FlowInstance> {
  const found = new Set([root]);
  const below = [...root.belongings].reverse();
  for (let item = below.pop(); item !== undefined; item = below.pop()) {
    const instances = "owners" in item ? item.current : item.activation === undefined ? [item] : [];
    for (const instance of instances) {
      if (found.has(instance)) continue;
      found.add(instance);
      below.push(...[...instance.belongings].reverse());
    }
  }
  return found;
}

/** A flow that was asked to pause while it was starting does so when it has started. */
export function pauseIfAsked(state: EngineState, instance: FlowInstance): void {
  const pause = instance.pausesWhenStarted;
  if (pause === undefined || instance.status !== "started") return;
  instance.pausesWhenStarted = undefined;
  pauseOne(state, instance, pause);
}

function pauseOne(state: EngineState, instance: FlowInstance, pause: Pause): void {
  instance.status = "paused";
  instance.pause = pause;
  if (pause.reason === "digression") state.digressions.add(instance);
  countLoop(state, instance.loop, -1);
  for (const head of instance.heads) {
    if (head.pattern === undefined) continue;
    state.index.remove(head);
    if (head.pattern.bound !== undefined && head.pattern.isOnce) state.latches.add(head);
  }
  const by = pause.until?.[0]?.definition.id;
  const told = { flow: instance.definition.id, instance: instance.uid };
  state.trace.push({ type: "interrupted", ...told, ...(by === undefined ? {} : { by }) });
  queueFlowEvent(state, "FlowPaused", instance, { fields: field("reason", pause.reason) });
}

/** Undoes the pause of each instance, also for the descendants that were paused by the same request (spec 6.9.2). */
export function resumeFlows(state: EngineState, selected: readonly FlowInstance[]): Handling {
  const handled = new Set<string>();
  const resumed: Resumed = { deliveries: [], standing: [] };
  for (const instance of selected) {
    if (instance.pausesWhenStarted !== undefined) {
      handled.add(instance.loop);
      instance.pausesWhenStarted = undefined;
    }
    if (instance.pause === undefined) continue;
    handled.add(instance.loop);
    const { request } = instance.pause;
    for (const each of withDescendants(instance)) {
      if (each.pause?.request === request) resumeOne(state, each, resumed);
      if (each.pausesWhenStarted?.request === request) each.pausesWhenStarted = undefined;
    }
  }
  return { handled, ...resumed };
}

interface Resumed {
  readonly deliveries: Delivery[];
  readonly standing: Head[];
}

function resumeOne(state: EngineState, instance: FlowInstance, { deliveries, standing }: Resumed): void {
  const { pause } = instance;
  if (pause === undefined) return;
  instance.pause = undefined;
  instance.status = "started";
  state.digressions.delete(instance);
  countLoop(state, instance.loop, 1);
  queueFlowEvent(state, "FlowResumed", instance, { fields: field("reason", pause.reason) });
  state.trace.push({ type: "resumed", flow: instance.definition.id, instance: instance.uid });
  for (const head of instance.heads) {
    state.latches.remove(head);
    if (head.pattern !== undefined) state.index.add(head);
    else if (head.act !== undefined || head.status === "merging") standing.push(head);
  }
  for (const event of pause.latched) for (const head of instance.heads) deliveries.push({ head, event });
}

/** Keeps an event for the paused heads that wait for it and would never see it again. */
export function latch(state: EngineState, event: EngineEvent, isOf: (head: Head) => boolean): void {
  for (const head of state.latches.candidates(event)) {
    const { pause } = head.instance;
    if (pause !== undefined && !pause.latched.includes(event) && isOf(head)) pause.latched.push(event);
  }
}
