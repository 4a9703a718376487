import { placeText } from "../../../engine/explain.js";
import type { FlowInstance, Head, ReadyPattern } from "../state/records.js";
import { FlowReference } from "../state/references.js";
import { definitionOf, findFlow, variablesOf, type EngineState } from "../state/state.js";

/** The events that the live instances of a flow wait for, one sentence for each instance. */
export function waitsOf(state: EngineState, flow: string): readonly string[] {
  const instances = [...state.index.byFlow.get(flow)].sort((left, right) => left.order - right.order);
  return [...new Set(instances.flatMap((instance) => waitOf(state, instance)))];
}

function waitOf(state: EngineState, instance: FlowInstance): readonly string[] {
  if (instance.pause !== undefined) {
    const until = (instance.pause.until ?? []).map((uid) => `\`${findFlow(state, uid)?.flow ?? uid}\``);
    return [until.length === 0 ? "it is paused until it is resumed" : `it is paused until ${list(until)} is over`];
  }
  const waits = instance.heads.flatMap((head) => {
    if (head.status !== "active" || head.pattern === undefined) return [];
    return [`${subjectOf(state, instance, head.pattern)}${placeOf(state, instance, head)}`];
  });
  return waits.length === 0 ? [] : [`it waits for ${list([...new Set(waits)])}`];
}

/** INVARIANT: names only; the values that a wait compares with may quote a user. */
function subjectOf(state: EngineState, instance: FlowInstance, { bound, flowId, names }: ReadyPattern): string {
  const events = `\`${names.join("` or `")}\``;
  if (bound?.kind === "flow") return flowOf(state, instance, bound.uid) ?? events;
  if (bound?.kind === "action") {
    const action = state.index.actions.get(bound.uid);
    return action === undefined ? events : `\`${action.name}\``;
  }
  return flowId === undefined ? events : `${events} of \`${flowId}\``;
}

function flowOf(state: EngineState, waiting: FlowInstance, uid: string): string | undefined {
  const instance = state.data.flows.get(uid);
  if (instance !== undefined) return `\`${instance.flow}\``;
  const flow = referredFlow(state, waiting, uid);
  if (flow === undefined) return undefined;
  return state.definitions.has(flow) ? `\`${flow}\`` : `\`${flow}\`, which is not defined`;
}

/** The flow of a reference with this identifier among the variables of an instance. */
export function referredFlow(state: EngineState, instance: FlowInstance, uid: string): string | undefined {
  for (const value of Object.values(variablesOf(state, instance))) {
    if (value instanceof FlowReference && value.uid === uid) return value.flow;
  }
  return undefined;
}

function placeOf(state: EngineState, instance: FlowInstance, { address }: Head): string {
  const { elements, places } = definitionOf(state, instance);
  return placeText(places[elements[address]?.place ?? -1]?.location);
}

function list(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1) ?? ""}`;
}
