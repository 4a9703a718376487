import { isInternalEvent, isInternalField } from "../../event-names.js";
import { createMap, readOwn, type Value } from "../../../expressions/values/value.js";
import { toPythonText } from "../../../expressions/values/format.js";
import { evaluateIn } from "../values/evaluate-in.js";
import { fromOutside, plainOrNull } from "../values/plain-values.js";
import { BLANK_EVENT, externalEvent, NO_VALUES } from "../state/event.js";
import type { EngineEvent, FlowInstance, ReadyPattern } from "../state/records.js";
import { scoreEvent, similarity } from "../dispatch/score.js";
import { ancestry, definitionOf, instanceOf, variablesOf, type EngineState } from "../state/state.js";
import { referredFlow } from "./explain-flow.js";

/** A flow that a waiting head awaits by `FlowFinished`. */
export interface Awaited {
  readonly id: string;
  readonly uid?: string;
  /** The instance itself is marked as an intent. */
  readonly isMarked: boolean;
}

/** Flows that waiting heads await by `FlowFinished`, each once, ordered by the age of the waiting flows. */
export function awaitedFlows(state: EngineState): Awaited[] {
  const waiting = [...state.index.waiting.heads.keys()]
    .filter(({ pattern, status }) => status === "active" && pattern?.names.includes("FlowFinished"))
    .map((head) => ({ head, instance: instanceOf(state, head) }))
    .sort((left, right) => left.instance.order - right.instance.order || left.head.id - right.head.id);
  const found = new Map<string, Awaited>();
  for (const { head, instance } of waiting) {
    const awaited = head.pattern === undefined ? undefined : awaitedBy(state, instance, head.pattern);
    if (awaited !== undefined && !found.has(`${awaited.id}\n${awaited.uid ?? ""}`)) {
      found.set(`${awaited.id}\n${awaited.uid ?? ""}`, awaited);
    }
  }
  return [...found.values()];
}

function awaitedBy(state: EngineState, waiting: FlowInstance, pattern: ReadyPattern): Awaited | undefined {
  const uid = pattern.bound?.kind === "flow" ? pattern.bound.uid : textField(pattern, "flow_instance_uid");
  if (uid === undefined) {
    const id = pattern.flowId ?? textField(pattern, "flow_id");
    return id === undefined ? undefined : { id, isMarked: false };
  }
  const instance = state.data.flows.get(uid);
  const mark = instance && variablesOf(state, instance)["_user_intent"];
  if (instance !== undefined) return { id: instance.flow, uid, isMarked: (mark ?? false) !== false };
  // The flow is not defined, but a flow that starts it still has a reference to it.
  const id = referredFlow(state, waiting, uid);
  return id === undefined ? undefined : { id, uid, isMarked: false };
}

function textField(pattern: ReadyPattern, name: string): string | undefined {
  const value = pattern.fields.find(([field]) => field === name)?.[1];
  return typeof value === "string" ? value : undefined;
}

/**
 * Returns true if a started flow waits for such an event. A wait for one instance or action counts for every event of
 * its flow or action that does not name another. Has no side effects.
 */
export function awaitsEvent(state: EngineState, name: string, given: Readonly<Record<string, unknown>>): boolean {
  const event = probe(name, given);
  for (const head of state.index.waiting.heads.keys()) {
    const { pattern } = head;
    const instance = instanceOf(state, head);
    if (instance.status !== "started" || pattern === undefined || !pattern.names.includes(name)) continue;
    if (scoreEvent(state, boundProbe(state, event, instance, pattern), pattern, 1) > 0) return true;
  }
  return false;
}

/**
 * Returns the event for the instance or action that a wait is bound to; unchanged if it names one or concerns another
 * flow.
 */
function boundProbe(state: EngineState, event: EngineEvent, waiting: FlowInstance, pattern: ReadyPattern): EngineEvent {
  const { bound } = pattern;
  if (bound === undefined) return event;
  if (bound.kind === "action") {
    return event.meta["action_uid"] === undefined
      ? { ...event, meta: { ...event.meta, action_uid: bound.uid } }
      : event;
  }
  const flowId = event.fields["flow_id"];
  if (!event.isInternal || event.fields["flow_instance_uid"] !== undefined) return event;
  if (flowId !== undefined && flowId !== awaitedBy(state, waiting, pattern)?.id) return event;
  const parameters = state.data.flows.get(bound.uid)?.bound ?? NO_VALUES;
  const isOther = Object.keys(event.payload).some(
    (name) => similarity(readOwn(parameters, name) ?? null, event.payload[name] ?? null, state.work) === 0,
  );
  if (isOther) return event;
  return { ...event, fields: { ...event.fields, flow_instance_uid: bound.uid } };
}

function probe(name: string, given: Readonly<Record<string, unknown>>): EngineEvent {
  const flat = createMap();
  for (const key of Object.keys(given)) if (key !== "__proto__") flat[key] = fromOutside(given[key]);
  flat["type"] = name;
  if (!isInternalEvent(name)) return externalEvent(flat, "probe");
  const fields = createMap();
  const payload = createMap();
  for (const key of Object.keys(flat)) {
    if (key !== "type") (isInternalField(name, key) ? fields : payload)[key] = flat[key] ?? null;
  }
  return { ...BLANK_EVENT, name, uid: "probe", isInternal: true, fields, payload };
}

/** Returns the instance that runs an action, otherwise the youngest live one of the flow. */
export function instanceRunning(
  state: EngineState,
  flowId: string,
  actionUid: string | undefined,
): FlowInstance | undefined {
  const action = actionUid === undefined ? undefined : state.index.actions.get(actionUid);
  for (const { flow } of state.index.ownerships.get(action?.id ?? -1)) {
    const owner = state.data.flows.get(flow);
    if (owner?.flow === flowId) return owner;
  }
  return [...state.index.byFlow.get(flowId)].sort((left, right) => right.order - left.order)[0];
}

/** Returns the instance, or its nearest ancestor, whose flow has a docstring, with its text. */
export function nearestDocstring(
  state: EngineState,
  instance: FlowInstance,
): { readonly text: string; readonly instance: FlowInstance } | undefined {
  for (const around of ancestry(state, instance)) {
    const { docstring, docstringTemplate } = definitionOf(state, around);
    if (docstring === undefined) continue;
    const text =
      docstringTemplate === undefined ? docstring : toPythonText(evaluateIn(state, around, docstringTemplate));
    return { text, instance: around };
  }
  return undefined;
}

/** Returns the variables of an instance as plain data, including global ones. */
export function plainVariables(state: EngineState, instance: FlowInstance): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  const add = (name: string, value: Value | undefined): void => {
    // Temporaries of the compiler begin with a percent sign.
    if (!name.startsWith("%") && name !== "__proto__") plain[name] = plainOrNull(value ?? null);
  };
  for (const [name, value] of Object.entries(variablesOf(state, instance))) add(name, value);
  for (const name of instance.globalNames) add(name, state.data.globals[name]);
  return plain;
}
