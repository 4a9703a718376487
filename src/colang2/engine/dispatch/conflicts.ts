import type { SourceLocation } from "../../../diagnostics/source-file.js";
import type { TraceOffer } from "../../../engine/explain.js";
import { modalityOf } from "../../event-names.js";
import { emit, isRunning, shareAction } from "../actions/actions.js";
import { catchFailure, failWithError } from "../heads/advance.js";
import { type Acting } from "../heads/heads.js";
import { equalValues } from "../values/plain-values.js";
import { ENGINE_WORK } from "../limits.js";
import type {
  ActionRecord,
  EngineEvent,
  FlowInstance,
  OutgoingRequest,
  PendingAct,
  PlacedHead,
} from "../state/records.js";
import {
  nextIndex,
  actionOf,
  bestOf,
  instanceOf,
  isListening,
  parentOf,
  scoresOf,
  type EngineState,
  placeAt,
} from "../state/state.js";
import { nameEvent } from "../values/evaluate-in.js";

/** A head with what it is about to do. */
interface Competitor extends PlacedHead {
  readonly act: PendingAct;
  readonly scores: readonly number[];
}

/**
 * Decides which heads of each interaction loop may act. The decision is in the outgoing events.
 *
 * @returns heads that stood on an act: those that acted continue, those that were caught have moved to their handler already
 */
export function resolveConflicts(
  state: EngineState,
  acting: Acting,
): { readonly acted: readonly PlacedHead[]; readonly caught: readonly PlacedHead[] } {
  const loops = new Map<string, Competitor[]>();
  for (const head of acting) {
    const { act } = head;
    if (act === undefined || head.status !== "active") continue;
    const instance = instanceOf(state, head);
    if (!isListening(instance)) continue;
    const others = loops.get(instance.loop) ?? [];
    if (others.length === 0) loops.set(instance.loop, others);
    others.push({ head, instance, act, scores: scoresOf(state, head) });
  }
  const acted: PlacedHead[] = [];
  const caught: PlacedHead[] = [];
  for (const competitors of loops.values()) resolveLoop(state, competitors, acted, caught);
  return { acted, caught };
}

function resolveLoop(
  state: EngineState,
  competitors: readonly Competitor[],
  acted: PlacedHead[],
  caught: PlacedHead[],
): void {
  let open = competitors;
  if (competitors.some((competitor) => isFree(state, competitor))) {
    const free = new Set(competitors.filter((competitor) => isFree(state, competitor)));
    actFreely(state, free, acted);
    open = competitors.filter((competitor) => !free.has(competitor));
  }
  while (open.length > 0) {
    if (state.work.isSpent) {
      for (const remaining of open)
        if (isListening(remaining.instance)) failWithError(state, remaining, state.work.error());
      return;
    }
    state.work.add(open.length * ENGINE_WORK.competitor);
    const winner = chooseWinner(state, rivals(state, open));
    // An earlier winner, or what it ended, may have ended this one.
    if (!isListening(winner.instance)) {
      open = open.filter((other) => other !== winner);
      continue;
    }
    const events = perform(state, winner);
    acted.push(winner);
    const undecided: Competitor[] = [];
    const losers: Competitor[] = [];
    for (const other of open) {
      if (other === winner) continue;
      if (other.head.status !== "active" || !isListening(other.instance)) continue;
      if (isSameAct(state, winner.act, other.act)) {
        share(state, winner, other, events);
        acted.push(other);
      } else if (competes(state, winner.act, other.act)) losers.push(other);
      else undecided.push(other);
    }
    state.round.trace.push({
      type: "decided",
      winner: offerOf(state, winner),
      others: losers.map((loser) => offerOf(state, loser)),
    });
    for (const loser of losers) {
      if (isListening(loser.instance) && catchFailure(state, loser, "conflict")) caught.push(loser);
    }
    open = undecided;
  }
}

/** Performs acts that compete with none; equal ones happen once. */
function actFreely(state: EngineState, open: Iterable<Competitor>, acted: PlacedHead[]): void {
  const performed: { readonly competitor: Competitor; readonly events: readonly EngineEvent[] }[] = [];
  for (const other of open) {
    state.work.add(performed.length * ENGINE_WORK.competitor);
    const first = performed.find(({ competitor }) => isSameAct(state, competitor.act, other.act));
    if (first === undefined) performed.push({ competitor: other, events: perform(state, other) });
    else share(state, first.competitor, other, first.events);
    acted.push(other);
  }
}

/** The first one in order with all it competes with: what does not compete acts in order. */
function rivals(state: EngineState, open: readonly Competitor[]): readonly Competitor[] {
  const [first] = open;
  if (first === undefined || state.options.conflictPolicy === "all") return open;
  const meets = ({ act }: Competitor): boolean => isSameAct(state, first.act, act) || competes(state, first.act, act);
  return open.filter((other) => other === first || meets(other));
}

function isFree(state: EngineState, { act }: Competitor): boolean {
  return act.requests.every((request) => isNeutral(state, request));
}

/** A stop or a change of one action takes nothing away from other heads. */
function isNeutral(state: EngineState, request: OutgoingRequest): boolean {
  if (request.action === undefined) return false;
  if (request.request === "Stop" || request.request === "Change") return true;
  return state.options.neutralActions.has(actionOf(state, request.action).name);
}

/** The best score list; of equal ones the RNG draws. Equal acts are no tie: they all happen. */
function chooseWinner(state: EngineState, open: readonly Competitor[]): Competitor {
  const best = bestOf(open, ({ scores }) => scores);
  const [first] = best;
  if (first === undefined) throw new RangeError("nothing to choose from");
  const isTie = !best.every((other) => isSameAct(state, first.act, other.act));
  return (isTie ? best[nextIndex(state.data, best.length)] : undefined) ?? first;
}

function perform(state: EngineState, { instance, act }: Competitor): EngineEvent[] {
  const events = act.requests.flatMap((request) => {
    const action = targetAction(state, request);
    const isChange = request.request === "Stop" || request.request === "Change";
    // An action that has ended meanwhile needs no stop or change; whether an unknown one runs is not known here.
    const isLate = isChange && action !== undefined && action.status !== "initialized" && !isRunning(action);
    return isLate ? [] : [emit(state, request.name, request.payload, action)];
  });
  nameEvent(state, instance, act.event, events[0]);
  return events;
}

function targetAction(state: EngineState, { action }: OutgoingRequest): ActionRecord | undefined {
  return action === undefined ? undefined : actionOf(state, action);
}

/** Equal name and payload; of a running action the same one. */
function isSameAct(state: EngineState, left: PendingAct, right: PendingAct): boolean {
  if (left.requests.length !== right.requests.length) return false;
  return left.requests.every((request, at) => {
    const other = right.requests[at];
    if (other === undefined || other.name !== request.name || !equalValues(request.payload, other.payload, state.work))
      return false;
    if (request.uid !== undefined || other.uid !== undefined) return request.uid === other.uid;
    if (request.request === "Start") return other.request === "Start";
    return targetAction(state, request) === targetAction(state, other);
  });
}

/** Gives the other head the event of the winner, and the action that was started. */
function share(state: EngineState, winner: Competitor, other: Competitor, events: readonly EngineEvent[]): void {
  for (const [at, request] of other.act.requests.entries()) {
    const won = winner.act.requests[at]?.action;
    if (request.request !== "Start" || request.action === undefined || won === undefined) continue;
    const target = actionOf(state, won);
    const own = state.data.actions.get(request.action);
    if (own !== undefined && actionOf(state, own.id) !== target) shareAction(state, own, target);
  }
  nameEvent(state, other.instance, other.act.event, events[0]);
}

/** With the policy `modality` only actions of one modality, and everything without one, get in each other's way. */
function competes(state: EngineState, left: PendingAct, right: PendingAct): boolean {
  if (state.options.conflictPolicy === "all") return true;
  return left.requests.some((request) => right.requests.some((other) => requestsCompete(state, request, other)));
}

function requestsCompete(state: EngineState, left: OutgoingRequest, right: OutgoingRequest): boolean {
  if (left.request !== "Start" || right.request !== "Start") return true;
  const first = modalityOf(targetAction(state, left)?.name ?? "");
  const second = modalityOf(targetAction(state, right)?.name ?? "");
  if (first === undefined || second === undefined) return true;
  return first.modality === second.modality && first.policy !== "parallel";
}

/** The flows for which an instance acts; one that is activated acts for itself. */
function callersOf(state: EngineState, instance: FlowInstance): Pick<TraceOffer, "callers" | "callerPlaces"> {
  const callers: string[] = [];
  const callerPlaces: (SourceLocation | undefined)[] = [];
  let at: FlowInstance | undefined = instance;
  while (at !== undefined && at.activation === undefined) {
    const address = at.hierarchy.at(-1) ?? -1;
    at = parentOf(state, at);
    if (at === undefined) break;
    callers.push(at.flow);
    callerPlaces.push(placeAt(state, at, address)?.location);
  }
  return { callers, callerPlaces };
}

function offerOf(state: EngineState, { head, instance, act, scores }: Competitor): TraceOffer {
  const place = placeAt(state, instance, head.address);
  return {
    flow: instance.flow,
    ...callersOf(state, instance),
    instance: instance.uid,
    reason: "matched",
    priority: scores.reduce((product, score) => product * score, 1),
    scores,
    step: act.requests.map((request) => request.name).join(", "),
    ...(place === undefined ? {} : { location: place.location }),
  };
}
