import { GuardrailsError } from "../../../diagnostics/errors.js";
import { createMap, isMap, readOwn } from "../../../expressions/values/value.js";
import { adoptAction, linkAction, noteActionEvent } from "../actions/actions.js";
import { advance, catchFailure, failWithError, type Acting } from "../heads/advance.js";
import { buildPattern } from "../heads/build-pattern.js";
import { noteMove } from "../flows/endings.js";
import { writeGlobal, writeVariable } from "../values/evaluate-in.js";
import type { EngineEvent } from "../state/event.js";
import { ENGINE_WORK } from "../limits.js";
import { keepLog } from "./logs.js";
import { latch } from "../flows/pause.js";
import { internalEvent } from "./queue.js";
import { EventReference } from "../state/references.js";
import { handleEnd, handlePause } from "./requests.js";
import { MISMATCH, scoreEvent } from "./score.js";
import { handleStart, type Handling } from "../flows/start-flow.js";
import {
  compareScores,
  isListening,
  setScores,
  type EngineState,
  type FlowInstance,
  type Head,
  type HistoryEntry,
} from "../state/state.js";
import { resolveAction } from "../state/action-object.js";

interface Match {
  readonly head: Head;
  readonly scores: readonly number[];
  readonly event: EngineEvent;
}

/** What one event met: needed for digressions (spec 6.9.3). */
export interface Reception {
  readonly matched: readonly FlowInstance[];
}

const UNHANDLED: Handling = { handled: new Set() };

/** Processes one event of the queue (spec 7.2). */
export function dispatch(state: EngineState, event: EngineEvent, acting: Acting): Reception {
  if (!event.isInternal) linkAction(state, event);
  if (event.name === "ContextUpdate" && !event.isInternal) writeContext(state, event);
  const handling = handleByDefault(state, event);
  refreshPatterns(state);
  const matches: Match[] = [];
  const mismatches: Head[] = [];
  state.work.add(ENGINE_WORK.event + Object.keys(event.payload).length * ENGINE_WORK.item);
  for (const head of sorted(state, state.index.candidates(event))) judge(state, { head, event }, matches, mismatches);
  if (handling.entry !== undefined) matches.push({ head: handling.entry, scores: [...event.scores, 1], event });
  latch(state, event, (head) => head.pattern !== undefined && score(state, event, head) !== 0);
  notifyUnhandled(state, event, handling, matches);
  react(state, { matches, mismatches, event }, acting);
  goOnAfterPause(state, handling, acting);
  return { matched: matches.map((match) => match.head.instance) };
}

/** Gives resumed heads the events they missed (spec 6.9.2), and lets them do what they were about to do. */
export function goOnAfterPause(state: EngineState, { deliveries, standing }: Handling, acting: Acting): void {
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
  if (event.action !== undefined) noteActionEvent(state, resolveAction(event.action), event, "world");
  const caught: Head[] = [];
  for (const head of mismatches) {
    noteMove(state, head.instance, event);
    if (isListening(head.instance) && head.status === "active" && catchFailure(state, head, "impossible", event)) {
      setScores(state, head, event.scores);
      caught.push(head);
    }
  }
  for (const { head, scores, event: cause } of matches) {
    if (head.status !== "active" || (head.pattern === undefined && head.address !== 0)) continue;
    setScores(state, head, scores);
    if (head.address !== 0) noteMove(state, head.instance, cause);
    noteProgress(head.instance, cause);
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

/** Patterns that read global variables follow them (spec 5.4.3). */
function refreshPatterns(state: EngineState): void {
  if (state.staleHeads.size === 0) return;
  const stale = [...state.staleHeads];
  state.staleHeads.clear();
  for (const head of stale) {
    const element = head.instance.definition.elements[head.address];
    if (head.pattern === undefined || element?.kind !== "Wait") continue;
    try {
      const pattern = buildPattern(state, head.instance, element.pattern);
      // A head of a paused flow is among those whose events are kept.
      const index = state.latches.has(head) ? state.latches : state.index.has(head) ? state.index : undefined;
      index?.remove(head);
      head.pattern = pattern;
      index?.add(head);
    } catch (error) {
      failWithError(state, head, error);
    }
  }
}

/** By the priority of the loop, then by the place in the tree of flows, numerically, then by age (spec 7.2.4). */
function sorted(state: EngineState, heads: Head[]): Head[] {
  // Heads are compared by the whole path of their flows.
  for (const { instance } of heads) state.work.add(instance.hierarchy.length / 4);
  return heads.length < 2 ? heads : [...new Set(heads)].sort(compareHeads);
}

function compareHeads(left: Head, right: Head): number {
  const byPriority = right.instance.loopPriority - left.instance.loopPriority;
  if (byPriority !== 0) return byPriority;
  const { hierarchy: first } = left.instance;
  const { hierarchy: second } = right.instance;
  for (let at = 0; at < Math.min(first.length, second.length); at += 1) {
    const difference = (first[at] ?? 0) - (second[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return first.length - second.length || left.instance.order - right.instance.order || left.id - right.id;
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

/** An error of a pattern fails the flow that waits, and nobody else. */
function score(state: EngineState, event: EngineEvent, head: Head): number {
  const { pattern } = head;
  if (pattern === undefined) return 0;
  state.work.add(ENGINE_WORK.candidate);
  try {
    return scoreEvent(event, { pattern, priority: head.instance.priority }, state.work);
  } catch (error) {
    if (!GuardrailsError.isInstance(error)) throw error;
    failWithError(state, head, error);
    return 0;
  }
}

/** Tells the loops in which nobody took notice (spec 5.6), if somebody wants to know. */
function notifyUnhandled(state: EngineState, event: EngineEvent, handling: Handling, matches: readonly Match[]): void {
  if (event.name === "UnhandledEvent" || handling.handled === "all" || !state.index.awaits("UnhandledEvent")) return;
  if (event.name === "StartFlow" && event.isInternal && matches.length > 0) return;
  state.work.add(state.loops.size / 2);
  const handled = new Set(handling.handled);
  for (const { head } of matches) handled.add(head.instance.loop);
  const unhandled = [...state.loops.keys()].filter((loop) => !handled.has(loop)).sort();
  if (unhandled.length === 0) return;
  const fields = createMap();
  fields["event"] = event.name;
  fields["loop_ids"] = new Set(unhandled);
  const payload = Object.assign(createMap(), event.fields, event.payload);
  state.queue.push(
    internalEvent(state, "UnhandledEvent", {
      fields,
      payload,
      scores: event.scores,
      ...(event.flow === undefined ? {} : { flow: event.flow }),
    }),
  );
}

/** Gives the event the name the program has for it. */
function bind(state: EngineState, { head, event }: Match): void {
  const element = head.instance.definition.elements[head.address];
  if (element?.kind !== "Wait" || element.event === undefined || head.pattern === undefined) return;
  if (!event.isInternal) adoptAction(state, event);
  writeVariable(state, head.instance, element.event, new EventReference(event));
}

/** For digressions: something of the world has moved this flow, or a flow inside it. */
function noteProgress(instance: FlowInstance, event: EngineEvent): void {
  if (event.isInternal) return;
  for (let around: FlowInstance | undefined = instance; around !== undefined; around = around.parent) {
    around.hasMatched = true;
  }
}
