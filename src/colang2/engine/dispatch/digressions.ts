import type { EngineEvent } from "../state/event.js";
import { pauseTree, resumeFlows } from "../flows/pause.js";
import { isLive, type EngineState, type FlowInstance } from "../state/state.js";
import type { Reception } from "./dispatch.js";
import type { Handling } from "../flows/start-flow.js";

/**
 * Pauses interruptible flows that an event concerns by its name only, while it moved others of their loop (spec 6.9.3). They
 * go on when those have ended.
 */
export function pauseForDigressions(state: EngineState, event: EngineEvent, reception: Reception): void {
  if (reception.matched.length === 0) return;
  for (const instance of state.interruptible) {
    if (instance.status !== "started" || !instance.hasMatched) continue;
    if (reception.matched.some((matched) => isAround(instance, matched))) continue;
    if (!concerns(state, event, instance)) continue;
    const until = outermost(instance, reception);
    if (until.length === 0) continue;
    state.orders += 1;
    pauseTree(state, instance, { reason: "digression", request: state.orders, latched: [], until });
  }
}

/** Some head of the flow, or of one inside it, waits for events of this name. */
function concerns(state: EngineState, event: EngineEvent, instance: FlowInstance): boolean {
  for (const head of state.index.heads()) {
    if (head.pattern?.names.includes(event.name) === true && isAround(instance, head.instance)) return true;
  }
  return false;
}

/** The flows of the loop that took the event and are still there, without those inside others of them. */
function outermost(interrupted: FlowInstance, { matched }: Reception): FlowInstance[] {
  const found = new Set<FlowInstance>();
  for (const instance of matched) {
    if (instance.loop !== interrupted.loop || isAround(instance, interrupted)) continue;
    let outer = instance;
    while (outer.parent !== undefined && outer.parent.loop === outer.loop && !isAround(outer.parent, interrupted)) {
      outer = outer.parent;
    }
    if (isLive(outer)) found.add(outer);
  }
  return [...found];
}

function isAround(outer: FlowInstance, inner: FlowInstance): boolean {
  for (let at: FlowInstance | undefined = inner; at !== undefined; at = at.parent) if (at === outer) return true;
  return false;
}

/** Resumes the flows whose digression is over. */
export function resumeAfterDigressions(state: EngineState): Handling | undefined {
  const over = [...state.digressions].filter((instance) => instance.pause?.until?.every((other) => !isLive(other)));
  return over.length === 0 ? undefined : resumeFlows(state, over);
}
