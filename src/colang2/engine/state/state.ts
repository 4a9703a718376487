import type { EventDraft } from "../../../engine/events.js";
import type { TraceEvent } from "../../../engine/trace.js";
import type { Value } from "../../../expressions/values/value.js";
import type { CompiledFlow } from "../../program.js";
import type { ActionObject, Ownership } from "./action-object.js";
import type { EngineEvent, ValueRecord } from "./event.js";
import type { WorkMeter } from "../../../engine/limits.js";
import type { Engine2Limits } from "../limits.js";
import type { PendingAct } from "./pending-act.js";
import type { ReadyPattern } from "./ready-pattern.js";
import type { FlowReference } from "./references.js";
import type { WaitingIndex } from "./waiting-index.js";

export type FlowStatus = "waiting" | "starting" | "started" | "paused" | "stopping" | "stopped" | "finished";

export type FailReason =
  | "abort"
  | "stop_request"
  | "conflict"
  | "impossible"
  | "error"
  | "budget"
  | "invalid_arguments"
  | "parent_ended"
  | "scope_ended"
  | "deactivated"
  | "removed";

/** What was started while the scope was open, in this order (spec 6.4). */
export interface OpenScope {
  readonly number: number;
  readonly order: number;
  readonly members: Set<FlowReference | ActionObject>;
}

export interface ForkNote {
  readonly failed: boolean;
  /** INVARIANT: of no meaning unless `round` is the current one. */
  readonly scores: readonly number[];
  readonly round: number;
}

/** A fork that is not merged yet. */
export interface Fork {
  readonly number: number;
  /** The dormant head that made it. */
  readonly parent: Head;
  readonly heads: Set<Head>;
  /** Of the branches the fork began with: what their start phase came to. */
  readonly notes: (ForkNote | undefined)[];
  /** Where to go on when the start phase is over (`Ready`). */
  next?: { readonly into: Fork; readonly target: number };
  isReady: boolean;
}

/** A cursor in a flow instance (spec 6.4). */
export interface Head {
  readonly id: number;
  readonly instance: FlowInstance;
  address: number;
  status: "active" | "dormant" | "merging" | "gone";
  /** INVARIANT: of no meaning unless `round` is the current one. */
  scores: readonly number[];
  round: number;
  handlers: number[];
  scopes: OpenScope[];
  readonly fork: Fork | undefined;
  /** Which branch of the fork; negative for heads added later. */
  readonly branch: number;
  ownFork: Fork | undefined;
  /** Whether it waits, and whether quietly: a quiet wait does not make its flow started (spec 6.3.6). */
  waits: "no" | "quiet" | "open";
  /** What it waits for while it stands on a wait. */
  pattern: ReadyPattern | undefined;
  /** What it is about to say while it stands on an act. */
  act: PendingAct | undefined;
}

/** The pause of one instance (spec 6.9). */
export interface Pause {
  readonly reason: "request" | "digression";
  /** The request that paused it: pausing a flow pauses its descendants by the same one. */
  readonly request: number;
  /** Once-only events of bound waits that came meanwhile. */
  readonly latched: EngineEvent[];
  /** A digression ends with these. */
  readonly until?: FlowInstance[];
}

export interface FlowInstance {
  readonly uid: string;
  readonly definition: CompiledFlow;
  readonly reference: FlowReference;
  readonly parent: FlowInstance | undefined;
  /** Known longer than the parent itself is. */
  readonly parentUid: string | null;
  /** Addresses of the statements that started it and its ancestors. */
  readonly hierarchy: readonly number[];
  readonly order: number;
  status: FlowStatus;
  failReason: FailReason | undefined;
  readonly loop: string;
  readonly loopPriority: number;
  /** Factor of every score of the instance. */
  priority: number;
  /** Shared by an instance that runs in the scope of another one (spec 9.4.7). */
  readonly variables: Map<string, Value>;
  readonly globalNames: Set<string>;
  /** The parameters as bound at the start. */
  readonly bound: ValueRecord;
  readonly heads: Set<Head>;
  /** Instances and activations it started, in this order. */
  readonly belongings: Set<FlowInstance | Activation>;
  readonly ownerships: Map<Ownership, ActionObject>;
  activation: Activation | undefined;
  /** Its activation, or its place, already has a next instance. */
  hasSuccessor: boolean;
  /** It stood on a wait of its own at least once (guards A and B). */
  hasWaited: boolean;
  /** At the end, but kept alive by guard A. */
  isIdle: boolean;
  returnValue: Value;
  pause: Pause | undefined;
  /** Pause asked for before it had started. */
  pausesWhenStarted: Pause | undefined;
  /** The round in which it began; undefined when it was read from a store, which is done between rounds. */
  readonly bornIn: number | undefined;
  /** Another event than the end of a flow of its own, which ended at once, moved it in that round. */
  wasMoved: boolean;
  /** It matched an event after its start (spec 6.9.3). */
  hasMatched: boolean;
}

/** The promise to keep a flow running (spec 6.8). */
export interface Activation {
  readonly order: number;
  readonly flow: string;
  readonly bound: ValueRecord;
  /** Oldest first; undefined stands for the engine. The same owner may be here several times. */
  readonly owners: (FlowInstance | undefined)[];
  readonly current: Set<FlowInstance>;
  readonly parent: FlowInstance | undefined;
  readonly hierarchy: readonly number[];
  readonly loop: string | undefined;
  hasEnded: boolean;
  restarts: number;
  restartRound: number;
}

/** A set of names that may be known by a rule. */
export interface NameSet {
  has(name: string): boolean;
}

export interface EngineOptions {
  readonly limits: Engine2Limits;
  /** `modality`: only actions of one modality compete (spec 6.6, T13). */
  readonly conflictPolicy: "all" | "modality";
  /** Action types that never compete. */
  readonly neutralActions: NameSet;
}

/**
 * A conversation while it lives. It is changed in place; `snapshot` makes plain data of it. Ended instances and finished
 * actions are only held by what refers to them.
 */
export interface EngineState {
  readonly options: EngineOptions;
  readonly definitions: Map<string, CompiledFlow>;
  readonly programHash: string;
  readonly activeFlows: readonly string[];
  readonly constants: Readonly<Record<string, unknown>>;
  /** Flows added while the conversation runs, with their source. */
  readonly addedFlows: Map<string, string>;
  /** Flows of the program that were removed while the conversation runs. */
  readonly removedFlows: Set<string>;
  /** Goes in front of every identifier of this conversation. */
  readonly prefix: string;
  ids: number;
  orders: number;
  round: number;
  random: number;
  hasBegun: boolean;
  main: FlowInstance | undefined;
  /** All live instances, by uid. */
  readonly instances: Map<string, FlowInstance>;
  /** References to instances that are to be made. */
  readonly expected: Map<string, FlowReference>;
  readonly byFlow: Map<string, Set<FlowInstance>>;
  /** How many live instances that are not paused each loop has. */
  readonly loops: Map<string, number>;
  readonly activations: Map<string, Set<Activation>>;
  /** The same by flow and arguments, as `findActivation` looks for them. */
  readonly activationsByKey: Map<string, Set<Activation>>;
  /** Actions that are not finished. */
  readonly actions: Map<string, ActionObject>;
  readonly globals: Map<string, Value>;
  /** Waiting heads whose patterns read a global variable. */
  readonly globalReaders: Map<string, Set<Head>>;
  readonly staleHeads: Set<Head>;
  readonly index: WaitingIndex;
  /** Paused heads whose events are kept for them (spec 6.9.2). */
  readonly latches: WaitingIndex;
  /** Activations whose flow failed at once (spec 6.8.5). */
  readonly dormant: Set<Activation>;
  /** Live instances that may be interrupted (spec 6.9.3). */
  readonly interruptible: Set<FlowInstance>;
  /** Instances paused by a digression. */
  readonly digressions: Set<FlowInstance>;
  readonly queue: EngineEvent[];
  /** Forks whose start phase is not over. */
  readonly startingForks: Set<Fork>;
  /** What the event that is processed has cost so far. */
  readonly work: WorkMeter;
  /** As they were when they were sent: a program may change what it sent afterwards. */
  outgoing: EventDraft[];
  history: HistoryEntry[];
  trace: TraceEvent[];
  prints: string[];
}

/** A log event, for the interaction history of prompts (spec 9.5). */
export interface HistoryEntry {
  readonly name: "UserIntentLog" | "BotIntentLog" | "UserActionLog" | "BotActionLog";
  readonly flow: string;
  readonly parameter: string | null;
  readonly intent?: string | null;
}

export function isLive(instance: FlowInstance): boolean {
  return instance.status !== "stopped" && instance.status !== "finished" && instance.status !== "stopping";
}

/** Waiting, starting or started: it takes part in what happens. */
export function isListening(instance: FlowInstance): boolean {
  return instance.status === "waiting" || instance.status === "starting" || instance.status === "started";
}

export function nextUid(state: EngineState): string {
  state.ids += 1;
  return `${state.prefix}-${state.ids.toString(36)}`;
}

/** The scores of the head in this round. */
export function scoresOf(state: EngineState, head: Head): readonly number[] {
  return head.round === state.round ? head.scores : [];
}

export function setScores(state: EngineState, head: Head, scores: readonly number[]): void {
  head.scores = scores;
  head.round = state.round;
}

/** Positive when the first list is better: element by element, a missing tail counts as 1 (spec 6.6). */
export function compareScores(left: readonly number[], right: readonly number[]): number {
  const length = Math.max(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (left[at] ?? 1) - (right[at] ?? 1);
    if (difference !== 0) return difference;
  }
  return 0;
}
