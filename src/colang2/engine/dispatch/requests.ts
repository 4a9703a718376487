import { PatternValue, searchPattern, searchSteps } from "../../../expressions/values/pattern.js";
import { isMap, readOwn } from "../../../expressions/values/value.js";
import { endActivation, endFlow, releaseActivation, type EndCause, type Outcome } from "../flows/lifecycle.js";
import { ENGINE_WORK } from "../limits.js";
import { pauseFlows, resumeFlows, type Handling } from "../flows/pause.js";
import { similarity } from "./score.js";
import type { Activation, EngineEvent, FlowInstance, ValueRecord } from "../state/records.js";
import { isLive, type EngineState } from "../state/state.js";
import type { WorkMeter } from "../../../engine/limits.js";

/** `StopFlow` and `FinishFlow`. */
export function handleEnd(state: EngineState, event: EngineEvent): Handling {
  const update = event.fields["context_update"] ?? null;
  const written = isMap(update) ? readOwn(update, RETURN_VALUE) : undefined;
  const value = event.fields["return_value"] ?? written ?? null;
  const outcome: Outcome =
    event.name === "FinishFlow" ? { kind: "finished", value } : { kind: "failed", reason: "stop_request" };
  const cause: EndCause = { scores: event.scores, ...(isMap(update) ? { contextUpdate: update } : {}) };
  const uid = event.fields["flow_instance_uid"];
  if (event.fields["deactivate"] === true) return deactivate(state, event, outcome, cause);
  const handled = new Set<string>();
  for (const instance of selectInstances(state, event)) {
    if (!isLive(instance)) continue;
    handled.add(instance.loop);
    const activation = state.data.activations.get(instance.activation ?? -1);
    // Stopping one instance of an activated flow would have no effect but a new instance.
    if (typeof uid === "string" && event.name === "StopFlow" && activation !== undefined && !instance.hasSuccessor) {
      endActivation(state, activation, outcome, cause);
    } else endFlow(state, instance, outcome, cause);
  }
  return { handled };
}

/** The variable of a flow that holds its return value, as programs for NeMo Guardrails know it. */
const RETURN_VALUE = "_return_value";

function deactivate(state: EngineState, event: EngineEvent, outcome: Outcome, cause: EndCause): Handling {
  const handled = new Set<string>();
  const ended: Outcome = outcome.kind === "finished" ? outcome : { kind: "failed", reason: "deactivated" };
  for (const activation of selectActivations(state, event)) {
    for (const instance of state.index.activated.get(activation.order)) handled.add(instance.loop);
    if (activation.loop !== undefined) handled.add(activation.loop);
    releaseActivation(state, activation, { owner: event.source, outcome: ended, cause });
  }
  // As with a stop alone, instances that were started and not activated end too.
  for (const instance of selectInstances(state, event)) {
    if (!isLive(instance) || instance.activation !== undefined) continue;
    handled.add(instance.loop);
    endFlow(state, instance, outcome, cause);
  }
  return { handled };
}

/** `PauseFlow` and `ResumeFlow`. */
export function handlePause(state: EngineState, event: EngineEvent): Handling {
  const selected = selectInstances(state, event);
  return event.name === "PauseFlow" ? pauseFlows(state, selected) : resumeFlows(state, selected);
}

/** The live instances a request names, by uid, or by flow and arguments. */
function selectInstances({ data, index, work }: EngineState, event: EngineEvent): FlowInstance[] {
  const uid = event.fields["flow_instance_uid"];
  const flowId = event.fields["flow_id"] ?? null;
  let named: Iterable<FlowInstance> = [];
  if (typeof uid === "string") named = [data.flows.get(uid) ?? []].flat();
  else if (typeof flowId === "string") named = index.byFlow.get(flowId);
  else if (flowId instanceof PatternValue) {
    named = [...data.flows.values()].filter(({ flow }) => fits(work, flowId, flow));
  }
  return [...named].filter(({ bound }) => includes(work, bound, event.payload));
}

function selectActivations({ data, index, work }: EngineState, event: EngineEvent): Activation[] {
  const uid = event.fields["flow_instance_uid"];
  if (typeof uid === "string") return [data.activations.get(data.flows.get(uid)?.activation ?? -1) ?? []].flat();
  const flowId = event.fields["flow_id"] ?? null;
  const found: Activation[] = [];
  for (const [flow, activations] of index.activations.entries()) {
    if (flowId === flow || (flowId instanceof PatternValue && fits(work, flowId, flow))) found.push(...activations);
  }
  return found.filter(({ bound }) => includes(work, bound, event.payload));
}

function fits(work: WorkMeter, { pattern }: PatternValue, flow: string): boolean {
  work.add(ENGINE_WORK.instance + searchSteps(pattern, flow));
  return searchPattern(pattern, flow);
}

/** Returns true if the arguments of a flow fulfil a filter. */
function includes(work: WorkMeter, bound: ValueRecord, filter: ValueRecord): boolean {
  work.add(ENGINE_WORK.instance);
  return Object.keys(filter).every((name) => {
    const actual = readOwn(bound, name);
    return actual !== undefined && similarity(actual, filter[name] ?? null, work) > 0;
  });
}
