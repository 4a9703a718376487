import type { GuardrailsEvent } from "../../engine/events.js";
import type { Advance } from "../../engine/flow-engine.js";
import type { TraceEvent } from "../../engine/trace.js";
import type { Colang1Program, ElementOf } from "../elements.js";
import { readOwn } from "../../engine/variables.js";
import { Processing, type LiveInstance, type Origin } from "./processing.js";
import { cascade } from "./stabilize.js";
import type { Colang1State, FlowInstance } from "./state.js";

/**
 * Starts an action: the instance that requested it waits for its end, and so does every user instance that was about to
 * request the same. Of the others only flows that must not be interrupted are affected: they end.
 */
export function startAction(
  program: Colang1Program,
  state: Colang1State,
  event: GuardrailsEvent,
  origin: Origin,
): Advance<Colang1State> {
  const uid = readOwn(event, "action_uid");
  const work = new Processing(program, state, event, origin);
  const requester = origin.kind === "step" ? work.find(origin.instance) : undefined;
  const element = requester && work.elementOf(requester);
  if (!requester || element?.kind !== "Run" || typeof uid !== "string") {
    return { state: { ...state, next: null }, events: [], trace: [] };
  }
  for (const member of work.chainOf(requester)) member.engaged = true;
  requester.waitingFor = uid;
  const key = runKey(element);
  for (const instance of work.instances) {
    if (instance === requester || instance.tier !== "user" || instance.status !== "active") continue;
    const other = work.elementOf(instance);
    if (other?.kind === "Run" && instance.waitingFor === null && runKey(other) === key) instance.waitingFor = uid;
    else if (requester.tier === "user") endUninterruptible(work, instance);
  }
  while (cascade(work));
  const callers = work.callersOf(requester);
  const running = [...state.running, { uid, instance: requester.uid, tier: requester.tier, callers }];
  const instances: FlowInstance[] = work.instances.filter((instance) => instance.status !== "aborted");
  const trace: readonly TraceEvent[] = work.trace;
  return {
    state: { ...state, instances, running, next: null, lastAction: null, announced: [] },
    events: [],
    trace,
  };
}

function endUninterruptible(work: Processing, instance: LiveInstance): void {
  if (work.flowOf(instance)?.interruptible === false) work.abort(instance, "another flow took a step");
}

const keys = new WeakMap<ElementOf<"Run">, string>();

/**
 * Returns the key of a request: equal for two `Run` elements with the same action, arguments and result name.
 */
function runKey(element: ElementOf<"Run">): string {
  const known = keys.get(element);
  if (known !== undefined) return known;
  const key = JSON.stringify([element.action, element.arguments, element.result ?? null], withoutOffsets);
  keys.set(element, key);
  return key;
}

function withoutOffsets(name: string, value: unknown): unknown {
  return name === "start" || name === "end" ? undefined : value;
}
