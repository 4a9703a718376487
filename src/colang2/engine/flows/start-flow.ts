import { GuardrailsError } from "../../../diagnostics/errors.js";
import { createMap } from "../../../expressions/values/value.js";
import type { CompiledFlow } from "../../program.js";
import { HANDLED, UNHANDLED, type Handling } from "../dispatch/handling.js";
import { internalEvent, queueError } from "../dispatch/queue.js";
import type { Activation, EngineEvent, FailReason, StartOrigin, ValueRecord } from "../state/records.js";
import { findFlow, isLive, nextOrder, type EngineState } from "../state/state.js";
import { equalValues } from "../values/equal-values.js";
import { queueNeverStarted } from "./endings.js";
import { createInstance, withDefaults } from "./instances.js";
import { beginFlow } from "./pause.js";

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
  // A flow that has ended cannot own another one: the requested one ends before it begins.
  const source = findFlow(state, origin.source);
  if (origin.activation === undefined && source !== undefined && !isLive(source)) {
    queueNeverStarted(state, event, "parent_ended");
    return HANDLED;
  }
  if (origin.problem !== undefined) return refuse(state, request, "invalid_arguments", origin.problem);
  try {
    return start(state, request);
  } catch (error) {
    if (!GuardrailsError.isInstance(error)) throw error;
    // A flow that is to be kept running gets another chance with the next event.
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
    const [current] = state.index.activated.get(existing.order);
    origin.target.instance = current?.uid;
    state.round.expected.delete(origin.target.uid);
    queueStarted(state, event, existing, origin);
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
    hierarchy: [...(source?.hierarchy ?? []), origin.address],
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

/** Reports the start of a flow that is active already, so that the flow that activates it continues. */
function queueStarted(state: EngineState, event: EngineEvent, activation: Activation, origin: StartOrigin): void {
  const fields = createMap();
  fields["flow_id"] = activation.flow;
  fields["flow_instance_uid"] = origin.target.uid;
  fields["source_flow_instance_uid"] = origin.source ?? null;
  const parts = { fields, payload: activation.bound, scores: event.scores, flow: origin.target };
  state.round.queue.push(internalEvent(state, "FlowStarted", parts));
}

/** Makes no instance and reports the failure to the flows that wait for it. */
function refuse(
  state: EngineState,
  { event, flow, origin }: StartRequest,
  reason: FailReason,
  error: string,
): Handling {
  const source = findFlow(state, origin.source);
  // A flow that requests an impossible start has begun: it fails as a flow that ran, so that its own starter can see it.
  if (reason === "invalid_arguments" && source?.status === "starting") beginFlow(state, source, []);
  const type = reason === "invalid_arguments" ? "InvalidArguments" : "ColangRuntimeError";
  queueError(state, type, error, { flow: flow.id, uid: origin.target.uid });
  queueNeverStarted(state, event, reason, error);
  return HANDLED;
}
