import { advance, advanceNew, failWithError } from "../heads/advance.js";
import { type Acting, endStartPhase, resolveMerges } from "../heads/heads.js";
import { resolveConflicts } from "./conflicts.js";
import { continueAfterPause, dispatch } from "./dispatch.js";
import { endFlow } from "../flows/lifecycle.js";
import type { EngineEvent, Head, FlowInstance, PlacedHead } from "../state/records.js";
import { queueError } from "./queue.js";
import { collect } from "../state/collect.js";
import {
  beginRound,
  instanceOf,
  isListening,
  type EngineState,
  scoresOf,
  isAround,
  isLive,
  parentOf,
} from "../state/state.js";
import { GuardrailsError } from "../../../diagnostics/errors.js";
import { pauseTree, resumeFlows, type Handling } from "../flows/pause.js";

/** Maximum number of ended flows and actions before the unreachable ones are dropped. */
const MIN_ENDED = 256;
const GRACE = 200;
/** Share of an event's work budget for reactions to the exceeded limit. */
const WORK_GRACE = 0.2;

/**
 * Processes one external event and everything it causes. The events sent are in `state.round.outgoing`. Changes by
 * `prepare` happen in the same round, before the event.
 */
export function runRound(state: EngineState, event: EngineEvent | undefined, prepare?: () => void): void {
  new Round(state, event).run(prepare);
}

class Round {
  readonly #state: EngineState;
  readonly #event: EngineEvent | undefined;
  #acting: Acting = new Set();
  #matched: readonly PlacedHead[] = [];
  #hasActed = false;
  #budget: number;
  #isSpent = false;

  constructor(state: EngineState, event: EngineEvent | undefined) {
    this.#state = state;
    this.#event = event;
    this.#budget = state.options.limits.internalEventsPerRound;
  }

  run(prepare?: () => void): void {
    const state = this.#state;
    beginRound(state);
    prepare?.();
    if (this.#event !== undefined) state.round.queue.push(this.#event);
    do {
      this.#drain();
      if (this.#merge()) continue;
      if (this.#act()) continue;
    } while (this.#continue());
    if (state.round.expected.size > 0) state.round.expected.clear();
    collectIfLarge(state);
  }

  #drain(): void {
    const state = this.#state;
    const { queue } = state.round;
    const { work } = state;
    for (let event = queue[0]; event !== undefined; event = queue[0]) {
      this.#budget -= 1;
      if (this.#budget < 0 || work.spent > work.maximum) return this.#exceed();
      queue.shift();
      const matched = dispatch(state, event, this.#acting);
      if (event === this.#event) this.#matched = matched;
    }
  }

  /** Drops everything pending, since the round exceeds its limits. */
  #exceed(): void {
    const state = this.#state;
    const isWork = state.work.isSpent;
    abandonPending(state, this.#acting);
    this.#acting.clear();
    if (this.#isSpent) {
      // INVARIANT: this terminates, since nothing new starts and every flow ends once.
      while (state.round.queue.length > 0) abandonPending(state, []);
      return;
    }
    this.#isSpent = true;
    const { internalEventsPerRound, workPerEvent } = state.options.limits;
    // The same again, since every started flow may fail, plus a margin for flows that react to it.
    this.#budget = internalEventsPerRound + GRACE;
    state.work.extend(workPerEvent * WORK_GRACE);
    const message = isWork ? state.work.error().message : `one event caused more than ${internalEventsPerRound} others`;
    queueError(state, "EventBudgetExceeded", message, { flow: "" });
  }

  /** Advances a head that merged or acted; its flow fails if the budget is exhausted. */
  #moveOn(placed: PlacedHead): void {
    const { work } = this.#state;
    this.#budget -= 1;
    const isOver = this.#budget < 0 || work.spent > work.maximum;
    if (isOver) this.#exceed();
    if (!isOver) advance(this.#state, placed, this.#acting);
    else endFlow(this.#state, placed.instance, { kind: "failed", reason: "budget" });
  }

  #merge(): boolean {
    const state = this.#state;
    if (this.#acting.size === 0) return false;
    if (!hasMerging(this.#acting)) return false;
    const { merged, begun, postponed } = resolveMerges(state, this.#acting);
    this.#acting = new Set([...this.#acting].filter((head) => head.act !== undefined || postponed.has(head)));
    for (const head of merged) this.#moveOn({ head, instance: instanceOf(state, head) });
    this.#begin(begun);
    return merged.length > 0;
  }

  #act(): boolean {
    const state = this.#state;
    const standing = this.#acting;
    let hasMoved = false;
    if (standing.size > 0) {
      this.#acting = new Set();
      // A paused flow keeps its act and offers it again when it is resumed.
      const { acted, caught } = resolveConflicts(state, standing);
      for (const placed of acted) this.#moveOn(placed);
      for (const placed of caught) advance(state, placed, this.#acting, placed.head.address);
      hasMoved = acted.length + caught.length > 0;
    }
    if (!this.#hasActed && this.#event !== undefined && state.index.interruptible.size > 0) {
      pauseForDigressions(state, this.#event, this.#matched);
    }
    this.#hasActed = true;
    return hasMoved;
  }

  /** Returns true if anything left can move on its own. */
  #continue(): boolean {
    const state = this.#state;
    if (state.round.queue.length > 0 || this.#acting.size > 0) return true;
    for (const forking of state.index.startingForks) {
      if (isListening(instanceOf(state, forking)) && this.#endStartPhase(forking)) return true;
    }
    const resumed = state.index.digressions.size === 0 ? undefined : resumeAfterDigressions(state);
    if (resumed === undefined) return false;
    continueAfterPause(state, resumed, this.#acting);
    return true;
  }

  #begin(heads: readonly Head[]): void {
    for (const head of heads) {
      const instance = instanceOf(this.#state, head);
      for (const added of advanceNew(this.#state, { head, instance }, this.#acting)) {
        advanceNew(this.#state, { head: added, instance }, this.#acting);
      }
    }
  }

  /** Returns true if the group continues to wait. */
  #endStartPhase(forking: Head): boolean {
    const state = this.#state;
    try {
      const heads = endStartPhase(state, forking);
      this.#begin(heads);
      return heads.length > 0;
    } catch (error) {
      if (!GuardrailsError.isInstance(error)) throw error;
      failWithError(state, { head: forking, instance: instanceOf(state, forking) }, error);
      return true;
    }
  }
}

/** Returns true if a head is at a merge; all others are at an act. */
function hasMerging(acting: Acting): boolean {
  for (const head of acting) if (head.act === undefined) return true;
  return false;
}

/** Drops unreachable records once there are as many as live ones, so that the amortised cost of a round is constant. */
function collectIfLarge(state: EngineState): void {
  const { ended, flows, actions } = state.data;
  if (ended.size + actions.size > MIN_ENDED + 2 * flows.size + 2 * state.round.kept) collect(state);
}

const FLOW_EVENTS = ["FlowStarted", "FlowFinished", "FlowFailed", "FlowPaused", "FlowResumed"] as const;

/**
 * Drops everything pending in an endless round. Flows in the middle of something, or waiting for what was dropped,
 * fail, since nothing else would ever move them. Activated flows whose start was dropped start with the next batch.
 */
function abandonPending(state: EngineState, acting: Iterable<Head>): void {
  const dropped = state.round.queue.splice(0);
  const stuck = new Map<FlowInstance, readonly number[]>();
  for (const head of acting) stuck.set(instanceOf(state, head), scoresOf(state, head));
  for (const event of dropped) {
    const activation = state.data.activations.get(event.origin?.activation ?? -1);
    if (activation !== undefined) state.index.setDormant(activation, true);
    for (const head of waitersOf(state, event)) stuck.set(instanceOf(state, head), event.scores);
  }
  for (const [instance, scores] of stuck) endFlow(state, instance, { kind: "failed", reason: "budget" }, { scores });
}

/** Heads that wait for one instance, which the event would have created, moved or ended. */
function waitersOf(state: EngineState, event: EngineEvent): Head[] {
  const uid = event.origin?.target.uid ?? (event.flow === undefined ? undefined : event.fields["flow_instance_uid"]);
  if (!event.isInternal || typeof uid !== "string") return [];
  const names = event.name === "StartFlow" ? FLOW_EVENTS : [event.name];
  return names.flatMap((name) => [
    ...state.index.waiting.boundTo(name, uid),
    ...state.index.latches.boundTo(name, uid),
  ]);
}

/**
 * Pauses interruptible flows that an event concerns only by its name, while it moved others of their loop. They resume
 * when those have ended.
 */
function pauseForDigressions(state: EngineState, event: EngineEvent, matched: readonly PlacedHead[]): void {
  if (matched.length === 0) return;
  for (const instance of state.index.interruptible) {
    if (instance.status !== "started" || !instance.hasMatched) continue;
    if (matched.some((other) => isAround(state, instance, other.instance))) continue;
    if (!concerns(state, event, instance)) continue;
    const until = outermost(state, instance, matched);
    if (until.length > 0) pauseTree(state, instance, { reason: "digression", until });
  }
}

/** Returns true if a head of the flow, or of one inside it, waits for events of this name. */
function concerns(state: EngineState, event: EngineEvent, instance: FlowInstance): boolean {
  for (const head of state.index.waiting.heads.keys()) {
    if (head.pattern?.names.includes(event.name) !== true) continue;
    if (isAround(state, instance, instanceOf(state, head))) return true;
  }
  return false;
}

/** The live flows of the loop that took the event, excluding those nested in others of them. */
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
function resumeAfterDigressions(state: EngineState): Handling | undefined {
  const over = [...state.index.digressions].filter((instance) =>
    instance.pause?.until?.every((uid) => !state.data.flows.has(uid)),
  );
  return over.length === 0 ? undefined : resumeFlows(state, over);
}
