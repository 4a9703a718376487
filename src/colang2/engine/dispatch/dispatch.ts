import { GuardrailsError } from "../../../diagnostics/errors.js";
import { createMap, isMap, readOwn } from "../../../expressions/values/value.js";
import { adoptAction, linkAction, noteActionEvent } from "../actions/actions.js";
import { advance, catchFailure, failWithError, type Acting } from "../heads/advance.js";
import { buildPattern } from "../heads/build-pattern.js";
import { noteMove } from "../flows/endings.js";
import { writeGlobal, writeVariable } from "../values/evaluate-in.js";
import type { EngineEvent, FlowInstance, Head, HistoryEntry } from "../state/records.js";
import { ENGINE_WORK } from "../limits.js";
import { keepLog } from "./logs.js";
import { latch } from "../flows/pause.js";
import { internalEvent } from "./queue.js";
import { EventReference } from "../state/references.js";
import { handleEnd, handlePause } from "./requests.js";
import { MISMATCH, scoreEvent } from "./score.js";
import { handleStart } from "../flows/start-flow.js";
import { UNHANDLED, type Handling } from "./handling.js";
import {
  actionOf,
  ancestry,
  compareScores,
  elementOf,
  instanceOf,
  isListening,
  type EngineState,
} from "../state/state.js";

interface Match {
  readonly head: Head;
  readonly scores: readonly number[];
  readonly event: EngineEvent;
}

/** The flows that matched an event: needed for digressions. */
export interface Reception {
  readonly matched: readonly FlowInstance[];
}

/** Processes one event of the queue. */
export function dispatch(state: EngineState, event: EngineEvent, acting: Acting): Reception {
  if (!event.isInternal) linkAction(state, event);
  if (event.name === "ContextUpdate" && !event.isInternal) writeContext(state, event);
  const handling = handleByDefault(state, event);
  refreshPatterns(state);
  const matches: Match[] = [];
  const mismatches: Head[] = [];
  state.work.add(ENGINE_WORK.event + Object.keys(event.payload).length * ENGINE_WORK.item);
  for (const head of sorted(state, state.index.waiting.candidates(event)))
    judge(state, { head, event }, matches, mismatches);
  if (handling.entry !== undefined) matches.push({ head: handling.entry, scores: [...event.scores, 1], event });
  latch(state, event, (head) => head.pattern !== undefined && score(state, event, head) !== 0);
  notifyUnhandled(state, event, handling, matches);
  react(state, { matches, mismatches, event }, acting);
  continueAfterPause(state, handling, acting);
  return { matched: matches.map(({ head }) => instanceOf(state, head)) };
}

/** Gives resumed heads the events they missed, and lets them do what they were about to do. */
export function continueAfterPause(state: EngineState, { deliveries, standing }: Handling, acting: Acting): void {
  for (const head of standing ?? []) acting.add(head);
  for (const delivery of deliveries ?? []) {
    const matches: Match[] = [];
    const mismatches: Head[] = [];
    if (delivery.head.pattern !== undefined) judge(state, delivery, matches, mismatches);
    react(state, { matches, mismatches, event: delivery.event }, acting);
  }
}

interface Judgement {
  readonly matches: Match[];
  readonly mismatches: readonly Head[];
  readonly event: EngineEvent;
}

/** Moves the heads on that an event concerns. */
function react(state: EngineState, { matches, mismatches, event }: Judgement, acting: Acting): void {
  matches.sort((left, right) => compareScores(right.scores, left.scores));
  for (const match of matches) bind(state, match);
  if (event.action !== undefined) noteActionEvent(state, actionOf(state, event.action), event, "world");
  const caught: Head[] = [];
  for (const head of mismatches) {
    const instance = instanceOf(state, head);
    noteMove(state, instance, event);
    if (isListening(instance) && head.status === "active" && catchFailure(state, head, "impossible", event)) {
      state.round.scores.set(head.id, event.scores);
      caught.push(head);
    }
  }
  for (const { head, scores, event: cause } of matches) {
    if (head.status !== "active" || (head.pattern === undefined && head.address !== 0)) continue;
    const instance = instanceOf(state, head);
    state.round.scores.set(head.id, scores);
    if (head.address !== 0) noteMove(state, instance, cause);
    noteProgress(state, instance, cause);
    advance(state, head, acting);
  }
  for (const head of caught) advance(state, head, acting, head.address);
}

function handleByDefault(state: EngineState, event: EngineEvent): Handling {
  if (!event.isInternal) return UNHANDLED;
  switch (event.name) {
    case "StartFlow":
      return handleStart(state, event);
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
  const entry = { name, flow: text("flow_id") ?? "", parameter: text("parameter") };
  return name === "UserActionLog" || name === "BotActionLog" ? { ...entry, intent: text("intent_flow_id") } : entry;
}

function writeContext(state: EngineState, event: EngineEvent): void {
  const data = event.payload["data"] ?? null;
  if (!isMap(data)) return;
  for (const name of Object.keys(data)) writeGlobal(state, name, readOwn(data, name) ?? null);
}

/** Patterns that read global variables follow them. */
function refreshPatterns(state: EngineState): void {
  const { latches, staleHeads, waiting } = state.index;
  if (staleHeads.size === 0) return;
  const stale = [...staleHeads];
  staleHeads.clear();
  for (const head of stale) {
    head.isStale = false;
    const element = head.pattern === undefined ? undefined : elementOf(state, head);
    if (element?.kind !== "Wait") continue;
    try {
      const pattern = buildPattern(state, instanceOf(state, head), element.pattern);
      // A head of a paused flow is among those whose events are kept.
      const index = latches.has(head) ? latches : waiting.has(head) ? waiting : undefined;
      index?.remove(head);
      head.pattern = pattern;
      index?.add(head);
    } catch (error) {
      failWithError(state, head, error);
    }
  }
}

/** By the priority of the loop, then by the place in the tree of flows, numerically, then by age. */
function sorted(state: EngineState, heads: Head[]): Head[] {
  // Heads are compared by the whole path of their flows.
  const placed = [...new Set(heads)].map((head) => ({ head, instance: instanceOf(state, head) }));
  for (const { instance } of placed) state.work.add(instance.hierarchy.length / 4);
  if (placed.length > 1) placed.sort(comparePlaces);
  return placed.map(({ head }) => head);
}

interface PlacedHead {
  readonly head: Head;
  readonly instance: FlowInstance;
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

function judge(
  state: EngineState,
  { head, event }: { readonly head: Head; readonly event: EngineEvent },
  matches: Match[],
  mismatches: Head[],
): void {
  const found = score(state, event, head);
  if (found === MISMATCH) mismatches.push(head);
  else if (found > 0) matches.push({ head, scores: [...event.scores, found], event });
}

/** An error of a pattern fails the flow that waits, and no other. */
function score(state: EngineState, event: EngineEvent, head: Head): number {
  const { pattern } = head;
  if (pattern === undefined) return 0;
  state.work.add(ENGINE_WORK.candidate);
  try {
    return scoreEvent(state, event, { pattern, priority: instanceOf(state, head).priority });
  } catch (error) {
    if (!GuardrailsError.isInstance(error)) throw error;
    failWithError(state, head, error);
    return 0;
  }
}

/** Queues an event about the loops in which no flow handled the event, if any flow waits for it. */
function notifyUnhandled(state: EngineState, event: EngineEvent, handling: Handling, matches: readonly Match[]): void {
  if (event.name === "UnhandledEvent" || handling.handled === "all" || !state.index.waiting.awaits("UnhandledEvent"))
    return;
  if (event.name === "StartFlow" && event.isInternal && matches.length > 0) return;
  state.work.add(state.index.loops.size / 2);
  const handled = new Set(handling.handled);
  for (const { head } of matches) handled.add(instanceOf(state, head).loop);
  const unhandled = [...state.index.loops.keys()].filter((loop) => !handled.has(loop)).sort();
  if (unhandled.length === 0) return;
  const fields = createMap();
  fields["event"] = event.name;
  fields["loop_ids"] = new Set(unhandled);
  const payload = Object.assign(createMap(), event.fields, event.payload);
  const { scores, flow } = event;
  state.round.queue.push(internalEvent(state, "UnhandledEvent", { fields, payload, scores, flow }));
}

/** Gives the event the name the program has for it. */
function bind(state: EngineState, { head, event }: Match): void {
  const element = elementOf(state, head);
  if (element?.kind !== "Wait" || element.event === undefined || head.pattern === undefined) return;
  if (!event.isInternal) adoptAction(state, event);
  writeVariable(state, instanceOf(state, head), element.event, new EventReference(state, event));
}

/** For digressions: something of the world has moved this flow, or a flow inside it. */
function noteProgress(state: EngineState, instance: FlowInstance, event: EngineEvent): void {
  if (event.isInternal) return;
  for (const around of ancestry(state, instance)) around.hasMatched = true;
}
