import { pauseTree, resumeFlows } from "../flows/pause.js";
import type { EngineEvent, FlowInstance, PlacedHead } from "../state/records.js";
import { instanceOf, isAround, isLive, parentOf, type EngineState } from "../state/state.js";
import type { Handling } from "./handling.js";

/**
 * Pauses interruptible flows that an event concerns by its name only, while it moved others of their loop. They
 * are resumed when those have ended.
 */
export function pauseForDigressions(state: EngineState, event: EngineEvent, matched: readonly PlacedHead[]): void {
  if (matched.length === 0) return;
  for (const instance of state.index.interruptible) {
    if (instance.status !== "started" || !instance.hasMatched) continue;
    if (matched.some((other) => isAround(state, instance, other.instance))) continue;
    if (!concerns(state, event, instance)) continue;
    const until = outermost(state, instance, matched);
    if (until.length > 0) pauseTree(state, instance, { reason: "digression", until });
  }
}

/** Some head of the flow, or of one inside it, waits for events of this name. */
function concerns(state: EngineState, event: EngineEvent, instance: FlowInstance): boolean {
  for (const head of state.index.waiting.heads.keys()) {
    if (head.pattern?.names.includes(event.name) !== true) continue;
    if (isAround(state, instance, instanceOf(state, head))) return true;
  }
  return false;
}

/** The flows of the loop that took the event and are still there, without those inside others of them. */
function outermost(state: EngineState, interrupted: FlowInstance, matched: readonly PlacedHead[]): string[] {
  const found = new Set<string>();
  for (const { instance } of matched) {
    if (instance.loop !== interrupted.loop || isAround(state, instance, interrupted)) continue;
    let outer = instance;
    for (let at = parentOf(state, outer); at?.loop === outer.loop; at = parentOf(state, at)) {
      if (isAround(state, at, interrupted)) break;
      outer = at;
    }
    if (isLive(outer)) found.add(outer.uid);
  }
  return [...found];
}

/** Resumes the flows whose digression is over. */
export function resumeAfterDigressions(state: EngineState): Handling | undefined {
  const over = [...state.index.digressions].filter((instance) =>
    instance.pause?.until?.every((uid) => !state.data.flows.has(uid)),
  );
  return over.length === 0 ? undefined : resumeFlows(state, over);
}
