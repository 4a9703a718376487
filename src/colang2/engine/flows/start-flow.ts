import { createMap } from "../../../expressions/values/value.js";
import { GuardrailsError } from "../../../diagnostics/errors.js";
import type { CompiledFlow } from "../../program.js";
import { addActivation, findActivation } from "./activations.js";
import type { EngineEvent, StartOrigin, ValueRecord } from "../state/event.js";
import { beginFlow } from "./begin-flow.js";
import { queueNeverStarted } from "./endings.js";
import { createInstance, withDefaults } from "./instances.js";
import { internalEvent, queueError } from "../dispatch/queue.js";
import { isLive, type Activation, type EngineState, type FailReason, type Head } from "../state/state.js";

/** What a default handler did with an event (spec 7.2.2). */
export interface Handling {
  /** The loops in which the event counts as handled. */
  readonly handled: "all" | ReadonlySet<string>;
  /** The head of the instance that the event made. */
  readonly entry?: Head;
  /** Events that paused heads missed, to be given to them now. */
  readonly deliveries?: readonly Delivery[];
  /** Heads of flows that go on, which stand on an act or a merge since before their pause. */
  readonly standing?: readonly Head[];
}

/** An event for one head alone. */
export interface Delivery {
  readonly head: Head;
  readonly event: EngineEvent;
}

const HANDLED: Handling = { handled: "all" };
const UNHANDLED: Handling = { handled: new Set() };

/** A request to start a flow (spec 6.3, 6.8.1). */
export function handleStart(state: EngineState, event: EngineEvent): Handling {
  const { origin } = event;
  const flowId = event.fields["flow_id"];
  const flow = typeof flowId === "string" ? state.definitions.get(flowId) : undefined;
  if (origin === undefined || flow === undefined) {
    if (origin !== undefined) state.expected.delete(origin.reference.uid);
    return UNHANDLED;
  }
  if (flow.id === "main" && origin.source !== undefined) {
    state.trace.push({
      type: "warning",
      code: "C2-403",
      message: "`main` is started by the engine alone",
      flow: "main",
    });
    return HANDLED;
  }
  // What a flow that has ended asked for would belong to nobody (spec 6.5): it ends before it begins.
  if (origin.activation === undefined && origin.source !== undefined && !isLive(origin.source)) {
    queueNeverStarted(state, event, "parent_ended");
    return HANDLED;
  }
  if (origin.problem !== undefined) {
    return refuse(state, { event, flow, origin }, "invalid_arguments", origin.problem);
  }
  try {
    return start(state, { event, flow, origin });
  } catch (error) {
    if (!GuardrailsError.isInstance(error)) throw error;
    // A flow that is to be kept running gets another chance with the next event.
    if (origin.activation !== undefined) state.dormant.add(origin.activation);
    return refuse(state, { event, flow, origin }, "error", error.message);
  }
}

interface Start {
  readonly event: EngineEvent;
  readonly flow: CompiledFlow;
  readonly origin: StartOrigin;
}

function start(state: EngineState, { event, flow, origin }: Start): Handling {
  const { scores } = event;
  if (origin.activation !== undefined) {
    const { activation } = origin;
    if (activation.hasEnded) return HANDLED;
    const parts = { flow, bound: activation.bound, origin, scores, sharesContext: false, activation };
    return { handled: "all", entry: createInstance(state, parts) };
  }
  const bound = withDefaults(state, flow, event.payload);
  if (event.fields["activate"] === true) return activate(state, { event, flow, origin }, bound);
  const sharesContext = event.fields["share_context"] === true;
  return { handled: "all", entry: createInstance(state, { flow, bound, origin, scores, sharesContext }) };
}

function activate(state: EngineState, { event, flow, origin }: Start, bound: ValueRecord): Handling {
  const owner = origin.source;
  const known = findActivation(state, flow.id, bound);
  if (known !== undefined) {
    known.owners.push(owner);
    owner?.belongings.add(known);
    const [current] = known.current;
    origin.reference.instance = current;
    state.expected.delete(origin.reference.uid);
    queueStarted(state, event, known, origin);
    return HANDLED;
  }
  state.orders += 1;
  const activation: Activation = {
    order: state.orders,
    flow: flow.id,
    bound,
    owners: [owner],
    current: new Set(),
    parent: owner,
    hierarchy: [...(owner?.hierarchy ?? []), origin.address],
    loop: owner?.loop,
    hasEnded: false,
    restarts: 0,
    restartRound: 0,
  };
  const entry = createInstance(state, { flow, bound, origin, scores: event.scores, sharesContext: false, activation });
  owner?.belongings.add(activation);
  addActivation(state, activation);
  return { handled: "all", entry };
}

/** Tells the one who activates a flow that is active already to go on (R-ACTIVATE-ONCE). */
function queueStarted(state: EngineState, event: EngineEvent, activation: Activation, origin: StartOrigin): void {
  const fields = createMap();
  fields["flow_id"] = activation.flow;
  fields["flow_instance_uid"] = origin.reference.uid;
  fields["source_flow_instance_uid"] = origin.source?.uid ?? null;
  const parts = { fields, payload: activation.bound, scores: event.scores, flow: origin.reference };
  state.queue.push(internalEvent(state, "FlowStarted", parts));
}

/** No instance is made; whoever waits for it is told so (spec 6.3.2). */
function refuse(state: EngineState, { event, flow, origin }: Start, reason: FailReason, error: string): Handling {
  // Who asks for what cannot be has begun: it fails as a flow that ran, so that its own starter goes on and can see it.
  if (reason === "invalid_arguments" && origin.source?.status === "starting") beginFlow(state, origin.source, []);
  const type = reason === "invalid_arguments" ? "InvalidArguments" : "ColangRuntimeError";
  queueError(state, type, error, { flow: flow.id, uid: origin.reference.uid });
  queueNeverStarted(state, event, reason, error);
  return HANDLED;
}
