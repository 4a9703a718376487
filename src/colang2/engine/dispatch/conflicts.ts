import type { SourceLocation } from "../../../diagnostics/span.js";
import type { TraceOffer } from "../../../engine/trace.js";
import { modalityOf } from "../../modalities.js";
import { emit, isRunning, shareAction } from "../actions/actions.js";
import { resolveAction } from "../state/action-object.js";
import { catchFailure, failWithError, type Acting } from "../heads/advance.js";
import { equalValues } from "../values/equal-values.js";
import { writeVariable } from "../values/evaluate-in.js";
import type { EngineEvent } from "../state/event.js";
import { ENGINE_WORK } from "../limits.js";
import type { OutgoingRequest, PendingAct } from "../state/pending-act.js";
import { nextIndex } from "../state/random.js";
import { EventReference } from "../state/references.js";
import {
  compareScores,
  isListening,
  scoresOf,
  type EngineState,
  type FlowInstance,
  type Head,
} from "../state/state.js";

/** A head with what it is about to do. */
interface Competitor {
  readonly head: Head;
  readonly act: PendingAct;
  readonly scores: readonly number[];
}

/** What becomes of heads that stood on an act: those that did it go on, those that were caught have moved already. */
export interface Resolution {
  readonly acted: readonly Head[];
  readonly caught: readonly Head[];
}

/** Decides who of each interaction loop may act (spec 6.6). What was decided is in the outgoing events. */
export function resolveConflicts(state: EngineState, acting: Acting): Resolution {
  const loops = new Map<string, Competitor[]>();
  for (const head of acting) {
    if (head.act === undefined || head.status !== "active" || !isListening(head.instance)) continue;
    const competitor = { head, act: head.act, scores: scoresOf(state, head) };
    const others = loops.get(head.instance.loop);
    if (others === undefined) loops.set(head.instance.loop, [competitor]);
    else others.push(competitor);
  }
  const acted: Head[] = [];
  const caught: Head[] = [];
  for (const competitors of loops.values()) resolveLoop(state, competitors, acted, caught);
  return { acted, caught };
}

function resolveLoop(state: EngineState, competitors: readonly Competitor[], acted: Head[], caught: Head[]): void {
  const free = new Set(competitors.filter(({ act }) => act.requests.every((request) => isNeutral(state, request))));
  actFreely(state, free, acted);
  let open = competitors.filter((competitor) => !free.has(competitor));
  while (open.length > 0) {
    if (state.work.isSpent) return failAll(state, open);
    state.work.add(open.length * ENGINE_WORK.competitor);
    const winner = chooseWinner(state, rivals(state, open));
    // An earlier winner, or what it ended, may have ended this one.
    if (!isListening(winner.head.instance)) {
      open = open.filter((other) => other !== winner);
      continue;
    }
    const events = perform(state, winner);
    acted.push(winner.head);
    const rest: Competitor[] = [];
    const losers: Competitor[] = [];
    for (const other of open) {
      if (other === winner) continue;
      if (other.head.status !== "active" || !isListening(other.head.instance)) continue;
      if (isSameAct(state, winner.act, other.act)) {
        share(state, winner, other, events);
        acted.push(other.head);
      } else if (competes(state, winner.act, other.act)) losers.push(other);
      else rest.push(other);
    }
    state.trace.push({ type: "decided", winner: offerOf(winner), others: losers.map(offerOf) });
    for (const { head } of losers) {
      if (isListening(head.instance) && catchFailure(state, head, "conflict")) caught.push(head);
    }
    open = rest;
  }
}

/** Performs acts that compete with none; equal ones happen once. */
function actFreely(state: EngineState, open: Iterable<Competitor>, acted: Head[]): void {
  const performed: { readonly competitor: Competitor; readonly events: readonly EngineEvent[] }[] = [];
  for (const other of open) {
    state.work.add(performed.length * ENGINE_WORK.competitor);
    const first = performed.find(({ competitor }) => isSameAct(state, competitor.act, other.act));
    if (first === undefined) performed.push({ competitor: other, events: perform(state, other) });
    else share(state, first.competitor, other, first.events);
    acted.push(other.head);
  }
}

/** Ends the flows whose conflict costs more than an event may. */
function failAll(state: EngineState, open: readonly Competitor[]): void {
  for (const { head } of open) if (isListening(head.instance)) failWithError(state, head, state.work.error());
}

/** The first one in order with all it competes with: what does not compete acts in order. */
function rivals(state: EngineState, open: readonly Competitor[]): readonly Competitor[] {
  const [first] = open;
  if (first === undefined || state.options.conflictPolicy === "all") return open;
  return open.filter(
    (other) => other === first || isSameAct(state, first.act, other.act) || competes(state, first.act, other.act),
  );
}

/** What stops or changes one thing takes nothing away from others. */
function isNeutral(state: EngineState, request: OutgoingRequest): boolean {
  if (request.action === undefined) return false;
  if (request.request === "Stop" || request.request === "Change") return true;
  return state.options.neutralActions.has(request.action.name);
}

/** The best score list; of equal ones the RNG draws (R-TIE). */
function chooseWinner(state: EngineState, open: readonly Competitor[]): Competitor {
  let best: Competitor[] = [];
  for (const competitor of open) {
    const [first] = best;
    const difference = first === undefined ? 1 : compareScores(competitor.scores, first.scores);
    if (difference > 0) best = [competitor];
    else if (difference === 0) best.push(competitor);
  }
  const chosen = best[tieIndex(state, best)] ?? open[0];
  if (chosen === undefined) throw new RangeError("nothing to choose from");
  return chosen;
}

/** Equal acts are no tie: they all happen. */
function tieIndex(state: EngineState, best: readonly Competitor[]): number {
  const [first] = best;
  if (first === undefined || best.every((other) => isSameAct(state, first.act, other.act))) return 0;
  return nextIndex(state, best.length);
}

function perform(state: EngineState, { head, act }: Competitor): EngineEvent[] {
  const events = act.requests
    .filter(stillMakesSense)
    .map(({ name, payload, action }) =>
      emit(state, name, payload, action === undefined ? undefined : resolveAction(action)),
    );
  const [first] = events;
  if (act.event !== undefined && first !== undefined) {
    writeVariable(state, head.instance, act.event, new EventReference(first));
  }
  return events;
}

/** What has ended while its stop or change was pending needs neither any more; of what the engine does not know it cannot say. */
function stillMakesSense({ request, action }: OutgoingRequest): boolean {
  if (action === undefined || request === undefined || request === "Start") return true;
  const resolved = resolveAction(action);
  return resolved.status === "initialized" || isRunning(resolved);
}

/** Equal name and payload; of a running action the same one (spec 6.6.4). */
function isSameAct(state: EngineState, left: PendingAct, right: PendingAct): boolean {
  if (left.requests.length !== right.requests.length) return false;
  return left.requests.every((request, at) => {
    const other = right.requests[at];
    if (other === undefined || other.name !== request.name || !equalValues(request.payload, other.payload, state.work))
      return false;
    if (request.uid !== undefined || other.uid !== undefined) return request.uid === other.uid;
    if (request.request === "Start") return other.request === "Start";
    return sameAction(request, other);
  });
}

function sameAction(left: OutgoingRequest, right: OutgoingRequest): boolean {
  if (left.action === undefined || right.action === undefined) return left.action === right.action;
  return resolveAction(left.action) === resolveAction(right.action);
}

/** The other head has what the winner has: the event, and the action that was started (R-SHARE). */
function share(state: EngineState, winner: Competitor, other: Competitor, events: readonly EngineEvent[]): void {
  for (const [at, request] of other.act.requests.entries()) {
    const won = winner.act.requests[at]?.action;
    if (request.request !== "Start" || request.action === undefined || won === undefined) continue;
    const target = resolveAction(won);
    if (resolveAction(request.action) !== target) shareAction(state, request.action, target);
  }
  const [first] = events;
  if (other.act.event !== undefined && first !== undefined) {
    writeVariable(state, other.head.instance, other.act.event, new EventReference(first));
  }
}

/** With the policy `modality` only actions of one modality, and everything without one, get in each other's way. */
function competes(state: EngineState, left: PendingAct, right: PendingAct): boolean {
  if (state.options.conflictPolicy === "all") return true;
  return left.requests.some((request) => right.requests.some((other) => requestsCompete(request, other)));
}

function requestsCompete(left: OutgoingRequest, right: OutgoingRequest): boolean {
  if (left.request !== "Start" || right.request !== "Start") return true;
  const first = modalityOf(left.action?.name ?? "");
  const second = modalityOf(right.action?.name ?? "");
  if (first === undefined || second === undefined) return true;
  return first.modality === second.modality && first.policy !== "parallel";
}

/** The flows for which an instance acts; one that is activated acts for itself. */
function callersOf(instance: FlowInstance): Pick<TraceOffer, "callers" | "callerPlaces"> {
  const callers: string[] = [];
  const callerPlaces: (SourceLocation | undefined)[] = [];
  for (let at = instance; at.activation === undefined && at.parent !== undefined; at = at.parent) {
    const { definition } = at.parent;
    callers.push(definition.id);
    callerPlaces.push(definition.places[definition.elements[at.hierarchy.at(-1) ?? -1]?.place ?? -1]?.location);
  }
  return { callers, callerPlaces };
}

function offerOf({ head, act, scores }: Competitor): TraceOffer {
  const { definition } = head.instance;
  const place = definition.places[definition.elements[head.address]?.place ?? -1];
  return {
    flow: definition.id,
    ...callersOf(head.instance),
    instance: head.instance.uid,
    reason: "matched",
    priority: scores.reduce((product, score) => product * score, 1),
    scores,
    step: act.requests.map((request) => request.name).join(", "),
    ...(place === undefined ? {} : { location: place.location }),
  };
}
