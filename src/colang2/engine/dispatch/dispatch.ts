import { GuardrailsError } from "../../../diagnostics/errors.js";
import { isMap, readOwn } from "../../../expressions/values/value.js";
import { adoptAction, linkAction, noteActionEvent } from "../actions/actions.js";
import { advance, catchFailure, failWithError } from "../heads/advance.js";
import { type Acting } from "../heads/heads.js";
import { buildPattern } from "../heads/build-pattern.js";
import { noteMove } from "../flows/lifecycle.js";
import { writeGlobal, nameEvent } from "../values/evaluate-in.js";
import {
  LOG_NAMES,
  type EngineEvent,
  type FlowInstance,
  type Head,
  type HistoryEntry,
  type PlacedHead,
} from "../state/records.js";
import { ENGINE_WORK } from "../limits.js";
import { keepLog, internalEvent } from "./queue.js";
import { latch, UNHANDLED, type Handling } from "../flows/pause.js";
import { handleEnd, handlePause } from "./requests.js";
import { MISMATCH, scoreEvent } from "./score.js";
import { handleStart } from "../flows/start-flow.js";
import {
  actionOf,
  compareScores,
  elementOf,
  instanceOf,
  isListening,
  parentOf,
  type EngineState,
} from "../state/state.js";
import { NO_VALUES, tableOf } from "../state/event.js";

interface Match extends PlacedHead {
  readonly scores: readonly number[];
}

/** The heads that an event concerns. */
interface Judgement {
  readonly matches: readonly Match[];
  readonly mismatches: readonly PlacedHead[];
}

const NOTHING: Judgement = { matches: [], mismatches: [] };

/** Processes one event of the queue, and returns the heads that matched it. */
export function dispatch(state: EngineState, event: EngineEvent, acting: Acting): readonly PlacedHead[] {
  if (!event.isInternal) takeExternal(state, event);
  let handling = UNHANDLED;
  if (event.isInternal) {
    if (event.name === "StartFlow") handling = handleStart(state, event);
    else if (HANDLED_HERE.has(event.name)) handling = handleByDefault(state, event);
  }
  const { waiting, latches, staleHeads } = state.index;
  if (staleHeads.size > 0) refreshPatterns(state);
  const { payload, scores } = event;
  const candidates = waiting.candidates(event);
  const items = payload === NO_VALUES ? 0 : Object.keys(payload).length * ENGINE_WORK.item;
  state.work.spent += ENGINE_WORK.event + items + candidates.length * ENGINE_WORK.candidate;
  const judgement = candidates.length === 0 ? NOTHING : judge(state, event, inOrder(state, candidates));
  const { mismatches } = judgement;
  let { matches } = judgement;
  const { entry, handled } = handling;
  if (entry !== undefined) {
    const begun: Match = { head: entry.head, instance: entry.instance, scores: scores.concat(1) };
    matches = matches.length === 0 ? [begun] : [...matches, begun];
  }
  if (latches.heads.size > 0) latch(state, event, (placed) => score(state, event, placed) !== 0);
  if (handled !== "all" && waiting.unhandled > 0) notifyUnhandled(state, event, handled, matches);
  if (matches.length > 1) matches = [...matches].sort((left, right) => compareScores(right.scores, left.scores));
  if (matches.length + mismatches.length > 0 || event.action !== undefined) {
    react(state, event, { matches, mismatches }, acting);
  }
  if (handling.deliveries !== undefined) continueAfterPause(state, handling, acting);
  return matches;
}

/** Gives resumed heads the events they missed, and lets them do what they were about to do. */
export function continueAfterPause(state: EngineState, handling: Handling, acting: Acting): void {
  const { deliveries = [], standing = [] } = handling;
  for (const head of standing) acting.add(head);
  state.work.add(deliveries.length * ENGINE_WORK.candidate);
  for (const { event, ...placed } of deliveries) {
    react(state, event, judge(state, event, [placed]), acting);
  }
}

/** Moves the heads on that an event concerns. */
function react(state: EngineState, event: EngineEvent, judgement: Judgement, acting: Acting): void {
  const { matches, mismatches } = judgement;
  for (const match of matches) if (match.head.pattern !== undefined) bind(state, event, match);
  if (event.action !== undefined) noteActionEvent(state, actionOf(state, event.action), event, "world");
  const caught = mismatches.length === 0 ? mismatches : catchMismatches(state, event, mismatches);
  for (const match of matches) {
    const { head, instance } = match;
    if (head.status !== "active" || (head.pattern === undefined && head.address !== 0)) continue;
    state.round.scores.set(head.id, match.scores);
    if (head.address !== 0 && state.round.unmoved.has(instance.uid)) noteMove(state, instance, event);
    // For digressions: something of the world has moved this flow, or a flow inside it.
    if (!event.isInternal) noteMatch(state, instance);
    advance(state, match, acting);
  }
  for (const placed of caught) advance(state, placed, acting, placed.head.address);
}

/** Returns the heads whose flows catch that a wait has become impossible. */
function catchMismatches(state: EngineState, event: EngineEvent, mismatches: readonly PlacedHead[]): PlacedHead[] {
  return mismatches.filter((placed) => {
    const { head, instance } = placed;
    noteMove(state, instance, event);
    if (!isListening(instance) || head.status !== "active") return false;
    if (!catchFailure(state, placed, "impossible", event)) return false;
    state.round.scores.set(head.id, event.scores);
    return true;
  });
}

function noteMatch(state: EngineState, instance: FlowInstance): void {
  let around: FlowInstance | undefined = instance;
  for (; around !== undefined; around = parentOf(state, around)) around.hasMatched = true;
}

function takeExternal(state: EngineState, event: EngineEvent): void {
  linkAction(state, event);
  const data = event.name === "ContextUpdate" ? (event.payload["data"] ?? null) : null;
  if (isMap(data)) for (const name of Object.keys(data)) writeGlobal(state, name, readOwn(data, name) ?? null);
}

/** The events that `handleByDefault` handles. */
const HANDLED_HERE: ReadonlySet<string> = new Set(["StopFlow", "FinishFlow", "PauseFlow", "ResumeFlow", ...LOG_NAMES]);

function handleByDefault(state: EngineState, event: EngineEvent): Handling {
  switch (event.name) {
    case "StopFlow":
    case "FinishFlow":
      return handleEnd(state, event);
    case "PauseFlow":
    case "ResumeFlow":
      return handlePause(state, event);
    case "UserIntentLog":
    case "BotIntentLog":
    case "UserActionLog":
    case "BotActionLog":
      keepLog(state, historyEntry(event, event.name));
      return { handled: "all" };
    default:
      return UNHANDLED;
  }
}

function historyEntry(event: EngineEvent, name: HistoryEntry["name"]): HistoryEntry {
  const text = (field: string): string | null => {
    const value = event.fields[field] ?? null;
    return typeof value === "string" ? value : null;
  };
  const flow = text("flow_id") ?? "";
  const parameter = text("parameter");
  return name === "UserActionLog" || name === "BotActionLog"
    ? { name, flow, parameter, intent: text("intent_flow_id") }
    : { name, flow, parameter };
}

/** Patterns that read global variables follow them. */
function refreshPatterns(state: EngineState): void {
  const { latches, staleHeads, waiting } = state.index;
  const stale = [...staleHeads];
  staleHeads.clear();
  for (const head of stale) {
    head.isStale = false;
    const instance = instanceOf(state, head);
    const element = head.pattern === undefined ? undefined : elementOf(state, { head, instance });
    if (element?.kind !== "Wait") continue;
    try {
      const pattern = buildPattern(state, instance, element.pattern);
      // A head of a paused flow is among those whose events are kept.
      const index = latches.heads.has(head) ? latches : waiting.heads.has(head) ? waiting : undefined;
      index?.remove(head);
      head.pattern = pattern;
      index?.add(head);
    } catch (error) {
      failWithError(state, { head, instance }, error);
    }
  }
}

/** Each head once, by the priority of the loop, then by the place in the tree of flows, numerically, then by age. */
function inOrder(state: EngineState, heads: readonly Head[]): PlacedHead[] {
  const [only] = heads;
  if (only !== undefined && heads.length === 1) {
    const instance = instanceOf(state, only);
    state.work.spent += instance.hierarchy.length / 4;
    return [{ head: only, instance }];
  }
  const placed: PlacedHead[] = [];
  let compared = 0;
  for (const head of new Set(heads)) {
    const instance = instanceOf(state, head);
    // Heads are compared by the whole path of their flows.
    compared += instance.hierarchy.length;
    placed.push({ head, instance });
  }
  state.work.add(compared / 4);
  return placed.length > 1 ? placed.sort(comparePlaces) : placed;
}

function comparePlaces(left: PlacedHead, right: PlacedHead): number {
  const byPriority = right.instance.loopPriority - left.instance.loopPriority;
  if (byPriority !== 0) return byPriority;
  const { hierarchy: first } = left.instance;
  const { hierarchy: second } = right.instance;
  for (let at = 0; at < Math.min(first.length, second.length); at += 1) {
    const difference = (first[at] ?? 0) - (second[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return first.length - second.length || left.instance.order - right.instance.order || left.head.id - right.head.id;
}

function judge(state: EngineState, event: EngineEvent, heads: readonly PlacedHead[]): Judgement {
  let matches: Match[] | undefined;
  let mismatches: PlacedHead[] | undefined;
  for (const placed of heads) {
    const found = score(state, event, placed);
    if (found === MISMATCH) {
      if (mismatches === undefined) mismatches = [placed];
      else mismatches.push(placed);
    } else if (found > 0) {
      const match = { head: placed.head, instance: placed.instance, scores: event.scores.concat(found) };
      // A list that begins with its first item takes no more memory than it needs, and nearly all have one.
      if (matches === undefined) matches = [match];
      else matches.push(match);
    }
  }
  return { matches: matches ?? NOTHING.matches, mismatches: mismatches ?? NOTHING.mismatches };
}

/** An error of a pattern fails the flow that waits, and no other. */
function score(state: EngineState, event: EngineEvent, placed: PlacedHead): number {
  const { pattern } = placed.head;
  if (pattern === undefined) return 0;
  try {
    return scoreEvent(state, event, pattern, placed.instance.priority);
  } catch (error) {
    if (!GuardrailsError.isInstance(error)) throw error;
    failWithError(state, placed, error);
    return 0;
  }
}

/** Queues an event about the loops in which no flow handled the event. */
function notifyUnhandled(
  state: EngineState,
  event: EngineEvent,
  handledByDefault: ReadonlySet<string>,
  matches: readonly Match[],
): void {
  if (event.name === "UnhandledEvent") return;
  if (event.name === "StartFlow" && event.isInternal && matches.length > 0) return;
  state.work.add(state.index.loops.size / 2);
  const handled = new Set(handledByDefault);
  for (const { instance } of matches) handled.add(instance.loop);
  const unhandled = [...state.index.loops.keys()].filter((loop) => !handled.has(loop)).sort();
  if (unhandled.length === 0) return;
  const fields = tableOf({ event: event.name, loop_ids: new Set(unhandled) });
  const payload = Object.assign(tableOf(event.fields), event.payload);
  const { scores, flow } = event;
  state.round.queue.push(internalEvent(state, "UnhandledEvent", { fields, payload, scores, flow }));
}

/** Gives the event the name the program has for it. */
function bind(state: EngineState, event: EngineEvent, match: Match): void {
  const { head, instance } = match;
  const element = state.definitions.get(instance.flow)?.elements[head.address];
  if (element?.kind !== "Wait" || element.event === undefined) return;
  if (!event.isInternal) adoptAction(state, event);
  nameEvent(state, instance, element.event, event);
}
