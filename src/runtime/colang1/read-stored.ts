import { compileFlowBody } from "../../colang1/flow-body.js";
import type { CompiledFlow } from "../../colang1/elements.js";
import type { SerializedState } from "../../colang1/engine/snapshot.js";
import type { FlowInstance, Snapshot } from "../../colang1/engine/state.js";
import { type History, isHistory } from "../../turn/conversation.js";
import type { RuntimeServices } from "./run.js";

/** A conversation between two turns, as plain JSON. A released version must stay readable. */
export interface StoredConversation {
  readonly version: 1;
  readonly engine: SerializedState;
  readonly history: History;
}

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

/**
 * A stored conversation whose every part the engine can work with; undefined when it is none. It comes from a database
 * or even from a browser, so nothing in it is believed: LLM-written flows are compiled again from their source.
 */
export function readStored(services: RuntimeServices, stored: unknown): StoredConversation | undefined {
  if (!isMap(stored) || stored["version"] !== 1 || !isHistory(stored["history"]) || !isMap(stored["engine"])) {
    return undefined;
  }
  const engine = stored["engine"];
  if (engine["version"] !== 1 || engine["dialect"] !== "1.0" || typeof engine["program"] !== "string") return undefined;
  if (!isMap(engine["flows"]) || !Object.values(engine["flows"]).every(isText)) return undefined;
  const state = engine["state"];
  if (!hasShape(state, STATE) || !isSnapshot(state)) return undefined;
  const serialized = engine as unknown as SerializedState;
  const written = recompile(services, serialized);
  return isRunnable(services, written.engine)
    ? { version: 1, engine: written.engine, history: stored["history"] }
    : undefined;
}

/** Flows whose source no longer makes the same flow are left out; the program's hash with them, so that CO-502 reports it. */
function recompile(
  services: RuntimeServices,
  engine: SerializedState,
): { readonly engine: SerializedState; readonly changed: boolean } {
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
    // A hash that no flow has makes the engine drop the instances of flows that are gone.
    for (const { flow } of allInstances(state)) if (!Object.hasOwn(hashes, flow)) hashes[flow] = "gone";
  }
  return { engine: { ...engine, ...(changed ? { program: "" } : {}), flows: hashes, state: renewed }, changed };
}

function recompileFlow(services: RuntimeServices, id: string, flow: unknown): CompiledFlow | undefined {
  if (!isMap(flow) || typeof flow["sourceText"] !== "string") return undefined;
  const { allowed_actions: allowedActions } = services.config.settings.llm_flows;
  const compiled = compileFlowBody(id, flow["sourceText"], { allowedActions, program: services.program });
  return compiled?.hash === flow["hash"] ? compiled : undefined;
}

/** Every instance stands on an element of a flow that exists, unless the flow has changed and the engine drops it. */
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

const isText: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isCount: Check = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0;
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isMap = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

function hasShape(value: unknown, shape: Readonly<Record<string, Check>>): value is Fields {
  return isMap(value) && Object.entries(shape).every(([key, check]) => Object.hasOwn(value, key) && check(value[key]));
}

const INSTANCE: Readonly<Record<keyof FlowInstance, Check>> = {
  uid: isText,
  flow: isText,
  tier: oneOf("system", "user"),
  at: isCount,
  status: oneOf("active", "interrupted"),
  suspendedBy: orNull(isText),
  sleeping: isBoolean,
  caller: orNull(isText),
  depth: isCount,
  priority: isNumber,
  waitingFor: orNull(isText),
  since: isNumber,
  engaged: isBoolean,
  startedBy: isText,
};

const SNAPSHOT: Readonly<Record<keyof Snapshot, Check>> = {
  context: isMap,
  instances: listOf((value) => hasShape(value, INSTANCE)),
  flows: isMap,
  changed: listOf(isText),
  utterance: oneOf(null),
  initialised: isBoolean,
};

const isSnapshot: Check = (value) => hasShape(value, SNAPSHOT);

const STATE: Readonly<Record<string, Check>> = {
  next: oneOf(null),
  running: listOf(() => false),
  lastAction: oneOf(null),
  announced: listOf(() => false),
  failure: oneOf(null),
  events: isCount,
  created: isCount,
  reported: listOf(isText),
  turns: listOf(isSnapshot),
  call: oneOf(null),
  callHas: oneOf("nothing"),
  limits: isMap,
};
