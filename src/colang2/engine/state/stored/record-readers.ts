import type { Value } from "../../../../expressions/values/value.js";
import {
  ACTION_STATUSES,
  FAIL_REASONS,
  type ActionRecord,
  type Activation,
  type ActivationOwner,
  type Constraint,
  type EngineEvent,
  type FlowInstance,
  type FlowTarget,
  type Fork,
  type Head,
  type OutgoingRequest,
  type Ownership,
  type Pause,
  type PendingAct,
  type ReadyPattern,
  type Scope,
} from "../records.js";
import type { Decoder, ReferenceReaders } from "./decode.js";
import { count, flag, fraction, list, listOf, number, oneOf, optional, recordOf, text, type Reader } from "./shape.js";

export interface RecordReaders extends ReferenceReaders {
  readonly flow: Reader<FlowInstance>;
  readonly activation: Reader<Activation>;
  readonly action: Reader<ActionRecord>;
}

/** Readers of the records of a conversation: everything of the right shape, and nothing else. */
export function recordReaders(values: Decoder): RecordReaders {
  const parts = partReaders(values);
  const { map, target, event } = parts;
  return {
    target: (stored) => target(stored, "a flow reference"),
    event: (stored) => event(stored, "an event reference"),
    flow: flowReader(values, parts),
    activation: recordOf<Activation>({
      order: count,
      flow: text,
      bound: map,
      owners: listOf(recordOf<ActivationOwner>({ flow: optional(text), order: count })),
      parent: optional(text),
      hierarchy: listOf(count),
      loop: optional(text),
      isDormant: flag,
    }),
    action: recordOf<ActionRecord>({
      id: count,
      uid: text,
      name: text,
      status: oneOf(ACTION_STATUSES),
      startArguments: map,
      context: map,
      isOwn: flag,
      isKnown: flag,
      sharedWith: optional(count),
    }),
  };
}

interface PartReaders {
  readonly map: Reader<Record<string, Value>>;
  readonly constraint: Reader<Constraint>;
  /** Number of an action that something refers to. */
  readonly action: Reader<number>;
  readonly target: Reader<FlowTarget>;
  readonly event: Reader<EngineEvent>;
}

function partReaders(values: Decoder): PartReaders {
  const map: PartReaders["map"] = (stored, name) => values.map(stored, name);
  const constraint: PartReaders["constraint"] = (stored, name) => {
    const [key, value] = list(stored, name);
    return [text(key, name), values.value(value ?? null)];
  };
  const action: PartReaders["action"] = (stored, name) => values.action(count(stored, name));
  const target = recordOf<FlowTarget>({ uid: text, flow: text, instance: optional(text) });
  const event = recordOf<EngineEvent>({
    name: text,
    uid: text,
    isInternal: flag,
    fields: map,
    payload: map,
    meta: map,
    extras: map,
    scores: listOf(number),
    origin: () => undefined,
    source: optional(text),
    flow: optional(target),
    action: optional(action),
  });
  return { map, constraint, action, target, event };
}

function flowReader(values: Decoder, parts: PartReaders): Reader<FlowInstance> {
  const { map, event } = parts;
  const pause = recordOf<Pause>({
    reason: oneOf(["request", "digression"]),
    request: count,
    latched: listOf(event),
    until: optional(listOf(text)),
  });
  const member: Reader<string | number> = (stored, name) => (typeof stored === "string" ? stored : count(stored, name));
  return recordOf<FlowInstance>({
    uid: text,
    flow: text,
    parent: optional(text),
    hierarchy: listOf(count),
    order: count,
    status: oneOf(["waiting", "starting", "started", "paused", "stopped", "finished"]),
    failReason: optional(oneOf(FAIL_REASONS)),
    loop: text,
    loopPriority: number,
    priority: fraction,
    sharesVariables: flag,
    variables: map,
    globalNames: listOf(text),
    bound: map,
    heads: listOf(headReader(parts)),
    scopes: listOf(recordOf<Scope>({ order: count, number: count, members: listOf(member) })),
    ownerships: listOf(recordOf<Ownership>({ flow: text, action: count, scopes: listOf(count) })),
    activation: optional(count),
    hasSuccessor: flag,
    hasWaited: flag,
    isIdle: flag,
    hasMatched: flag,
    returnValue: (stored) => values.value(stored ?? null),
    pause: optional(pause),
    pausesWhenStarted: optional(pause),
  });
}

function headReader({ map, constraint, action }: PartReaders): Reader<Head> {
  const pattern = recordOf<ReadyPattern>({
    names: listOf(text),
    bound: optional(recordOf({ kind: oneOf(["flow", "action"]), uid: text })),
    flowId: optional(text),
    fields: listOf(constraint),
    constraints: listOf(constraint),
    startArguments: optional(listOf(constraint)),
    impossibleBy: listOf(text),
    isOnce: flag,
  });
  const request = recordOf<OutgoingRequest>({
    name: text,
    payload: map,
    action: optional(action),
    request: optional(oneOf(["Start", "Stop", "Change"])),
    uid: optional(text),
  });
  const fork = recordOf<Fork>({
    number: count,
    starts: listOf(oneOf(["open", "ready", "failed"])),
    next: optional(recordOf({ into: count, target: count })),
    isReady: flag,
  });
  return recordOf<Head>({
    id: count,
    flow: text,
    address: count,
    status: oneOf(["active", "dormant", "merging"]),
    handlers: listOf(count),
    scopes: listOf(count),
    parent: optional(count),
    branch: number,
    fork: optional(fork),
    waits: oneOf(["no", "quiet", "open"]),
    pattern: optional(pattern),
    isStale: flag,
    act: optional(recordOf<PendingAct>({ requests: listOf(request), event: optional(text) })),
  });
}
