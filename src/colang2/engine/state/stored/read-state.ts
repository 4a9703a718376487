import {
  count,
  damaged,
  flag,
  list,
  listOf,
  optional,
  record,
  recordOf,
  text,
  type ReadBy,
  type StoredRecord,
} from "../../../../engine/stored-shape.js";
import type { CompiledFlow, Colang2Program } from "../../../program.js";
import { createEngineState, type ConversationOptions } from "../../conversation.js";
import { buildIndex } from "../build-index.js";
import {
  ACTION_RECORD,
  ACTIVATION,
  FLOW_INSTANCE,
  type ActionRecord,
  type Activation,
  type FlowInstance,
  type Head,
} from "../records.js";
import { actionOf, changeDefinitions, definitionOf, findFlow, isLive, parentOf, type EngineState } from "../state.js";
import { Decoder } from "./decode.js";
import { migrate } from "./migrate.js";
import { readLog, type SharedTexts } from "./stored-log.js";
import { PACKED_STATE_VERSION, STATE_FORMAT, STATE_VERSION } from "./encode.js";
import type { KnownGroup, StoredRow } from "./pack.js";
import { TABLE_NAMES, type TableName } from "./row.js";
import { isPackedTable, Unpacking } from "./unpack.js";

export interface ReadOptions extends ConversationOptions {
  /** Compiles flows added during the conversation; the stored state has their source. */
  readonly compileAdded?: (source: string) => readonly CompiledFlow[];
  /** Texts stored along with the state. */
  readonly texts?: readonly string[];
}

/**
 * Reads a stored conversation, which is not trusted: invalid shapes are rejected, and flows only come from the program.
 *
 * @throws InputShapeError if it is damaged, of another version, or of another program
 */
export function readState(program: Colang2Program, stored: unknown, options: ReadOptions = {}): EngineState {
  const { current, groups } = currentVersion(record(stored, "the state"));
  const document = DOCUMENT(current, "the state", undefined);
  if (document.programHash !== program.hash) throw damaged("the flows have changed since it was stored");
  const state = createEngineState(program, { ...options, prefix: document.prefix });
  const { data } = state;
  readDefinitions(state, document, options);
  const { ids, orders, random, hasBegun, mainFailed } = document;
  Object.assign(data, { ids, orders, random, hasBegun, mainFailed });
  const values = new Decoder(state, document.shared);
  for (const [name, read, key] of TABLES) {
    const table = data[name] as Map<unknown, unknown>;
    for (const item of document[name]) {
      const part = read(item, name, values) as StoredRecord;
      if (table.has(part[key])) throw damaged(`something in \`${name}\` is there twice`);
      table.set(part[key], part);
    }
  }
  Object.assign(data.globals, values.map(document.globals, "globals"));
  values.finish();
  for (const id of values.actions) if (!data.actions.has(id)) throw damaged("an action is missing");
  const logs = document.history.slice(-state.options.limits.history);
  readLogs(state, logs, { first: document.firstText ?? 0, texts: options.texts ?? [] });
  checkLinks(state);
  buildIndex(state);
  const records = state.written();
  for (const [name, packed] of groups ?? []) {
    const table = name as TableName;
    records.restore(table, data[table].values(), document[table] as readonly StoredRow[]);
    records.packing.restore(table, packed);
  }
  return state;
}

const DOCUMENT = recordOf({
  format: text,
  version: count,
  programHash: text,
  prefix: text,
  ids: count,
  orders: count,
  random: count,
  hasBegun: flag,
  mainFailed: optional(flag),
  globals: (stored) => stored,
  shared: list,
  added: record,
  removed: listOf(text),
  history: list,
  /** Number of the first text that log events refer to. */
  firstText: optional(count),
  flows: list,
  ended: list,
  activations: list,
  actions: list,
});

function readLogs({ data, written }: EngineState, logs: readonly unknown[], shared: SharedTexts): void {
  for (const item of logs) data.history.push(readLog(item, shared));
  if (logs.every(Array.isArray)) written().logs.restore(data.history, logs, shared);
}

/** The tables of records, with the field that identifies a record. */
const TABLES = [
  ["actions", ACTION_RECORD, "id"],
  ["ended", FLOW_INSTANCE, "uid"],
  ["flows", FLOW_INSTANCE, "uid"],
  ["activations", ACTIVATION, "order"],
] as const;

/** A conversation in the current form, and the groups of packed tables. */
interface CurrentForm {
  readonly current: StoredRecord;
  readonly groups?: ReadonlyMap<string, readonly KnownGroup[]>;
}

function currentVersion(document: StoredRecord): CurrentForm {
  const { format, version } = document;
  if (format !== STATE_FORMAT) throw damaged("it is not a Colang 2.x conversation");
  if (version === 1 || version === 2) return { current: migrate(document) };
  if (version === PACKED_STATE_VERSION) return unpack(document);
  if (version !== STATE_VERSION) throw damaged("its version is not known here");
  return { current: document };
}

/** INVARIANT: only a conversation with packed tables has this version. */
function unpack(document: StoredRecord): CurrentForm {
  const packed = TABLE_NAMES.filter((name) => isPackedTable(document[name]));
  if (packed.length === 0) throw damaged("nothing of it is packed");
  const unpacking = new Unpacking(text(document["prefix"], "prefix"));
  const tables = packed.map((name) => [name, unpacking.table(document[name], name)] as const);
  const current = { ...document, version: STATE_VERSION, ...Object.fromEntries(tables) };
  return { current, groups: unpacking.groups };
}

function readDefinitions(
  state: EngineState,
  { removed, added }: ReadBy<typeof DOCUMENT>,
  { compileAdded }: ReadOptions,
): void {
  const { data } = state;
  for (const id of removed) {
    changeDefinitions(state).delete(id);
    data.removedFlows.add(id);
  }
  const compiled = new Map<string, readonly CompiledFlow[]>();
  for (const [id, stored] of Object.entries(added)) {
    const source = text(stored, "added");
    if (compileAdded === undefined) throw damaged("flows were added to it that cannot be compiled here");
    const flows = compiled.get(source) ?? compileAdded(source);
    compiled.set(source, flows);
    const flow = flows.find((other) => other.id === id);
    if (flow === undefined) throw damaged(`the source of flow \`${id.slice(0, 80)}\` does not define it`);
    // Stored flows may not replace those of the program.
    if (state.definitions.has(id)) throw damaged(`flow \`${id.slice(0, 80)}\` is defined twice`);
    changeDefinitions(state).set(id, flow);
    data.addedFlows.set(id, source);
  }
}

/** Checks the links between records, so that the engine cannot loop. */
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

function checkActivation(state: EngineState, { order, owners, parent }: Activation): void {
  const { data } = state;
  checkOrder(data, order);
  if (parent !== undefined && findFlow(state, parent) === undefined)
    throw damaged("a flow was activated by an unknown one");
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
  const needsParent = instance.sharesVariables || (instance.parent !== undefined && isLive(instance));
  if (parent === undefined && needsParent) throw damaged("a flow was started by an unknown one");
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

/** @param older - heads of the preceding instance */
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
  if (head.status === "merging" && kind !== "Merge") throw damaged("a head that merges does not stand on a merge");
  if (head.pattern !== undefined && kind !== "Wait") throw damaged("a head that waits does not stand on a wait");
  if (head.pattern?.names.length === 0) throw damaged("a pattern has no names");
  if (head.act !== undefined && kind !== "Act" && kind !== "SendReference") {
    throw damaged("a head that acts does not stand on an act");
  }
  if (head.act?.requests.length === 0) throw damaged("an act sends nothing");
}
