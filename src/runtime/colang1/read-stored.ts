import { compileFlowBody } from "../../colang1/flow-body.js";
import type { CompiledFlow } from "../../colang1/elements.js";
import type { SerializedState } from "../../colang1/engine/snapshot.js";
import type { FlowInstance, Snapshot } from "../../colang1/engine/state.js";
import { isMap } from "../../engine/plain-data.js";
import {
  count,
  damaged,
  fieldsOf,
  list,
  listOf,
  number,
  oneOf,
  orNull,
  record,
  text,
  type StoredRecord,
} from "../../engine/stored-shape.js";
import { type History, isHistory } from "../../turn/conversation.js";
import type { RuntimeServices } from "./run.js";
import { DEFAULT_LIMITS } from "../../engine/limits.js";

/** A conversation between two turns, as plain JSON. Released versions must stay readable. */
export interface StoredConversation {
  readonly version: 1;
  readonly engine: SerializedState;
  readonly history: History;
}

/**
 * Reads and validates a stored conversation. It may come from a database or even a browser, so it is not trusted:
 * LLM-written flows are recompiled from their source.
 *
 * @throws InputShapeError for anything else
 */
export function readStored(services: RuntimeServices, stored: unknown): StoredConversation {
  const { history, engine: read } = CONVERSATION(stored, "state", undefined);
  const engine = recompile(services, read as SerializedState);
  if (!isRunnable(services, engine)) throw damaged("a flow points to none of its elements");
  return { version: 1, engine, history };
}

const bool = oneOf(true, false);
const nothing = oneOf(null);

const INSTANCE = fieldsOf({
  uid: text,
  flow: text,
  tier: oneOf("system", "user"),
  at: count,
  status: oneOf("active", "interrupted"),
  suspendedBy: orNull(text),
  sleeping: bool,
  caller: orNull(text),
  depth: count,
  priority: number,
  waitingFor: orNull(text),
  since: number,
  engaged: bool,
  startedBy: text,
});

const SNAPSHOT = {
  context: record,
  instances: listOf(INSTANCE),
  flows: record,
  changed: listOf(text),
  utterance: nothing,
  initialised: bool,
};

/** INVARIANT: the configuration sets the limits of a turn; a stored conversation cannot. */
const STATE = fieldsOf({
  ...SNAPSHOT,
  scope: () => "conversation" as const,
  limits: () => DEFAULT_LIMITS,
  next: nothing,
  running: none,
  lastAction: nothing,
  announced: none,
  failure: nothing,
  events: count,
  created: count,
  reported: listOf(text),
  turns: listOf(fieldsOf(SNAPSHOT)),
  call: nothing,
  callHas: oneOf("nothing"),
});

const CONVERSATION = fieldsOf({
  version: oneOf(1),
  engine: fieldsOf({ version: oneOf(1), dialect: oneOf("1.0"), program: text, flows: texts, state: STATE }),
  history: (stored): History => {
    if (!isHistory(stored)) throw damaged("it has no history");
    return stored;
  },
});

function none(stored: unknown, name: string): readonly never[] {
  if (list(stored, name).length > 0) throw damaged(`\`${name}\` is not empty`);
  return [];
}

function texts(stored: unknown, name: string): StoredRecord {
  for (const item of Object.values(record(stored, name))) text(item, name);
  return record(stored, name);
}

/**
 * Drops flows whose source no longer compiles to the same flow, along with the program's hash, so that CO-502 reports
 * it.
 */
function recompile(services: RuntimeServices, engine: SerializedState): SerializedState {
  let changed = false;
  const renew = (flows: Snapshot["flows"]): Snapshot["flows"] => {
    const entries = Object.entries(flows).flatMap(([id, flow]) => {
      const compiled = recompileFlow(services, id, flow);
      if (compiled === undefined) changed = true;
      return compiled === undefined ? [] : [[id, compiled] as const];
    });
    return Object.fromEntries(entries);
  };
  const { state } = engine;
  const renewed = {
    ...state,
    flows: renew(state.flows),
    turns: state.turns.map((turn) => ({ ...turn, flows: renew(turn.flows) })),
    call: null,
  };
  const hashes = { ...engine.flows };
  if (changed) {
    // An unknown hash makes the engine drop the instances of removed flows.
    for (const { flow } of allInstances(state)) if (!Object.hasOwn(hashes, flow)) hashes[flow] = "gone";
  }
  return { ...engine, ...(changed ? { program: "" } : {}), flows: hashes, state: renewed };
}

function recompileFlow(services: RuntimeServices, id: string, flow: unknown): CompiledFlow | undefined {
  if (!isMap(flow) || typeof flow["sourceText"] !== "string") return undefined;
  const { allowed_actions: allowedActions } = services.config.settings.llm_flows;
  const compiled = compileFlowBody(id, flow["sourceText"], { allowedActions, program: services.program });
  return compiled?.hash === flow["hash"] ? compiled : undefined;
}

/**
 * Returns true if every instance points to an element of an existing flow, unless the flow has changed and the engine
 * drops the instance.
 */
function isRunnable(
  { flows, program }: RuntimeServices,
  { state, program: hash, flows: hashes }: SerializedState,
): boolean {
  const standsIn = (dynamic: Snapshot["flows"]) => (instance: FlowInstance) => {
    const flow = Object.hasOwn(dynamic, instance.flow) ? dynamic[instance.flow] : flows.get(instance.flow);
    if (hash !== program.hash && !Object.hasOwn(dynamic, instance.flow)) {
      return Object.hasOwn(hashes, instance.flow) && (flow?.hash !== hashes[instance.flow] || isAt(flow, instance));
    }
    return flow !== undefined && isAt(flow, instance);
  };
  return [state, ...state.turns].every((holder) => holder.instances.every(standsIn(holder.flows)));
}

function isAt(flow: CompiledFlow | undefined, { at }: FlowInstance): boolean {
  return flow !== undefined && Number.isInteger(at) && at >= 0 && at <= flow.elements.length;
}

function allInstances(state: SerializedState["state"]): readonly FlowInstance[] {
  return [state, ...state.turns].flatMap((holder) => holder.instances);
}
