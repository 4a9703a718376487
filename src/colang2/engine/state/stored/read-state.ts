import type { CompiledFlow, Colang2Program } from "../../../program.js";
import { createEngineState, type ConversationOptions } from "../../conversation.js";
import { globalsReadBy } from "../../heads/build-pattern.js";
import type { ActionRecord, Activation, FlowInstance, Head } from "../records.js";
import { actionOf, definitionOf, isLive, parentOf, type EngineState } from "../state.js";
import { Decoder } from "./decode.js";
import { migrate } from "./migrate.js";
import { recordReaders, type RecordReaders } from "./record-readers.js";
import { count, damaged, flag, list, listOf, own, record, text, type Reader, type StoredRecord } from "./shape.js";
import { readLog } from "./stored-log.js";
import { STATE_FORMAT, STATE_VERSION } from "./write-state.js";

export interface ReadOptions extends ConversationOptions {
  /** Compiles the flows that were added while the conversation ran; the stored state holds their source. */
  readonly compileAdded?: (source: string) => readonly CompiledFlow[];
  /** The texts that were stored along with the state. */
  readonly texts?: readonly string[];
}

/**
 * Reads a stored conversation. Nothing of it is trusted: what is not of the right shape is refused, and flows are only taken
 * from the program.
 *
 * @throws InputShapeError when it is damaged, of another version, or of another program
 */
export function readState(program: Colang2Program, stored: unknown, options: ReadOptions = {}): EngineState {
  const document = currentVersion(record(stored, "the state"));
  if (own(document, "programHash") !== program.hash) throw damaged("the flows have changed since it was stored");
  for (const part of Object.keys(document)) if (!PARTS.has(part)) throw damaged("the state has an unknown part");
  const state = createEngineState(program, { ...options, prefix: text(own(document, "prefix"), "prefix") });
  readDefinitions(state, document, options);
  readRecords(state, document);
  const logs = list(own(document, "history"), "history").slice(-state.options.limits.history);
  state.data.history.push(...logs.map((item) => readLog(item, options.texts ?? [])));
  checkLinks(state);
  buildIndex(state);
  return state;
}

const NUMBERS = ["ids", "orders", "random"] as const;
const TABLES = ["flows", "ended", "activations", "actions"] as const;
const PARTS: ReadonlySet<string> = new Set([
  "format",
  "version",
  "programHash",
  "prefix",
  "hasBegun",
  "globals",
  "shared",
  "added",
  "removed",
  "history",
  ...NUMBERS,
  ...TABLES,
]);

function currentVersion(document: StoredRecord): StoredRecord {
  if (own(document, "format") !== STATE_FORMAT) throw damaged("it is not a Colang 2.x conversation");
  const version = own(document, "version");
  if (version === 1 || version === 2) return migrate(document);
  if (version !== STATE_VERSION) throw damaged("its version is not known here");
  return document;
}

function readDefinitions({ data, definitions }: EngineState, document: StoredRecord, options: ReadOptions): void {
  for (const id of listOf(text)(own(document, "removed"), "removed")) {
    definitions.delete(id);
    data.removedFlows.add(id);
  }
  const { compileAdded } = options;
  const compiled = new Map<string, readonly CompiledFlow[]>();
  for (const [id, stored] of Object.entries(record(own(document, "added"), "added"))) {
    const source = text(stored, "added");
    if (compileAdded === undefined) throw damaged("flows were added to it that cannot be compiled here");
    const flows = compiled.get(source) ?? compileAdded(source);
    compiled.set(source, flows);
    const flow = flows.find((other) => other.id === id);
    if (flow === undefined) throw damaged(`the source of flow \`${id.slice(0, 80)}\` does not define it`);
    // Stored flows may not replace those of the program.
    if (definitions.has(id)) throw damaged(`flow \`${id.slice(0, 80)}\` is defined twice`);
    definitions.set(id, flow);
    data.addedFlows.set(id, source);
  }
}

interface TableReader<Key, Part> {
  readonly read: Reader<Part>;
  readonly key: (part: Part) => Key;
}

function readRecords(state: EngineState, document: StoredRecord): void {
  const { data } = state;
  for (const name of NUMBERS) data[name] = count(own(document, name), name);
  data.hasBegun = flag(own(document, "hasBegun"), "hasBegun");
  let readers: RecordReaders | undefined;
  const values = new Decoder(state, list(own(document, "shared"), "shared"), (decoder) => {
    readers = recordReaders(decoder);
    return readers;
  });
  readers ??= recordReaders(values);
  const fill = <Key, Part>(name: (typeof TABLES)[number], into: Map<Key, Part>, how: TableReader<Key, Part>): void => {
    for (const item of list(own(document, name), name)) {
      const part = how.read(item, name);
      if (into.has(how.key(part))) throw damaged(`something in \`${name}\` is there twice`);
      into.set(how.key(part), part);
    }
  };
  fill("actions", data.actions, { read: readers.action, key: ({ id }) => id });
  fill("ended", data.ended, { read: readers.flow, key: ({ uid }) => uid });
  fill("flows", data.flows, { read: readers.flow, key: ({ uid }) => uid });
  fill("activations", data.activations, { read: readers.activation, key: ({ order }) => order });
  Object.assign(data.globals, values.map(own(document, "globals"), "globals"));
  values.fill();
  for (const id of values.actions) if (!data.actions.has(id)) throw damaged("an action is missing");
}

/** Checks the links between records: what keeps the engine from going in circles. */
function checkLinks(state: EngineState): void {
  const { data, options } = state;
  if (data.flows.size > options.limits.instances) throw damaged("too many flows are alive");
  for (const action of data.actions.values()) checkAction(state, action);
  for (const instance of data.ended.values()) checkEnded(state, instance);
  for (const instance of data.flows.values()) checkLive(state, instance);
  for (const activation of data.activations.values()) checkActivation(state, activation);
}

function checkAction({ data }: EngineState, action: ActionRecord): void {
  checkOrder(data, action.id);
  const seen = new Set<number>();
  for (let at = action; at.sharedWith !== undefined;) {
    const next = data.actions.get(at.sharedWith);
    if (next === undefined || seen.has(at.id)) throw damaged("an action is replaced by none");
    seen.add(at.id);
    at = next;
  }
}

function checkOrder({ orders }: EngineState["data"], order: number): void {
  if (order > orders) throw damaged("a number is not reached yet");
}

function checkActivation({ data }: EngineState, { order, owners }: Activation): void {
  checkOrder(data, order);
  for (const owner of owners) {
    checkOrder(data, owner.order);
    if (owner.flow !== undefined && !data.flows.has(owner.flow)) throw damaged("an activation has an unknown owner");
  }
}

function checkParent(state: EngineState, instance: FlowInstance): void {
  checkOrder(state.data, instance.order);
  const parent = parentOf(state, instance);
  if (parent !== undefined && parent.order >= instance.order) {
    throw damaged("a flow is older than the one that started it");
  }
  if (parent === undefined && instance.sharesVariables) throw damaged("a flow shares the variables of an unknown flow");
}

function checkEnded(state: EngineState, instance: FlowInstance): void {
  checkParent(state, instance);
  const { heads, ownerships, pause, scopes } = instance;
  const isActive = heads.length > 0 || ownerships.length > 0 || scopes.length > 0 || pause !== undefined;
  if (state.data.flows.has(instance.uid)) throw damaged("a flow is there twice");
  if (isLive(instance) || isActive) throw damaged("a flow that has ended is active");
}

function checkLive(state: EngineState, instance: FlowInstance): void {
  const { data, options } = state;
  checkParent(state, instance);
  if (!state.definitions.has(instance.flow)) throw damaged(`flow \`${instance.flow.slice(0, 80)}\` is not defined`);
  if (!isLive(instance)) throw damaged("a flow has ended and is alive");
  if ((instance.status === "paused") !== (instance.pause !== undefined)) throw damaged("a pause belongs to no flow");
  if (instance.hierarchy.length > options.limits.flowDepth) throw damaged("flows are too deep");
  if (instance.activation !== undefined) {
    if (!data.activations.has(instance.activation)) throw damaged("an activation is missing");
  } else if (instance.parent !== undefined && !data.flows.has(instance.parent)) {
    throw damaged("a flow outlives the one that started it");
  }
  for (const ownership of instance.ownerships) {
    if (ownership.flow !== instance.uid) throw damaged("an ownership belongs to another flow");
    if (!data.actions.has(ownership.action)) throw damaged("an action is missing");
    ownership.action = actionOf(state, ownership.action).id;
  }
  for (const { members } of instance.scopes) {
    for (const item of members)
      if (typeof item === "number" && !data.actions.has(item)) throw damaged("an action is missing");
  }
  if (instance.heads.length === 0) throw damaged("a flow has no heads");
  if (instance.heads.length > options.limits.headsPerInstance) throw damaged("a flow has too many heads");
  const heads = new Map<number, Head>();
  for (const head of instance.heads) {
    if (heads.has(head.id)) throw damaged("a head is there twice");
    checkHead(state, instance, head, heads);
    heads.set(head.id, head);
  }
  for (const { fork } of instance.heads) {
    if (fork?.next !== undefined && heads.get(fork.next.into)?.fork === undefined) throw damaged("a fork is missing");
  }
}

/** @param older - the heads of the instance before this one */
function checkHead(state: EngineState, instance: FlowInstance, head: Head, older: ReadonlyMap<number, Head>): void {
  const { elements } = definitionOf(state, instance);
  checkOrder(state.data, head.id);
  if (head.flow !== instance.uid) throw damaged("a head belongs to another flow");
  if (head.address > elements.length || head.handlers.some((address) => address > elements.length)) {
    throw damaged("a head stands outside of its flow");
  }
  if (head.scopes.some((order) => !instance.scopes.some((scope) => scope.order === order))) {
    throw damaged("a scope is missing");
  }
  if (head.parent !== undefined && older.get(head.parent)?.fork === undefined) throw damaged("a fork is missing");
  if ((head.status === "dormant") !== (head.fork !== undefined)) throw damaged("a head waits for no other heads");
  const kind = elements[head.address]?.kind;
  if (head.status === "merging" && kind !== "Merge") throw damaged("a head merges where there is no merge");
  if (head.pattern !== undefined && kind !== "Wait") throw damaged("a head waits where there is no wait");
  if (head.pattern?.names.length === 0) throw damaged("a pattern has no names");
  if (head.act !== undefined && kind !== "Act" && kind !== "SendReference") {
    throw damaged("a head acts where there is no act");
  }
  if (head.act?.requests.length === 0) throw damaged("an act sends nothing");
}

function buildIndex(state: EngineState): void {
  const { data, index } = state;
  for (const action of data.actions.values()) {
    if (!action.isKnown) continue;
    if (index.actions.has(action.uid)) throw damaged("an action is there twice");
    index.actions.set(action.uid, action);
  }
  const children: { readonly order: number; readonly add: () => void }[] = [];
  for (const instance of data.flows.values()) {
    children.push({ order: instance.order, add: () => index.addFlow(instance, definitionOf(state, instance)) });
    for (const ownership of instance.ownerships) index.ownerships.add(ownership.action, ownership);
    for (const head of instance.heads) indexHead(state, instance, head);
  }
  for (const activation of data.activations.values()) {
    index.addActivation(activation);
    for (const { flow, order } of activation.owners) {
      if (flow !== undefined) children.push({ order, add: () => index.children.add(flow, activation) });
    }
  }
  for (const { add } of children.sort((left, right) => left.order - right.order)) add();
}

function indexHead(state: EngineState, instance: FlowInstance, head: Head): void {
  const { index } = state;
  if (index.heads.has(head.id)) throw damaged("a head is there twice");
  index.addHead(head);
  if (head.fork?.next !== undefined && !head.fork.isReady) index.startingForks.add(head);
  if (head.pattern === undefined) return;
  const element = definitionOf(state, instance).elements[head.address];
  const reads = element?.kind === "Wait" ? globalsReadBy(element, instance) : [];
  index.addWait(head, reads, instance.status === "paused");
}
