import type { Value } from "../../../../expressions/values/value.js";
import type { ActionObject } from "../action-object.js";
import type { OutgoingRequest } from "../pending-act.js";
import type { ReadyPattern } from "../ready-pattern.js";
import type { EngineState, FlowInstance, Fork, Head, OpenScope } from "../state.js";
import type { ValueDecoder } from "./decode-value.js";
import { damaged, own, readCount, readList, readNumber, readOneOf, readRecord, readText } from "./read-stored.js";

interface HeadContext {
  readonly state: EngineState;
  readonly instance: FlowInstance;
  readonly values: ValueDecoder;
  /** By the id of the head that made them. */
  readonly forks: Map<number, Fork>;
  readonly added: Head[];
}

interface Finders {
  readonly scope: (order: unknown) => OpenScope;
  readonly action: (uid: string) => ActionObject;
}

/** More than the nesting that the parser takes. */
const MAX_FORKS = 250;

type StoredRecord = Readonly<Record<string, unknown>>;

/** Reads a head with everything that was forked from it, and lets it wait again. */
export function readHead(context: HeadContext, find: Finders, stored: StoredRecord, fork?: Fork, depth = 0): void {
  const { instance, state } = context;
  if (depth > MAX_FORKS) throw damaged("forks are too deep");
  const address = readCount(own(stored, "at"), "an address");
  if (address > instance.definition.elements.length) throw damaged("a head stands outside of its flow");
  const branch = own(stored, "branch");
  const head: Head = {
    id: readCount(own(stored, "id"), "a head"),
    instance,
    address,
    status: readOneOf(own(stored, "status") ?? "active", ["active", "dormant", "merging"], "the status of a head"),
    scores: [],
    round: 0,
    handlers: readAddresses(own(stored, "handlers"), instance),
    scopes: readList(own(stored, "scopes") ?? [], "scopes").map(find.scope),
    fork,
    branch: branch === undefined ? 0 : readNumber(branch, "a branch"),
    ownFork: undefined,
    waits: readOneOf(own(stored, "waits") ?? "no", ["no", "quiet", "open"], "a wait"),
    pattern: undefined,
    act: undefined,
  };
  instance.heads.add(head);
  fork?.heads.add(head);
  const pattern = own(stored, "pattern");
  if (pattern !== undefined) wait(state, head, readPattern(context.values, readRecord(pattern, "a pattern")));
  if (own(stored, "stale") === true && head.pattern !== undefined) state.staleHeads.add(head);
  readAct(context, find, stored, head);
  const ownFork = own(stored, "fork");
  if (ownFork !== undefined) {
    head.ownFork = readFork(context, find, readRecord(ownFork, "a fork"), head, depth + 1);
  }
}

function readAddresses(stored: unknown, instance: FlowInstance): number[] {
  return readList(stored ?? [], "handlers").map((item) => {
    const address = readCount(item, "a handler");
    if (address > instance.definition.elements.length) throw damaged("a handler is outside of its flow");
    return address;
  });
}

function wait(state: EngineState, head: Head, pattern: ReadyPattern): void {
  const element = head.instance.definition.elements[head.address];
  if (element?.kind !== "Wait") throw damaged("a head waits where there is no wait");
  head.pattern = pattern;
  if (head.instance.status === "paused") {
    if (pattern.bound !== undefined && pattern.isOnce) state.latches.add(head);
  } else state.index.add(head);
  for (const name of element.reads) {
    if (!head.instance.globalNames.has(name)) continue;
    const readers = state.globalReaders.get(name);
    if (readers === undefined) state.globalReaders.set(name, new Set([head]));
    else readers.add(head);
  }
}

function readPattern(values: ValueDecoder, stored: StoredRecord): ReadyPattern {
  const pairs = (name: string): (readonly [string, Value])[] =>
    readList(own(stored, name) ?? [], "a pattern").map((item) => {
      const [key, value] = readList(item, "a constraint");
      return [readText(key, "a name"), values.read(value)] as const;
    });
  const texts = (name: string): string[] =>
    readList(own(stored, name) ?? [], "names").map((item) => readText(item, "a name"));
  const bound = own(stored, "bound");
  const flow = own(stored, "flow");
  const names = texts("names");
  if (names.length === 0) throw damaged("a pattern has no names");
  return {
    names,
    ...(bound === undefined ? {} : { bound: readBound(bound) }),
    ...(flow === undefined ? {} : { flowId: readText(flow, "a flow") }),
    fields: pairs("fields"),
    constraints: pairs("asks"),
    startArguments: own(stored, "start") === undefined ? undefined : pairs("start"),
    impossibleBy: texts("never"),
    isOnce: own(stored, "once") === true,
  };
}

function readBound(stored: unknown): NonNullable<ReadyPattern["bound"]> {
  const [kind, uid] = readList(stored, "a binding");
  return { kind: readOneOf(kind, ["flow", "action"], "a binding"), uid: readText(uid, "a binding") };
}

function readAct(context: HeadContext, find: Finders, stored: StoredRecord, head: Head): void {
  const act = own(stored, "act");
  if (act === undefined) return;
  const event = own(stored, "actEvent");
  const requests = readList(act, "an act").map((item) => readRequest(context, find, readRecord(item, "a request")));
  if (requests.length === 0) throw damaged("an act says nothing");
  head.act = { requests, event: event === undefined ? undefined : readText(event, "a variable") };
}

const REQUESTS = ["Start", "Stop", "Change"] as const;

function readRequest({ values }: HeadContext, find: Finders, stored: StoredRecord): OutgoingRequest {
  const action = own(stored, "action");
  const request = own(stored, "request");
  const uid = own(stored, "uid");
  return {
    name: readText(own(stored, "name"), "an event"),
    payload: values.readMap(own(stored, "payload"), "a payload"),
    action: action === null ? undefined : find.action(readText(action, "an action")),
    request: request === null ? undefined : readOneOf(request, REQUESTS, "a request"),
    ...(uid === undefined ? {} : { uid: readText(uid, "an action") }),
  };
}

function readFork(context: HeadContext, find: Finders, stored: StoredRecord, parent: Head, depth: number): Fork {
  const fork: Fork = {
    number: readCount(own(stored, "number"), "a fork"),
    parent,
    heads: new Set(),
    notes: readList(own(stored, "notes"), "notes").map((note) =>
      note === null ? undefined : { failed: note === 1, scores: [], round: 0 },
    ),
    isReady: own(stored, "ready") === true,
  };
  context.forks.set(parent.id, fork);
  const next = own(stored, "next");
  if (next !== undefined) {
    const [head, target] = readList(next, "a fork");
    const into = context.forks.get(readCount(head, "a head"));
    if (into === undefined) throw damaged("a fork is missing");
    fork.next = { into, target: readCount(target, "an address") };
    if (!fork.isReady) context.state.startingForks.add(fork);
  }
  for (const head of readList(own(stored, "heads"), "heads")) {
    readHead(context, find, readRecord(head, "a head"), fork, depth);
  }
  return fork;
}
