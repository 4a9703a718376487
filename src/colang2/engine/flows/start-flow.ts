import { GuardrailsError, LimitError } from "../../../diagnostics/errors.js";
import { createMap, type Value } from "../../../expressions/values/value.js";
import type { CompiledFlow, LoopSetting } from "../../program.js";
import { HANDLED, UNHANDLED, type Handling } from "./pause.js";
import { flowEvent, queueError } from "../dispatch/queue.js";
import type {
  Activation,
  EngineEvent,
  FailReason,
  StartOrigin,
  ValueRecord,
  FlowInstance,
  FlowTarget,
  PlacedHead,
} from "../state/records.js";
import { findFlow, isLive, nextOrder, type EngineState, nextUid } from "../state/state.js";
import { equalValues } from "../values/plain-values.js";
import { queueNeverStarted, beginFlow } from "./lifecycle.js";
import { makeHead } from "../heads/heads.js";
import { NO_VALUES, createTable } from "../state/event.js";
import { evaluateDefault, type GivenArguments } from "../values/evaluate-in.js";

/** A request to start a flow. */
export function handleStart(state: EngineState, event: EngineEvent): Handling {
  const { origin } = event;
  const flowId = event.fields["flow_id"];
  const flow = typeof flowId === "string" ? state.definitions.get(flowId) : undefined;
  if (origin === undefined || flow === undefined) {
    if (origin !== undefined) state.round.expected.delete(origin.target.uid);
    return UNHANDLED;
  }
  if (flow.id === "main" && origin.source !== undefined) {
    const message = "`main` is started by the engine alone";
    state.round.trace.push({ type: "warning", code: "C2-403", message, flow: "main" });
    return HANDLED;
  }
  const request = { event, flow, origin };
  // An ended flow cannot own another one: the requested one ends before it starts.
  const source = origin.activation === undefined ? findFlow(state, origin.source) : undefined;
  if (source !== undefined && !isLive(source)) {
    queueNeverStarted(state, event, "parent_ended");
    return HANDLED;
  }
  if (origin.problem !== undefined) return refuse(state, request, "invalid_arguments", origin.problem);
  try {
    return start(state, request);
  } catch (error) {
    if (!GuardrailsError.isInstance(error)) throw error;
    // A flow to be kept running is retried with the next batch.
    const activation = state.data.activations.get(origin.activation ?? -1);
    if (activation !== undefined) state.index.setDormant(activation, true);
    return refuse(state, request, "error", error.message);
  }
}

interface StartRequest {
  readonly event: EngineEvent;
  readonly flow: CompiledFlow;
  readonly origin: StartOrigin;
}

function start(state: EngineState, { event, flow, origin }: StartRequest): Handling {
  const { scores } = event;
  if (origin.activation !== undefined) {
    const activation = state.data.activations.get(origin.activation);
    if (activation === undefined) return HANDLED;
    const parts = { flow, bound: activation.bound, origin, scores, sharesContext: false, activation };
    return { handled: "all", entry: createInstance(state, parts) };
  }
  const bound = withDefaults(state, flow, event.payload);
  if (event.fields["activate"] === true) return activate(state, { event, flow, origin }, bound);
  const sharesContext = event.fields["share_context"] === true;
  return { handled: "all", entry: createInstance(state, { flow, bound, origin, scores, sharesContext }) };
}

function activate(state: EngineState, { event, flow, origin }: StartRequest, bound: ValueRecord): Handling {
  const owner = origin.source;
  const existing = findActivation(state, flow.id, bound);
  if (existing !== undefined) {
    existing.owners.push({ flow: owner, order: nextOrder(state) });
    if (owner !== undefined) state.index.children.add(owner, existing);
    const current = state.index.activated.first(existing.order);
    origin.target.instance = current?.uid;
    state.round.expected.delete(origin.target.uid);
    // The flow that activates it continues.
    const parts = { flow: origin.target, parent: origin.source, payload: existing.bound, scores: event.scores };
    state.round.queue.push(flowEvent(state, "FlowStarted", parts));
    return HANDLED;
  }
  const source = findFlow(state, owner);
  const order = nextOrder(state);
  const activation: Activation = {
    order,
    flow: flow.id,
    bound,
    owners: [{ flow: owner, order }],
    parent: owner,
    hierarchy: (source?.hierarchy ?? []).concat(origin.address),
    loop: source?.loop,
    isDormant: false,
  };
  const entry = createInstance(state, { flow, bound, origin, scores: event.scores, sharesContext: false, activation });
  if (owner !== undefined) state.index.children.add(owner, activation);
  state.data.activations.set(order, activation);
  state.index.addActivation(activation);
  return { handled: "all", entry };
}

/** The activation of the flow with equal arguments. */
function findActivation(state: EngineState, flow: string, bound: ValueRecord): Activation | undefined {
  for (const activation of state.index.activationsLike(flow, bound)) {
    if (equalValues(activation.bound, bound, state.work)) return activation;
  }
  return undefined;
}

/** Creates no instance and reports the failure to the flows that wait for it. */
function refuse(
  state: EngineState,
  { event, flow, origin }: StartRequest,
  reason: FailReason,
  error: string,
): Handling {
  const source = findFlow(state, origin.source);
  // A flow that requests an impossible start has itself started: it fails like a running flow, so that its starter sees
  // it.
  if (reason === "invalid_arguments" && source?.status === "starting") beginFlow(state, source, []);
  const type = reason === "invalid_arguments" ? "InvalidArguments" : "ColangRuntimeError";
  queueError(state, type, error, { flow: flow.id, uid: origin.target.uid });
  queueNeverStarted(state, event, reason, error);
  return HANDLED;
}

/** Identifiers of an instance to be created. */
export function expectInstance(state: EngineState, flow: string, uid = nextUid(state)): FlowTarget {
  state.round.expected.add(uid);
  return { uid, flow, instance: undefined };
}

/** Adds the defaults of omitted parameters. */
function withDefaults(state: EngineState, flow: CompiledFlow, given: ValueRecord): ValueRecord {
  if (flow.parameters.length === 0) return NO_VALUES;
  const [first] = flow.parameters;
  // The arguments of a call are never mutated, so the flow shares them.
  if (first !== undefined && flow.parameters.length === 1 && Object.hasOwn(given, first.name)) {
    if (Object.keys(given).length === 1) return given;
  }
  const bound = createTable();
  for (const { name, default: expression } of flow.parameters) {
    bound[name] = given[name] ?? (Object.hasOwn(given, name) ? null : evaluateDefault(state, expression));
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

/** Creates an instance with one head that waits for its own start. */
function createInstance(state: EngineState, parts: InstanceParts): PlacedHead {
  const { flow, bound, origin, activation } = parts;
  const { limits } = state.options;
  if (state.data.flows.size >= limits.instances) {
    throw limitError("instances", limits.instances, `more than ${limits.instances} flows are alive`);
  }
  const parent = findFlow(state, activation === undefined ? origin.source : activation.parent);
  const known = activation ?? (origin.predecessor === undefined ? undefined : findFlow(state, origin.predecessor));
  const hierarchy = known?.hierarchy ?? (parent?.hierarchy ?? []).concat(origin.address);
  if (hierarchy.length > limits.flowDepth) {
    throw limitError("flowDepth", limits.flowDepth, `flows start flows more than ${limits.flowDepth} deep`);
  }
  const loop = flow.loop === undefined ? (activation?.loop ?? parent?.loop ?? MAIN_LOOP) : ownLoop(state, flow.loop);
  const sharesVariables = parts.sharesContext && parent !== undefined && flow.parameters.length === 0;
  const variables = createMap();
  if (!sharesVariables) {
    if (bound !== NO_VALUES) Object.assign(variables, bound);
    for (const member of flow.returnMembers) variables[member.name] = evaluateDefault(state, member.default);
  }
  const { uid } = origin.target;
  const order = nextOrder(state);
  const head = makeHead(state, uid, { address: 0, scores: parts.scores });
  const instance: FlowInstance = {
    uid,
    flow: flow.id,
    parent: parent?.uid,
    hierarchy,
    order,
    loop,
    loopPriority: flow.loop?.priority ?? parent?.loopPriority ?? 0,
    sharesVariables,
    variables,
    globalNames: parts.sharesContext ? [...(parent?.globalNames ?? [])] : [],
    bound,
    heads: [head],
    scopes: [],
    ownerships: [],
    activation: activation?.order,
    status: "waiting",
    failReason: undefined,
    priority: 1,
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
  state.index.addHead(head);
  return { head, instance };
}

function limitError(limit: string, maximum: number, message: string): LimitError {
  return new LimitError(message, { limit, maximum });
}

/** The loop of the decorator, a fresh one for `NEW`. */
function ownLoop(state: EngineState, { id }: LoopSetting): string {
  return id === "NEW" ? nextUid(state) : id;
}

const MAIN_LOOP = "main";

/**
 * Maps the arguments of a call to parameter names. Parameters without an argument are left out.
 *
 * @returns a message for arguments that the flow does not accept
 */
export function nameArguments(flow: CompiledFlow, given: GivenArguments): ValueRecord | string {
  const names = Object.keys(given.named);
  if (given.positional.length + names.length === 0) return NO_VALUES;
  const named = createTable();
  for (const [at, value] of given.positional.entries()) {
    const parameter = flow.parameters[at];
    if (parameter === undefined) {
      const count = flow.parameters.length;
      const takes = count === 0 ? "no arguments" : `at most ${count} ${count === 1 ? "argument" : "arguments"}`;
      return `flow \`${flow.id}\` takes ${takes}, not ${given.positional.length}`;
    }
    named[parameter.name] = value;
  }
  for (const name of names) {
    const isKnown = flow.parameters.some((parameter) => parameter.name === name);
    if (!isKnown) return `flow \`${flow.id}\` has no parameter \`$${name}\``;
    if (Object.hasOwn(named, name)) return `\`$${name}\` of flow \`${flow.id}\` is given twice`;
    named[name] = given.named[name] ?? null;
  }
  return named;
}

/** For patterns and filters: maps positional values to parameter names; extra ones match nothing. */
export function nameFilter(flow: CompiledFlow | undefined, given: GivenArguments): Record<string, Value> {
  const named = createTable();
  for (const [at, value] of given.positional.entries()) named[flow?.parameters[at]?.name ?? `$${at}`] = value;
  return Object.assign(named, given.named);
}
