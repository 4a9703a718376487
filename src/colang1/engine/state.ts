import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { DEFAULT_LIMITS, type EngineLimits } from "../../engine/limits.js";
import type { Colang1Program, CompiledFlow, Tier } from "../elements.js";
import type { TraceEvent } from "../../engine/explain.js";
import type { Context } from "../../engine/plain-data.js";

/**
 * A running instance of a flow. `completed` and `aborted` exist only during an event; stored instances are active or
 * interrupted.
 */
export interface FlowInstance {
  readonly uid: string;
  readonly flow: string;
  /** The tier of the root of its call chain. */
  readonly tier: Tier;
  /** Position of its current element. */
  readonly at: number;
  readonly status: "active" | "interrupted" | "completed" | "aborted";
  /** Uid of the instance whose end wakes it. */
  readonly suspendedBy: string | null;
  /** True while it waits in a `do`; `suspendedBy` is the callee. */
  readonly sleeping: boolean;
  readonly caller: string | null;
  readonly depth: number;
  /** At least the caller's priority for system callees, so that a pipeline keeps its rank inside its subflows. */
  readonly priority: number;
  /** The `action_uid` of the action it waits for. */
  readonly waitingFor: string | null;
  /** Number of the event that interrupted it. */
  readonly since: number;
  /** True once it has taken a step; a system instance that has not may still be discarded. */
  readonly engaged: boolean;
  /** Type of the event that started it. */
  readonly startedBy: string;
}

/** The step requested after the last event. The event that fulfils it is compared with the draft. */
interface RequestedStep {
  readonly instance: string;
  readonly tier: Tier;
  readonly draft: EventDraft;
}

/** A running action and the instance that requested it. `callers` end with it if it stops the turn. */
interface RunningAction {
  readonly uid: string;
  readonly instance: string;
  readonly tier: Tier;
  readonly callers: readonly string[];
}

/** The cause of an event. */
export type Origin =
  | { readonly kind: "step"; readonly instance: string; readonly tier: Tier }
  | ({ readonly kind: "action" } & RunningAction)
  | { readonly kind: "external" };

/** State that `hide_prev_turn` restores. Shares its data with the state it was taken from. */
export interface Snapshot {
  readonly context: Context;
  readonly instances: readonly FlowInstance[];
  readonly flows: Readonly<Record<string, CompiledFlow>>;
  readonly changed: readonly string[];
  readonly utterance: GuardrailsEvent | null;
  readonly initialised: boolean;
}

/** State of a conversation, as plain JSON. Never mutated. */
export interface Colang1State {
  /** `rail`: a nested run of one rail, in which only system flows start on their own. */
  readonly scope: "conversation" | "rail";
  readonly limits: EngineLimits;
  readonly context: Context;
  readonly instances: readonly FlowInstance[];
  /** LLM-written flows of this conversation. */
  readonly flows: Readonly<Record<string, CompiledFlow>>;
  readonly next: RequestedStep | null;
  /** Variables that changed since the last `ContextUpdate`. */
  readonly changed: readonly string[];
  readonly running: readonly RunningAction[];
  /** The last finished action: events without another origin come from it. */
  readonly lastAction: RunningAction | null;
  /** Events announced by the last action and not yet received. */
  readonly announced: readonly unknown[];
  /** The last user utterance, for flows on the raw utterance (CO-318). */
  readonly utterance: GuardrailsEvent | null;
  /** A failure not yet fed back by the run loop. */
  readonly failure: EventDraft | null;
  readonly initialised: boolean;
  /** Counter for events and instances. */
  readonly events: number;
  readonly created: number;
  /** Flows whose prefix error was reported (CO-405). */
  readonly reported: readonly string[];
  /** One per user utterance, newest last, bounded. */
  readonly turns: readonly Snapshot[];
  /** The start of the current call, for turns without an utterance. */
  readonly call: Snapshot | null;
  /** The kind of input in the current call so far. */
  readonly callHas: "nothing" | "events" | "utterance";
}

/** The empty table of LLM-written flows. */
export const NO_FLOWS: Colang1State["flows"] = Object.freeze({});

export interface StateOptions {
  readonly scope?: Colang1State["scope"];
  readonly limits?: Partial<EngineLimits>;
}

/**
 * Creates the state of a new conversation.
 *
 * @example
 * ```ts
 * let state = createState(program, { user_name: "Mina" });
 * const { events } = advance(program, state, { type: "UserIntent", intent: "express greeting" });
 * ```
 */
export function createState(
  _program: Colang1Program,
  context: Readonly<Record<string, unknown>> = {},
  options: StateOptions = {},
): Colang1State {
  return {
    scope: options.scope ?? "conversation",
    limits: Object.assign({}, DEFAULT_LIMITS, options.limits),
    context: { ...context },
    instances: [],
    flows: NO_FLOWS,
    next: null,
    changed: [],
    running: [],
    lastAction: null,
    announced: [],
    utterance: null,
    failure: null,
    initialised: false,
    events: 0,
    created: 0,
    reported: [],
    turns: [],
    call: null,
    callHas: "nothing",
  };
}

/** Adds an LLM-written flow to this conversation; `start_flow` with its id runs it, and its end drops it. */
export function registerFlow(state: Colang1State, flow: CompiledFlow): Colang1State {
  return { ...state, flows: { ...state.flows, [flow.id]: flow } };
}

/** Number of turns that `hide_prev_turn` can undo one after another. */
const MAX_TURNS = 2;

/**
 * Marks the start of a call. `hide_prev_turn` in a call without a user utterance returns to this point, and so does the
 * stop of a rail.
 */
export function markCallStart(state: Colang1State): Colang1State {
  return { ...state, call: snapshotOf(state), callHas: "nothing", next: null, lastAction: null, announced: [] };
}

/** Takes a snapshot of the conversation before a user utterance. */
export function markTurnStart(state: Colang1State): Colang1State {
  const turns = [...state.turns.slice(1 - MAX_TURNS), snapshotOf(state)];
  return { ...state, turns, callHas: "utterance" };
}

function snapshotOf(state: Colang1State): Snapshot {
  const { context, instances, flows, changed, utterance, initialised } = state;
  return { context, instances, flows, changed, utterance, initialised };
}

/**
 * `hide_prev_turn`: restores flows and context as before the last utterance, or as at the start of a call with events
 * but no utterance.
 */
export function hideTurn(state: Colang1State): Colang1State {
  const turn = state.turns.at(-1);
  const target = state.call && (state.callHas === "events" || !turn) ? state.call : turn;
  const turns = target === turn ? state.turns.slice(0, -1) : state.turns;
  // A second one in the same call undoes the previous turn.
  const left = { turns, callHas: "nothing" as const };
  const cleared = { ...state, next: null, running: [], lastAction: null, announced: [], failure: null };
  return target ? { ...cleared, ...target, ...left } : { ...cleared, instances: [], ...left };
}

/** Returns the state that the stop of a rail restores. */
function turnStartOf(state: Colang1State): Snapshot | undefined {
  const turn = state.turns.at(-1);
  return (state.callHas === "utterance" ? turn : (state.call ?? turn)) ?? undefined;
}

/** Returns the LLM-written flows that still have an instance. */
export function liveFlows(
  flows: Readonly<Record<string, CompiledFlow>>,
  instances: readonly FlowInstance[],
  keep?: (id: string) => boolean,
): Readonly<Record<string, CompiledFlow>> {
  const ids = Object.keys(flows);
  const live = ids.filter((id) => keep?.(id) || instances.some((instance) => instance.flow === id));
  return live.length === ids.length ? flows : Object.fromEntries(live.map((id) => [id, flows[id] as CompiledFlow]));
}

/**
 * Processes `BotIntent(stop)`. From a rail or a system action: the pipeline ends and user flows return to the start of
 * the turn. From a dialog flow or its action: that flow and its callers end, and what they had suspended waits again.
 * From outside: the pipeline ends. Context variables are kept.
 */
export function stopTurn(
  state: Colang1State,
  origin: Origin,
): { readonly state: Colang1State; readonly trace: readonly TraceEvent[] } {
  const ended =
    origin.kind !== "external" && origin.tier === "user" ? endCaller(state, origin) : endSystem(state, origin);
  const kept = new Set(ended.map((instance) => instance.uid));
  const trace = state.instances
    .filter((instance) => !kept.has(instance.uid))
    .map(({ flow, uid }): TraceEvent => ({ type: "aborted", flow, instance: uid, why: "the turn was stopped" }));
  const flows = liveFlows({ ...turnStartOf(state)?.flows, ...state.flows }, ended);
  const quiet = { next: null, lastAction: null, announced: [], running: [] };
  return { state: { ...state, ...quiet, instances: ended, flows }, trace };
}

function endSystem(state: Colang1State, origin: Origin): readonly FlowInstance[] {
  const start = origin.kind === "external" ? undefined : turnStartOf(state);
  return (start?.instances ?? state.instances).filter((instance) => instance.tier === "user");
}

function endCaller(state: Colang1State, origin: Exclude<Origin, { kind: "external" }>): readonly FlowInstance[] {
  const ended = new Set<string | null>([origin.instance, ...(origin.kind === "action" ? origin.callers : [])]);
  let caller = find(state, origin.instance)?.caller ?? null;
  while (caller !== null && !ended.has(caller)) {
    ended.add(caller);
    caller = find(state, caller)?.caller ?? null;
  }
  return state.instances
    .filter((instance) => !ended.has(instance.uid))
    .map((instance): FlowInstance => {
      const wakes = instance.status === "interrupted" && ended.has(instance.suspendedBy);
      return wakes ? { ...instance, status: "active", suspendedBy: null } : instance;
    });
}

function find(state: Colang1State, uid: string): FlowInstance | undefined {
  return state.instances.find((instance) => instance.uid === uid);
}
