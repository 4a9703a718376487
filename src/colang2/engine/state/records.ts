import type { Value } from "../../../expressions/values/value.js";

/**
 * Fields of records that hold values of the program, as a table by name or a list of constraints; so does `returnValue`. All
 * other fields are identifiers, numbers and key words.
 */
export const VALUE_TABLES: ReadonlySet<string> = new Set([
  "globals",
  "variables",
  "bound",
  "startArguments",
  "context",
  "fields",
  "payload",
  "meta",
  "extras",
  "constraints",
]);

/** Values by name, without a prototype. */
export type ValueRecord = Readonly<Record<string, Value>>;

type FlowStatus = "waiting" | "starting" | "started" | "paused" | "stopping" | "stopped" | "finished";

export const FAIL_REASONS = [
  "abort",
  "stop_request",
  "conflict",
  "impossible",
  "error",
  "budget",
  "invalid_arguments",
  "parent_ended",
  "scope_ended",
  "deactivated",
  "removed",
] as const;
export type FailReason = (typeof FAIL_REASONS)[number];

/**
 * A run of a flow, with everything that ends with it.
 *
 * INVARIANT: the records of this file are plain data. They name each other by identifiers; only `Value`s may be shared.
 */
export interface FlowInstance {
  readonly uid: string;
  /** Identifier of the flow. */
  readonly flow: string;
  /** The instance that started it. */
  readonly parent: string | undefined;
  /** Addresses of the statements that started it and its ancestors. */
  readonly hierarchy: readonly number[];
  readonly order: number;
  status: FlowStatus;
  failReason: FailReason | undefined;
  readonly loop: string;
  readonly loopPriority: number;
  /** Factor of every score of the instance. */
  priority: number;
  /** It uses the variables of its parent instead of its own. */
  readonly sharesVariables: boolean;
  readonly variables: Record<string, Value>;
  /** Variables of this name are global ones. */
  readonly globalNames: string[];
  /** The parameters as bound at the start. */
  readonly bound: ValueRecord;
  readonly heads: Head[];
  readonly scopes: Scope[];
  readonly ownerships: Ownership[];
  /** The activation that keeps it running. */
  readonly activation: number | undefined;
  /** Its activation already has a next instance. */
  hasSuccessor: boolean;
  /** It stood on a wait of its own at least once. */
  hasWaited: boolean;
  /** It stands at its end, but would begin again at once if it finished. */
  isIdle: boolean;
  /** It matched an event after its start, so that it can be interrupted by a digression. */
  hasMatched: boolean;
  returnValue: Value;
  pause: Pause | undefined;
  /** A pause that was requested before the flow had started. */
  pausesWhenStarted: Pause | undefined;
}

/** A cursor in a flow instance. */
export interface Head {
  readonly id: number;
  /** The instance it belongs to. */
  readonly flow: string;
  address: number;
  /** `gone` once it is removed from its instance. */
  status: "active" | "dormant" | "merging" | "gone";
  handlers: number[];
  /** Orders of the scopes that are open, the innermost last. */
  scopes: readonly number[];
  /** The dormant head that forked it. INVARIANT: it has a lower number. */
  readonly parent: number | undefined;
  /** Number of its branch; negative for heads that were added to an open fork. */
  readonly branch: number;
  /** The fork it made, while that is not merged. */
  fork: Fork | undefined;
  /** A quiet wait does not make its flow started. */
  waits: "no" | "quiet" | "open";
  /** The events it waits for while it stands on a wait. */
  pattern: ReadyPattern | undefined;
  /** A global variable of the pattern has changed, so it is evaluated again before the next event is compared. */
  isStale: boolean;
  /** The events it is about to send while it stands on an act. */
  act: PendingAct | undefined;
}

/** A head with the instance it belongs to. */
export interface PlacedHead {
  readonly head: Head;
  readonly instance: FlowInstance;
}

/** A fork that is not merged yet; it stands on the dormant head that made it. */
export interface Fork {
  readonly number: number;
  /** Outcome of the start phase of each branch the fork began with. */
  readonly starts: ("open" | "ready" | "failed")[];
  /** Head of the fork, and address, to continue with when the start phase is over. */
  next: { readonly into: number; readonly target: number } | undefined;
  isReady: boolean;
}

/** An open scope, with the flows (by uid) and actions (by number) that were started in it, in this order. */
export interface Scope {
  readonly order: number;
  readonly number: number;
  readonly members: (string | number)[];
}

/**
 * The right of one executed statement to an action. It ends with the flow of the statement, and with every scope that was
 * open at the statement.
 */
export interface Ownership {
  readonly flow: string;
  action: number;
  readonly scopes: readonly number[];
}

export interface Pause {
  readonly reason: "request" | "digression";
  /** Number of the request: pausing a flow pauses its descendants by the same one. */
  readonly request: number;
  /** Once-only events of bound waits that arrived during the pause. */
  readonly latched: EngineEvent[];
  /** A digression ends with these instances. */
  readonly until: readonly string[] | undefined;
}

/** A flow that is kept running. */
export interface Activation {
  readonly order: number;
  readonly flow: string;
  readonly bound: ValueRecord;
  /** Oldest first. The same owner may be here several times. */
  readonly owners: ActivationOwner[];
  readonly parent: string | undefined;
  readonly hierarchy: readonly number[];
  readonly loop: string | undefined;
  /** Its flow failed at once and is started again with the next event. */
  isDormant: boolean;
}

export interface ActivationOwner {
  /** Undefined stands for the engine. */
  readonly flow: string | undefined;
  /** Place among the other children of the owner. */
  readonly order: number;
}

export const ACTION_STATUSES = ["initialized", "starting", "started", "stopping", "finished"] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** An action with its state, and the fields of all its events. */
export interface ActionRecord {
  /** INVARIANT: identifiers of actions that the engine did not start may occur twice; this number does not. */
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  status: ActionStatus;
  readonly startArguments: ValueRecord;
  /** Fields of all events observed, the latest of each name. */
  readonly context: Record<string, Value>;
  /** Started by the engine: requests to it from outside do not change its status. */
  readonly isOwn: boolean;
  /** The action that events with its identifier belong to. */
  isKnown: boolean;
  /** The action that replaced this one when two equal starts became one. */
  sharedWith: number | undefined;
}

/** Identifiers of a flow instance, also before it is made. */
export interface FlowTarget {
  readonly uid: string;
  readonly flow: string;
  /** The instance that was running already, where an `activate` started none. */
  instance: string | undefined;
}

/** Origin of a request to start a flow; only events the engine makes itself have one. */
export interface StartOrigin {
  readonly source: string | undefined;
  /** Address of the statement, for the order of instances. */
  readonly address: number;
  readonly target: FlowTarget;
  /** The activation that starts its flow again. */
  readonly activation?: number;
  /** The instance that the new one succeeds. */
  readonly predecessor?: string;
  /** Problem with the arguments. */
  readonly problem?: string;
}

/** An event inside the engine: the fields of the wire, sorted by their role. */
export interface EngineEvent {
  readonly name: string;
  readonly uid: string;
  readonly isInternal: boolean;
  /** Fields of an internal event. */
  readonly fields: ValueRecord;
  /** Payload, or the user part of an internal event. */
  readonly payload: ValueRecord;
  readonly meta: ValueRecord;
  /** Return members: a pattern can name them, but does not have to. */
  readonly extras?: ValueRecord | undefined;
  /** Scores of the chain of matches that led to the event. */
  readonly scores: readonly number[];
  readonly origin?: StartOrigin | undefined;
  /** The instance that made a request. */
  readonly source?: string | undefined;
  /** The flow instance the event is about. */
  readonly flow?: FlowTarget | undefined;
  /** Number of the action the event is about, once a flow refers to it. */
  action?: number | undefined;
}

/** A pattern whose expressions are evaluated: plain values, ready to be compared with any event. */
export interface ReadyPattern {
  /** Names of the events that can match; only `activate` waits for two. */
  readonly names: readonly string[];
  /** The instance or action it is bound to. */
  readonly bound?: { readonly kind: "flow" | "action"; readonly uid: string } | undefined;
  /** `flow_id` must be this. */
  readonly flowId?: string | undefined;
  /** Fields of internal events: they must match, and change no score. */
  readonly fields: readonly Constraint[];
  /** Payload, or the user part of an internal event. */
  readonly constraints: readonly Constraint[];
  /** Of an action: must be included in its start arguments. */
  readonly startArguments: readonly Constraint[] | undefined;
  /** The events that make the wait impossible; only of bound patterns. */
  readonly impossibleBy: readonly string[];
  /** The event comes once, so another outcome of it makes the wait impossible too. */
  readonly isOnce: boolean;
}

export type Constraint = readonly [name: string, expected: Value];

/** An event a head is about to send. */
export interface OutgoingRequest {
  readonly name: string;
  readonly payload: ValueRecord;
  /** Number of the action the event is for. */
  readonly action: number | undefined;
  readonly request: "Start" | "Stop" | "Change" | undefined;
  /** The `action_uid` that the program itself names. */
  readonly uid?: string | undefined;
}

/**
 * The events of a head that stands on an act, evaluated on arrival. Several requests are those of `stop A(…)`, which stops
 * every running action it fits.
 *
 * INVARIANT: there is at least one request.
 */
export interface PendingAct {
  readonly requests: readonly OutgoingRequest[];
  /** Variable that gets the reference of the event. */
  readonly event: string | undefined;
}

/** INVARIANT: their places in this list are stored, so new ones are added at the end. */
export const LOG_NAMES = ["UserIntentLog", "BotIntentLog", "UserActionLog", "BotActionLog"] as const;

/** A log event, for the interaction history of prompts. */
export interface HistoryEntry {
  readonly name: (typeof LOG_NAMES)[number];
  readonly flow: string;
  readonly parameter: string | null;
  readonly intent?: string | null;
}

/** The part of a conversation that is stored. Everything else is derived from it, or lasts for one round. */
export interface ConversationData {
  /** Goes in front of every identifier of this conversation. */
  readonly prefix: string;
  ids: number;
  orders: number;
  random: number;
  hasBegun: boolean;
  readonly globals: Record<string, Value>;
  /** Live instances. */
  readonly flows: Map<string, FlowInstance>;
  /** Ended instances that something may still refer to. */
  readonly ended: Map<string, FlowInstance>;
  readonly activations: Map<number, Activation>;
  /** Actions that are not finished, and those that something may still refer to. */
  readonly actions: Map<number, ActionRecord>;
  /** Flows added while the conversation runs, with their source. */
  readonly addedFlows: Map<string, string>;
  /** Flows of the program that were removed while the conversation runs. */
  readonly removedFlows: Set<string>;
  readonly history: HistoryEntry[];
}
