import { resolveAction } from "../state/action-object.js";
import type { ReadyPattern } from "../state/ready-pattern.js";
import { FlowReference } from "../state/references.js";
import type { EngineState, FlowInstance, Head } from "../state/state.js";

/** What the live instances of a flow wait for, one sentence for each of them. */
export function waitsOf(state: EngineState, flow: string): readonly string[] {
  const instances = [...(state.byFlow.get(flow) ?? [])].sort((left, right) => left.order - right.order);
  return [...new Set(instances.flatMap((instance) => waitOf(state, instance)))];
}

function waitOf(state: EngineState, instance: FlowInstance): readonly string[] {
  if (instance.pause !== undefined) {
    const until = (instance.pause.until ?? []).map(({ definition }) => `\`${definition.id}\``);
    return [
      until.length === 0 ? "it is paused until somebody resumes it" : `it is paused until ${list(until)} is over`,
    ];
  }
  const waits = [...instance.heads].flatMap((head) => {
    if (head.status !== "active" || head.pattern === undefined) return [];
    return [`${subjectOf(state, head, head.pattern)}${placeOf(instance, head)}`];
  });
  return waits.length === 0 ? [] : [`it waits for ${list([...new Set(waits)])}`];
}

/** INVARIANT: names only; the values that a wait compares with may be what somebody said. */
function subjectOf(state: EngineState, head: Head, { bound, flowId, names }: ReadyPattern): string {
  if (bound?.kind === "flow") return flowOf(state, head, bound.uid) ?? `\`${names.join("` or `")}\``;
  if (bound?.kind === "action") {
    const action = state.actions.get(bound.uid);
    return action === undefined ? `\`${names.join("` or `")}\`` : `\`${resolveAction(action).name}\``;
  }
  return flowId === undefined ? `\`${names.join("` or `")}\`` : `\`${names.join("` or `")}\` of \`${flowId}\``;
}

function flowOf(state: EngineState, head: Head, uid: string): string | undefined {
  const instance = state.instances.get(uid);
  if (instance !== undefined) return `\`${instance.definition.id}\``;
  for (const value of head.instance.variables.values()) {
    if (!(value instanceof FlowReference) || value.uid !== uid) continue;
    return state.definitions.has(value.flowId) ? `\`${value.flowId}\`` : `\`${value.flowId}\`, which is not defined`;
  }
  return undefined;
}

function placeOf({ definition }: FlowInstance, { address }: Head): string {
  const place = definition.places[definition.elements[address]?.place ?? -1];
  return place === undefined ? "" : ` (${place.location.file}:${place.location.line})`;
}

function list(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1) ?? ""}`;
}
