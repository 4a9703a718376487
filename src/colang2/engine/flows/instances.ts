import { createMap, type Value } from "../../../expressions/values/value.js";
import { LimitError } from "../../../diagnostics/errors.js";
import type { CompiledFlow } from "../../program.js";
import { countLoop } from "./endings.js";
import { evaluateDefault } from "../values/evaluate-in.js";
import type { StartOrigin, ValueRecord } from "../state/event.js";
import { addHead } from "../heads/heads.js";
import { FlowReference } from "../state/references.js";
import { nextUid, type Activation, type EngineState, type FlowInstance, type Head } from "../state/state.js";

/** A reference to an instance that is going to be made (spec 4.2): usable at once. */
export function expectInstance(state: EngineState, flowId: string): FlowReference {
  const reference = new FlowReference(nextUid(state), flowId);
  state.expected.set(reference.uid, reference);
  return reference;
}

/** Adds the defaults of the parameters that were not given (spec 6.3.2). */
export function withDefaults(state: EngineState, flow: CompiledFlow, given: ValueRecord): Record<string, Value> {
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

/** Makes an instance with one head that waits for its own start (spec 6.3.3). */
export function createInstance(state: EngineState, parts: InstanceParts): Head {
  const { flow, bound, origin, activation } = parts;
  if (state.instances.size >= state.options.limits.instances) {
    const maximum = state.options.limits.instances;
    throw new LimitError(`more than ${maximum} flows are alive`, { limit: "instances", maximum });
  }
  const parent = activation === undefined ? origin.source : activation.parent;
  const hierarchy = activation?.hierarchy ??
    origin.predecessor?.hierarchy ?? [...(parent?.hierarchy ?? []), origin.address];
  if (hierarchy.length > state.options.limits.flowDepth) {
    const maximum = state.options.limits.flowDepth;
    throw new LimitError(`flows start flows more than ${maximum} deep`, { limit: "flowDepth", maximum });
  }
  const loop = loopOf(state, flow, activation, parent);
  state.orders += 1;
  const instance: FlowInstance = {
    uid: origin.reference.uid,
    definition: flow,
    reference: origin.reference,
    parent,
    parentUid: parent?.uid ?? null,
    hierarchy,
    order: state.orders,
    status: "waiting",
    failReason: undefined,
    loop,
    loopPriority: flow.loop?.priority ?? parent?.loopPriority ?? 0,
    priority: 1,
    variables: variablesOf(state, parts, parent),
    globalNames: new Set(parts.sharesContext ? parent?.globalNames : []),
    bound,
    heads: new Set(),
    belongings: new Set(),
    ownerships: new Map(),
    activation,
    hasSuccessor: false,
    hasWaited: false,
    isIdle: false,
    returnValue: null,
    pause: undefined,
    pausesWhenStarted: undefined,
    bornIn: state.round,
    wasMoved: false,
    hasMatched: false,
  };
  origin.reference.instance = instance;
  state.expected.delete(instance.uid);
  register(state, instance);
  state.trace.push({ type: "started", flow: flow.id, instance: instance.uid, by: parent?.definition.id ?? "" });
  return addHead(state, instance, { address: 0, scores: parts.scores });
}

function register(state: EngineState, instance: FlowInstance): void {
  state.instances.set(instance.uid, instance);
  if (instance.definition.isInterruptible) state.interruptible.add(instance);
  const { id } = instance.definition;
  if (id === "main") state.main = instance;
  const sameFlow = state.byFlow.get(id);
  if (sameFlow === undefined) state.byFlow.set(id, new Set([instance]));
  else sameFlow.add(instance);
  countLoop(state, instance.loop, 1);
  if (instance.activation === undefined) instance.parent?.belongings.add(instance);
  else instance.activation.current.add(instance);
}

/** The loop of the decorator, a fresh one for `NEW`, otherwise that of the parent (spec 6.3.4). */
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

function variablesOf(state: EngineState, parts: InstanceParts, parent: FlowInstance | undefined): Map<string, Value> {
  const { flow, bound } = parts;
  if (parts.sharesContext && parent !== undefined && flow.parameters.length === 0) return parent.variables;
  const variables = new Map<string, Value>(Object.keys(bound).map((name) => [name, bound[name] ?? null]));
  for (const { name, default: expression } of flow.returnMembers) {
    variables.set(name, expression === undefined ? null : evaluateDefault(state, expression));
  }
  return variables;
}
