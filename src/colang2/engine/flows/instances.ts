import { LimitError } from "../../../diagnostics/errors.js";
import { createMap } from "../../../expressions/values/value.js";
import type { CompiledFlow } from "../../program.js";
import { addHead } from "../heads/heads.js";
import { NO_VALUES } from "../state/event.js";
import type { Activation, FlowInstance, FlowTarget, PlacedHead, StartOrigin, ValueRecord } from "../state/records.js";
import { findFlow, nextOrder, nextUid, type EngineState } from "../state/state.js";
import { evaluateDefault } from "../values/evaluate-in.js";

/** The identifiers of an instance that is going to be made. */
export function expectInstance(state: EngineState, flow: string, uid = nextUid(state)): FlowTarget {
  state.round.expected.add(uid);
  return { uid, flow, instance: undefined };
}

/** Adds the defaults of the parameters that were not given. */
export function withDefaults(state: EngineState, flow: CompiledFlow, given: ValueRecord): ValueRecord {
  if (flow.parameters.length === 0) return NO_VALUES;
  const bound = createMap();
  for (const { name, default: expression } of flow.parameters) {
    if (Object.hasOwn(given, name)) bound[name] = given[name] ?? null;
    else bound[name] = expression === undefined ? null : evaluateDefault(state, expression);
  }
  return bound;
}

interface InstanceParts {
  readonly flow: CompiledFlow;
  readonly bound: ValueRecord;
  readonly origin: StartOrigin;
  readonly scores: readonly number[];
  readonly sharesContext: boolean;
  readonly activation?: Activation;
}

/** Makes an instance with one head that waits for its own start. */
export function createInstance(state: EngineState, parts: InstanceParts): PlacedHead {
  const { flow, bound, origin, activation } = parts;
  const { limits } = state.options;
  if (state.data.flows.size >= limits.instances) {
    throw limitError("instances", limits.instances, `more than ${limits.instances} flows are alive`);
  }
  const parent = findFlow(state, activation === undefined ? origin.source : activation.parent);
  const known = activation ?? (origin.predecessor === undefined ? undefined : findFlow(state, origin.predecessor));
  const hierarchy = known?.hierarchy ?? [...(parent?.hierarchy ?? []), origin.address];
  if (hierarchy.length > limits.flowDepth) {
    throw limitError("flowDepth", limits.flowDepth, `flows start flows more than ${limits.flowDepth} deep`);
  }
  const loop = loopOf(state, flow, activation, parent);
  const sharesVariables = parts.sharesContext && parent !== undefined && flow.parameters.length === 0;
  const variables = createMap();
  if (!sharesVariables) {
    Object.assign(variables, bound);
    for (const { name, default: expression } of flow.returnMembers) {
      variables[name] = expression === undefined ? null : evaluateDefault(state, expression);
    }
  }
  const instance: FlowInstance = {
    uid: origin.target.uid,
    flow: flow.id,
    parent: parent?.uid,
    hierarchy: [...hierarchy],
    order: nextOrder(state),
    status: "waiting",
    failReason: undefined,
    loop,
    loopPriority: flow.loop?.priority ?? parent?.loopPriority ?? 0,
    priority: 1,
    sharesVariables,
    variables,
    globalNames: parts.sharesContext ? [...(parent?.globalNames ?? [])] : [],
    bound,
    heads: [],
    scopes: [],
    ownerships: [],
    activation: activation?.order,
    hasSuccessor: false,
    hasWaited: false,
    isIdle: false,
    hasMatched: false,
    returnValue: null,
    pause: undefined,
    pausesWhenStarted: undefined,
  };
  const { round } = state;
  round.expected.delete(instance.uid);
  round.unmoved.add(instance.uid);
  state.data.ended.delete(instance.uid);
  state.data.flows.set(instance.uid, instance);
  state.index.addFlow(instance, flow);
  round.trace.push({ type: "started", flow: flow.id, instance: instance.uid, by: parent?.flow ?? "" });
  return { head: addHead(state, instance, { address: 0, scores: parts.scores }), instance };
}

function limitError(limit: string, maximum: number, message: string): LimitError {
  return new LimitError(message, { limit, maximum });
}

/** The loop of the decorator, a fresh one for `NEW`, otherwise that of the parent. */
function loopOf(
  state: EngineState,
  flow: CompiledFlow,
  activation: Activation | undefined,
  parent: FlowInstance | undefined,
): string {
  if (flow.loop === undefined) return activation?.loop ?? parent?.loop ?? MAIN_LOOP;
  return flow.loop.id === "NEW" ? nextUid(state) : flow.loop.id;
}

const MAIN_LOOP = "main";
