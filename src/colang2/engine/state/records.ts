import type { Value } from "../../../expressions/values/value.js";
import {
  arrayOf,
  count,
  flag,
  fraction,
  list,
  listOf,
  number,
  oneOf,
  optional,
  recordOf,
  text,
  type ReadBy,
  type Reader,
} from "../../../engine/stored-shape.js";

/*
 * Records of a conversation, each as the reader of its stored form, which defines its type. Records have fixed field
 * order, so that read and created ones share one layout.
 *
 * INVARIANT: records are plain data and refer to each other by identifiers; only `Value`s may be shared.
 */

/**
 * Record fields that hold program values, as a table by name or a list of constraints; so does `returnValue`. All other
 * fields are identifiers, numbers and keywords.
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

/** Reads the values of the program in a stored state. */
export interface ValueReader {
  value(stored: unknown): Value;
  map(stored: unknown, name: string): Record<string, Value>;
  /** Notes the number of a referenced action. */
  action(id: number): number;
  /** Identifier of the flow instance being read; its heads and ownerships are stored without it. */
  flow: string;
}

const value: Reader<Value, ValueReader> = (stored, _, context) => context.value(stored ?? null);
const variables: Reader<Record<string, Value>, ValueReader> = (stored, name, values) => values.map(stored, name);
const values: Reader<ValueRecord, ValueReader> = variables;
const actionNumber: Reader<number, ValueReader> = (stored, name, context) => context.action(count(stored, name));

const instanceUid: Reader<string, ValueReader> = (stored, name, context) => {
  context.flow = text(stored, name);
  return context.flow;
};
const ownerUid: Reader<string, ValueReader> = (stored, name, context) => text(stored ?? context.flow, name);

export type Constraint = readonly [name: string, expected: Value];

const constraint: Reader<Constraint, ValueReader> = (stored, name, context) => {
  const [key, expected] = list(stored, name);
  return [text(key, name), value(expected, name, context)];
};
const constraints = listOf(constraint);

/** Identifiers of a flow instance, also before it exists. */
export const FLOW_TARGET = recordOf(
  { uid: text, flow: text },
  {
    /** The instance that was already running, if an `activate` started none. */
    instance: optional(text),
  },
);
export type FlowTarget = ReadBy<typeof FLOW_TARGET>;

/** Origin of a request to start a flow; only events of the engine itself have one. */
export interface StartOrigin {
  readonly source: string | undefined;
  /** Address of the statement, for the order of instances. */
  readonly address: number;
  readonly target: FlowTarget;
  /** The activation that restarts its flow. */
  readonly activation?: number;
  /** The instance that the new one succeeds. */
  readonly predecessor?: string;
  /** Problem with the arguments. */
  readonly problem?: string;
}

/** An internal event: the wire fields, grouped by role. */
export const ENGINE_EVENT = recordOf(
  {
    name: text,
    uid: text,
    isInternal: flag,
    /** Fields of an internal event. */
    fields: values,
    /** Payload, or the user part of an internal event. */
    payload: values,
    meta: values,
    /** Return members, which a pattern may name or omit. */
    extras: values,
    /** Scores of the chain of matches that led to the event. */
    scores: listOf(number),
    /** Never stored: a request to start a flow ends with its round. */
    origin: (): StartOrigin | undefined => undefined,
    /** The instance that made a request. */
    source: optional(text),
    /** The flow instance the event is about. */
    flow: optional(FLOW_TARGET),
  },
  {
    /** Number of the action the event is about, once a flow refers to it. */
    action: optional(actionNumber),
  },
);
export type EngineEvent = ReadBy<typeof ENGINE_EVENT>;

const PAUSE = recordOf({
  reason: oneOf("request", "digression"),
  /** Number of the request; pausing a flow pauses its descendants with the same number. */
  request: count,
  /** Once-only events of bound waits that arrived during the pause. */
  latched: arrayOf(ENGINE_EVENT),
  /** A digression ends with these instances. */
  until: optional(listOf(text)),
});
export type Pause = ReadBy<typeof PAUSE>;

/** A pattern with evaluated expressions: plain values, comparable with any event. */
const READY_PATTERN = recordOf({
  /** Names of matching events; only `activate` waits for two. */
  names: listOf(text),
  /** The instance or action it is bound to. */
  bound: optional(recordOf({ kind: oneOf("flow", "action"), uid: text })),
  /** Required value of `flow_id`. */
  flowId: optional(text),
  /** Fields of internal events: they must match, but do not affect the score. */
  fields: constraints,
  /** Payload, or the user part of an internal event. */
  constraints,
  /** For an action: must be included in its start arguments. */
  startArguments: optional(constraints),
  /** Events that make the wait impossible; only for bound patterns. */
  impossibleBy: listOf(text),
  /** True for an event that occurs once, so that another outcome makes the wait impossible. */
  isOnce: flag,
});
export type ReadyPattern = ReadBy<typeof READY_PATTERN>;

/** An event a head is about to send. */
const OUTGOING_REQUEST = recordOf({
  name: text,
  payload: values,
  /** Number of the action the event is for. */
  action: optional(actionNumber),
  request: optional(oneOf("Start", "Stop", "Change")),
  /** The `action_uid` set by the program. */
  uid: optional(text),
});
export type OutgoingRequest = ReadBy<typeof OUTGOING_REQUEST>;

/**
 * Events of a head at an act, evaluated on arrival. `stop A(…)` has several requests, one per matching running action.
 *
 * INVARIANT: there is at least one request.
 */
const PENDING_ACT = recordOf({
  requests: listOf(OUTGOING_REQUEST),
  /** Variable that gets the reference of the event. */
  event: optional(text),
});
export type PendingAct = ReadBy<typeof PENDING_ACT>;

/** An unmerged fork, attached to the dormant head that made it. */
const FORK = recordOf(
  {
    number: count,
    /** Outcome of the start phase of each initial branch. */
    starts: arrayOf(oneOf("open", "ready", "failed")),
  },
  {
    /** Fork head and address to continue with after the start phase. */
    next: optional(recordOf({ into: count, target: count })),
    isReady: flag,
  },
);

/** A cursor in a flow instance. */
const HEAD = recordOf(
  {
    id: count,
    /** The instance it belongs to. */
    flow: ownerUid,
    /** The dormant head that forked it. INVARIANT: it has a lower number. */
    parent: optional(count),
    /** Number of its branch; negative for heads added to an open fork. */
    branch: number,
  },
  {
    address: count,
    /** `gone` once it is removed from its instance, and so never stored. */
    status: oneOf("active", "dormant", "merging") as Reader<"active" | "dormant" | "merging" | "gone">,
    handlers: arrayOf(count),
    /** Numbers of the open scopes, innermost last. */
    scopes: listOf(count),
    /** The fork it made, while that is not merged. */
    fork: optional(FORK),
    /** A quiet wait does not count as a start of its flow. */
    waits: oneOf("no", "quiet", "open"),
    /** Events it waits for at a wait. */
    pattern: optional(READY_PATTERN),
    /** True if a global variable of the pattern changed, so it must be evaluated again. */
    isStale: flag,
    /** Events it will send at an act. */
    act: optional(PENDING_ACT),
  },
);
export type Head = ReadBy<typeof HEAD>;

/** An open scope, with the flows (by uid) and actions (by number) started in it, in order. */
const SCOPE = recordOf({
  order: count,
  number: count,
  members: arrayOf((stored, name) => (typeof stored === "string" ? stored : count(stored, name))),
});
export type Scope = ReadBy<typeof SCOPE>;

/**
 * The ownership of an action by one executed statement. It ends with the flow of the statement, and with every scope
 * open at the statement.
 */
const OWNERSHIP = recordOf({ flow: ownerUid, scopes: listOf(count) }, { action: count });
export type Ownership = ReadBy<typeof OWNERSHIP>;

/** A run of a flow, with everything that ends with it. */
export const FLOW_INSTANCE = recordOf(
  {
    uid: instanceUid,
    /** Identifier of the flow. */
    flow: text,
    /** The instance that started it. */
    parent: optional(text),
    /** Addresses of the statements that started it and its ancestors. */
    hierarchy: listOf(count),
    order: count,
    loop: text,
    loopPriority: number,
    /** True if it uses its parent's variables. */
    sharesVariables: flag,
    variables,
    /** Variables of this name are global ones. */
    globalNames: arrayOf(text),
    /** Parameters as bound at the start. */
    bound: values,
    heads: arrayOf(HEAD),
    scopes: arrayOf(SCOPE),
    ownerships: arrayOf(OWNERSHIP),
    /** The activation that keeps it running. */
    activation: optional(count),
  },
  {
    /** `stopping` is transient and never stored. */
    status: oneOf("waiting", "starting", "started", "paused", "stopped", "finished") as Reader<
      "waiting" | "starting" | "started" | "paused" | "stopping" | "stopped" | "finished"
    >,
    failReason: optional(
      oneOf(
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
      ),
    ),
    /** Factor of all scores of the instance. */
    priority: fraction,
    /** True if its activation already has a next instance. */
    hasSuccessor: flag,
    /** True if it has waited on its own at least once. */
    hasWaited: flag,
    /** True at its end, if finishing would restart it at once. */
    isIdle: flag,
    /** True if it matched an event after its start, so a digression can interrupt it. */
    hasMatched: flag,
    returnValue: value,
    pause: optional(PAUSE),
    /** A pause requested before the flow started. */
    pausesWhenStarted: optional(PAUSE),
  },
);
export type FlowInstance = ReadBy<typeof FLOW_INSTANCE>;
export type FailReason = NonNullable<FlowInstance["failReason"]>;

/** A head with the instance it belongs to. */
export interface PlacedHead {
  readonly head: Head;
  readonly instance: FlowInstance;
}

/** A flow to be kept running. */
export const ACTIVATION = recordOf(
  {
    order: count,
    flow: text,
    bound: values,
    /** Oldest first; `order` is the position among the owner's children. An owner may occur several times. */
    owners: arrayOf(
      recordOf({
        /** Undefined for the engine. */
        flow: optional(text),
        order: count,
      }),
    ),
    parent: optional(text),
    hierarchy: listOf(count),
    loop: optional(text),
  },
  {
    /** True if its flow failed at once and restarts with the next batch. */
    isDormant: flag,
  },
);
export type Activation = ReadBy<typeof ACTIVATION>;

/** An action with its state, and the fields of all its events. */
export const ACTION_RECORD = recordOf(
  {
    /** INVARIANT: this number is unique, unlike identifiers of actions that the engine did not start. */
    id: count,
    uid: text,
    name: text,
    startArguments: values,
    /** Fields of all observed events, latest by name. */
    context: variables,
    /** True if started by the engine: external requests do not change its status. */
    isOwn: flag,
  },
  {
    status: oneOf("initialized", "starting", "started", "stopping", "finished"),
    /** The action that events with its identifier belong to. */
    isKnown: flag,
    /** The action that replaced this one when two equal starts were merged. */
    sharedWith: optional(count),
  },
);
export type ActionRecord = ReadBy<typeof ACTION_RECORD>;

/** INVARIANT: their indexes in this list are stored, so new ones are appended. */
export const LOG_NAMES = ["UserIntentLog", "BotIntentLog", "UserActionLog", "BotActionLog"] as const;

/** A log event, for the interaction history of prompts. */
export interface HistoryEntry {
  readonly name: (typeof LOG_NAMES)[number];
  readonly flow: string;
  readonly parameter: string | null;
  readonly intent?: string | null | undefined;
}

/** The stored part of a conversation. Everything else is derived from it, or lasts for one round. */
export interface ConversationData {
  /** Prefix of every identifier of this conversation. */
  readonly prefix: string;
  ids: number;
  orders: number;
  random: number;
  hasBegun: boolean;
  /** True from a failure of `main` until it starts again. */
  mainFailed: boolean | undefined;
  readonly globals: Record<string, Value>;
  /** Live instances. */
  readonly flows: Map<string, FlowInstance>;
  /** Ended instances that may still be referenced. */
  readonly ended: Map<string, FlowInstance>;
  readonly activations: Map<number, Activation>;
  /** Unfinished actions, and those that may still be referenced. */
  readonly actions: Map<number, ActionRecord>;
  /** Flows added during the conversation, with their source. */
  readonly addedFlows: Map<string, string>;
  /** Flows of the program removed during the conversation. */
  readonly removedFlows: Set<string>;
  readonly history: HistoryEntry[];
}
