import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { DEFAULT_LIMITS, type EngineLimits } from "../../engine/limits.js";
import type { Colang1Program, CompiledFlow, Tier } from "../elements.js";
import { copyContext, type Context } from "../../engine/variables.js";

/**
 * A running copy of a flow. `completed` and `aborted` exist only while one event is processed; the records of a state
 * are active or interrupted.
 */
export interface FlowInstance {
  readonly uid: string;
  readonly flow: string;
  /** The tier of the root of its call chain. */
  readonly tier: Tier;
  /** The element it stands on. */
  readonly at: number;
  readonly status: "active" | "interrupted" | "completed" | "aborted";
  /** The instance whose end wakes it. */
  readonly suspendedBy: string | null;
  /** It waits in a `do`; `suspendedBy` is the callee. */
  readonly sleeping: boolean;
  readonly caller: string | null;
  readonly depth: number;
  /** For system callees at least that of the caller, so that a pipeline keeps its rank inside its subflows. */
  readonly priority: number;
  /** The `action_uid` of the action it waits for. */
  readonly waitingFor: string | null;
  /** Number of the event that interrupted it. */
  readonly since: number;
  /** It has taken a step: a system instance that has not may still be discarded. */
  readonly engaged: boolean;
  /** Type of the event that started it. */
  readonly startedBy: string;
}

/** The step that the last event led to. The event that realises it is compared with the draft. */
interface RequestedStep {
  readonly instance: string;
  readonly tier: Tier;
  readonly draft: EventDraft;
}

/** A running action and the instance that requested it. `callers` end with it when it stops the turn. */
export interface RunningAction {
  readonly uid: string;
  readonly instance: string;
  readonly tier: Tier;
  readonly callers: readonly string[];
}

/** The state that `hide_prev_turn` goes back to. Shares its data with the state it was taken from. */
export interface Snapshot {
  readonly context: Context;
  readonly instances: readonly FlowInstance[];
  readonly flows: Readonly<Record<string, CompiledFlow>>;
  readonly changed: readonly string[];
  readonly utterance: GuardrailsEvent | null;
  readonly initialised: boolean;
}

/** The state of a conversation, as plain JSON. Never changed in place. */
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
  /** The action that finished last: events without another origin come from it. */
  readonly lastAction: RunningAction | null;
  /** The events that the last action returned and that are yet to come. */
  readonly announced: readonly unknown[];
  /** The last user utterance, for flows on the raw utterance (CO-318). */
  readonly utterance: GuardrailsEvent | null;
  /** A failure that the run loop has not fed back yet. */
  readonly failure: EventDraft | null;
  readonly initialised: boolean;
  /** Numbers the events, and the instances. */
  readonly events: number;
  readonly created: number;
  /** Flows whose prefix error has been reported (CO-405). */
  readonly reported: readonly string[];
  /** One per user utterance, newest last, bounded. */
  readonly turns: readonly Snapshot[];
  /** The start of the current call, for turns without an utterance. */
  readonly call: Snapshot | null;
  /** The kind of input in the current call so far. */
  readonly callHas: "nothing" | "events" | "utterance";
}

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
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    context: copyContext(context),
    instances: [],
    flows: {},
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

/** Returns the context variables. A read-only view: later states hold maps of their own. */
export function contextOf(state: Colang1State): Context {
  return state.context;
}

/** Adds an LLM-written flow to this conversation; `start_flow` with its id runs it, and its end drops it. */
export function registerFlow(state: Colang1State, flow: CompiledFlow): Colang1State {
  return { ...state, flows: { ...state.flows, [flow.id]: flow } };
}
