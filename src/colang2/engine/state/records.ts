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
 * The records of a conversation, each as the reader of its stored form, which gives its type. A record is made with its fields
 * in the same order, so that those that are read and those that are made have one layout.
 *
 * INVARIANT: records are plain data. They name each other by identifiers; only `Value`s may be shared.
 */

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

/** Reads the values of the program in a stored state. */
export interface ValueReader {
  value(stored: unknown): Value;
  map(stored: unknown, name: string): Record<string, Value>;
  /** Notes the number of an action that is referred to. */
  action(id: number): number;
  /** Identifier of the flow instance that is read; its heads and ownerships are stored without it. */
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

/** Identifiers of a flow instance, also before it is made. */
export const FLOW_TARGET = recordOf(
  { uid: text, flow: text },
  {
    /** The instance that was running already, where an `activate` started none. */
    instance: optional(text),
  },
);
export type FlowTarget = ReadBy<typeof FLOW_TARGET>;

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
    /** Return members: a pattern can name them, but does not have to. */
    extras: values,
    /** Scores of the chain of matches that led to the event. */
    scores: listOf(number),
    /** Never stored: a request to start a flow does not outlast its round. */
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
  /** Number of the request: pausing a flow pauses its descendants by the same one. */
  request: count,
  /** Once-only events of bound waits that arrived during the pause. */
  latched: arrayOf(ENGINE_EVENT),
  /** A digression ends with these instances. */
  until: optional(listOf(text)),
});
export type Pause = ReadBy<typeof PAUSE>;

/** A pattern whose expressions are evaluated: plain values, ready to be compared with any event. */
const READY_PATTERN = recordOf({
  /** Names of the events that can match; only `activate` waits for two. */
  names: listOf(text),
  /** The instance or action it is bound to. */
  bound: optional(recordOf({ kind: oneOf("flow", "action"), uid: text })),
  /** `flow_id` must be this. */
  flowId: optional(text),
  /** Fields of internal events: they must match, and change no score. */
  fields: constraints,
  /** Payload, or the user part of an internal event. */
  constraints,
  /** Of an action: must be included in its start arguments. */
  startArguments: optional(constraints),
  /** The events that make the wait impossible; only of bound patterns. */
  impossibleBy: listOf(text),
  /** The event comes once, so another outcome of it makes the wait impossible too. */
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
  /** The `action_uid` that the program itself names. */
  uid: optional(text),
});
export type OutgoingRequest = ReadBy<typeof OUTGOING_REQUEST>;

/**
 * The events of a head that stands on an act, evaluated on arrival. Several requests are those of `stop A(…)`, which stops
 * every running action it fits.
 *
 * INVARIANT: there is at least one request.
 */
const PENDING_ACT = recordOf({
  requests: listOf(OUTGOING_REQUEST),
  /** Variable that gets the reference of the event. */
  event: optional(text),
});
export type PendingAct = ReadBy<typeof PENDING_ACT>;

/** A fork that is not merged yet; it stands on the dormant head that made it. */
const FORK = recordOf(
  {
    number: count,
    /** Outcome of the start phase of each branch the fork began with. */
    starts: arrayOf(oneOf("open", "ready", "failed")),
  },
  {
    /** Head of the fork, and address, to continue with when the start phase is over. */
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
    /** Number of its branch; negative for heads that were added to an open fork. */
    branch: number,
  },
  {
    address: count,
    /** `gone` once it is removed from its instance, so that is never stored. */
    status: oneOf("active", "dormant", "merging") as Reader<"active" | "dormant" | "merging" | "gone">,
    handlers: arrayOf(count),
    /** Orders of the scopes that are open, the innermost last. */
    scopes: listOf(count),
    /** The fork it made, while that is not merged. */
    fork: optional(FORK),
    /** A quiet wait does not make its flow started. */
    waits: oneOf("no", "quiet", "open"),
    /** The events it waits for while it stands on a wait. */
    pattern: optional(READY_PATTERN),
    /** A global variable of the pattern has changed, so it is evaluated again before the next event is compared. */
    isStale: flag,
    /** The events it is about to send while it stands on an act. */
    act: optional(PENDING_ACT),
  },
);
export type Head = ReadBy<typeof HEAD>;

/** An open scope, with the flows (by uid) and actions (by number) that were started in it, in this order. */
const SCOPE = recordOf({
  order: count,
  number: count,
  members: arrayOf((stored, name) => (typeof stored === "string" ? stored : count(stored, name))),
});
export type Scope = ReadBy<typeof SCOPE>;

/**
 * The right of one executed statement to an action. It ends with the flow of the statement, and with every scope that was
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
    /** It uses the variables of its parent instead of its own. */
    sharesVariables: flag,
    variables,
    /** Variables of this name are global ones. */
    globalNames: arrayOf(text),
    /** The parameters as bound at the start. */
    bound: values,
    heads: arrayOf(HEAD),
    scopes: arrayOf(SCOPE),
    ownerships: arrayOf(OWNERSHIP),
    /** The activation that keeps it running. */
    activation: optional(count),
  },
  {
    /** `stopping` lasts for a moment, so that is never stored. */
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
    /** Factor of every score of the instance. */
    priority: fraction,
    /** Its activation already has a next instance. */
    hasSuccessor: flag,
    /** It stood on a wait of its own at least once. */
    hasWaited: flag,
    /** It stands at its end, but would begin again at once if it finished. */
    isIdle: flag,
    /** It matched an event after its start, so that it can be interrupted by a digression. */
    hasMatched: flag,
    returnValue: value,
    pause: optional(PAUSE),
    /** A pause that was requested before the flow had started. */
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

/** A flow that is kept running. */
export const ACTIVATION = recordOf(
  {
    order: count,
    flow: text,
    bound: values,
    /** Oldest first; `order` is the place among the other children of the owner. The same owner may be here several times. */
    owners: arrayOf(
      recordOf({
        /** Undefined stands for the engine. */
        flow: optional(text),
        order: count,
      }),
    ),
    parent: optional(text),
    hierarchy: listOf(count),
    loop: optional(text),
  },
  {
    /** Its flow failed at once and is started again with the next batch. */
    isDormant: flag,
  },
);
export type Activation = ReadBy<typeof ACTIVATION>;

/** An action with its state, and the fields of all its events. */
export const ACTION_RECORD = recordOf(
  {
    /** INVARIANT: identifiers of actions that the engine did not start may occur twice; this number does not. */
    id: count,
    uid: text,
    name: text,
    startArguments: values,
    /** Fields of all events observed, the latest of each name. */
    context: variables,
    /** Started by the engine: requests to it from outside do not change its status. */
    isOwn: flag,
  },
  {
    status: oneOf("initialized", "starting", "started", "stopping", "finished"),
    /** The action that events with its identifier belong to. */
    isKnown: flag,
    /** The action that replaced this one when two equal starts became one. */
    sharedWith: optional(count),
  },
);
export type ActionRecord = ReadBy<typeof ACTION_RECORD>;

/** INVARIANT: their places in this list are stored, so new ones are added at the end. */
export const LOG_NAMES = ["UserIntentLog", "BotIntentLog", "UserActionLog", "BotActionLog"] as const;

/** A log event, for the interaction history of prompts. */
export interface HistoryEntry {
  readonly name: (typeof LOG_NAMES)[number];
  readonly flow: string;
  readonly parameter: string | null;
  readonly intent?: string | null | undefined;
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
