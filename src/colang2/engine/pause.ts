import { countLoop } from "./endings.js";
import type { EngineEvent } from "./event.js";
import { field, queueFlowEvent } from "./queue.js";
import type { Handling } from "./start-flow.js";
import { isLive, type EngineState, type FlowInstance, type Head, type Pause } from "./state.js";

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

export function pauseTree(state: EngineState, instance: FlowInstance, pause: Pause): void {
  if (instance.status === "started") pauseOne(state, instance, pause);
  else if (isLive(instance) && instance.status !== "paused") instance.pausesWhenStarted ??= pause;
  for (const child of descendants(instance)) pauseTree(state, child, { ...pause, latched: [] });
}

function* descendants(instance: FlowInstance): Generator<FlowInstance> {
  for (const item of instance.belongings) {
    if ("owners" in item) yield* item.current;
    else if (item.activation === undefined) yield item;
  }
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
  state.trace.push({ type: "interrupted", flow: instance.definition.id, instance: instance.uid });
  queueFlowEvent(state, "FlowPaused", instance, { fields: field("reason", pause.reason) });
}

/** Undoes the pause of each instance, also for the descendants that were paused by the same request (spec 6.9.2). */
export function resumeFlows(state: EngineState, selected: readonly FlowInstance[]): Handling {
  const handled = new Set<string>();
  const deliveries: { readonly head: Head; readonly event: EngineEvent }[] = [];
  for (const instance of selected) {
    if (instance.pausesWhenStarted !== undefined) {
      handled.add(instance.loop);
      instance.pausesWhenStarted = undefined;
    }
    if (instance.pause === undefined) continue;
    handled.add(instance.loop);
    resumeTree(state, instance, instance.pause.request, deliveries);
  }
  return { handled, deliveries };
}

function resumeTree(
  state: EngineState,
  instance: FlowInstance,
  request: number,
  deliveries: { readonly head: Head; readonly event: EngineEvent }[],
): void {
  if (instance.pause?.request === request) resumeOne(state, instance, deliveries);
  if (instance.pausesWhenStarted?.request === request) instance.pausesWhenStarted = undefined;
  for (const child of descendants(instance)) resumeTree(state, child, request, deliveries);
}

function resumeOne(
  state: EngineState,
  instance: FlowInstance,
  deliveries: { readonly head: Head; readonly event: EngineEvent }[],
): void {
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
