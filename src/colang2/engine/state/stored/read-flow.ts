import { createMap } from "../../../../expressions/values/value.js";
import type { CompiledFlow } from "../../../program.js";
import type { EngineEvent } from "../event.js";
import type { FlowReference } from "../references.js";
import type { Activation, EngineState, FlowInstance, Pause } from "../state.js";
import type { ValueDecoder } from "./decode-value.js";
import { damaged, own, readCount, readList, readNumber, readOneOf, readRecord, readText } from "./read-stored.js";

type StoredRecord = Readonly<Record<string, unknown>>;

const STATUSES = ["waiting", "starting", "started", "paused", "stopped", "finished"] as const;
const FAIL_REASONS = [
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

/** Reads a flow instance without what it refers to. */
export function readFlow(
  state: EngineState,
  stored: StoredRecord,
  reference: (uid: string) => FlowReference,
): FlowInstance {
  const uid = readText(own(stored, "uid"), "a flow");
  const status = readOneOf(own(stored, "status"), STATUSES, "the status of a flow");
  const flags = readList(own(stored, "flags"), "flags");
  const failReason = own(stored, "failReason");
  const parent = own(stored, "parent");
  const loopPriority = own(stored, "loopPriority");
  const priority = readNumber(own(stored, "priority") ?? 1, "a priority");
  if (priority < 0 || priority > 1) throw damaged("a priority is out of bounds");
  return {
    uid,
    definition: definitionOf(state, readText(own(stored, "flow"), "a flow"), status),
    reference: reference(uid),
    parent: undefined,
    parentUid: parent === null ? null : readText(parent, "a parent"),
    hierarchy: readHierarchy(stored),
    order: readCount(own(stored, "order"), "an order"),
    status,
    failReason: failReason === undefined ? undefined : readOneOf(failReason, FAIL_REASONS, "a reason"),
    loop: readText(own(stored, "loop"), "a loop"),
    loopPriority: readNumber(loopPriority ?? 0, "a priority"),
    priority,
    variables: new Map(),
    globalNames: new Set(readList(own(stored, "globals") ?? [], "names").map((name) => readText(name, "a name"))),
    bound: createMap(),
    heads: new Set(),
    belongings: new Set(),
    ownerships: new Map(),
    activation: undefined,
    hasSuccessor: flags[0] === 1,
    hasWaited: flags[1] === 1,
    isIdle: flags[2] === 1,
    returnValue: null,
    pause: undefined,
    pausesWhenStarted: undefined,
    bornIn: undefined,
    wasMoved: false,
    hasMatched: flags[3] === 1,
  };
}

/** A flow may be removed while variables still refer to instances of it that have ended. */
function definitionOf(state: EngineState, id: string, status: (typeof STATUSES)[number]): CompiledFlow {
  const definition = state.definitions.get(id);
  if (definition !== undefined) return definition;
  if (status !== "stopped" && status !== "finished") throw damaged(`flow \`${id.slice(0, 80)}\` is not defined`);
  return {
    id,
    module: "",
    parameters: [],
    returnMembers: [],
    elements: [],
    places: [],
    isActive: false,
    isNameless: false,
    isInterruptible: false,
    meta: {},
    metaTemplates: {},
    isHiddenFromPrompts: true,
    location: { file: "", line: 1, column: 1 },
    sourceText: "",
    hash: "",
  };
}

export function readActivation(
  stored: StoredRecord,
  values: ValueDecoder,
  flow: (uid: string) => FlowInstance,
): Activation {
  const parent = own(stored, "parent");
  const loop = own(stored, "loop");
  return {
    order: readCount(own(stored, "order"), "an order"),
    flow: readText(own(stored, "flow"), "a flow"),
    bound: values.readMap(own(stored, "bound"), "the arguments of a flow"),
    owners: readList(own(stored, "owners"), "owners").map((uid) =>
      uid === null ? undefined : flow(readText(uid, "an owner")),
    ),
    current: new Set(),
    parent: parent === null ? undefined : flow(readText(parent, "a parent")),
    hierarchy: readHierarchy(stored),
    loop: loop === null ? undefined : readText(loop, "a loop"),
    hasEnded: false,
    restarts: 0,
    restartRound: 0,
  };
}

function readHierarchy(stored: StoredRecord): number[] {
  return readList(own(stored, "hierarchy"), "a hierarchy").map((at) => readCount(at, "a hierarchy"));
}

interface PauseFinders {
  readonly event: (key: string) => EngineEvent;
  readonly flow: (uid: string) => FlowInstance;
}

export function readPause(stored: unknown, find: PauseFinders): Pause | undefined {
  if (stored === undefined) return undefined;
  const record = readRecord(stored, "a pause");
  const until = own(record, "until");
  return {
    reason: readOneOf(own(record, "reason"), ["request", "digression"], "a reason"),
    request: readCount(own(record, "request"), "a request"),
    latched: readList(own(record, "latched"), "events").map((key) => find.event(readText(key, "an event"))),
    ...(until === undefined
      ? {}
      : { until: readList(until, "flows").map((uid) => find.flow(readText(uid, "a flow"))) }),
  };
}
