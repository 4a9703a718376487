import { isInternalEvent, isInternalField } from "../../internal-events.js";
import { LimitError } from "../../../diagnostics/errors.js";
import { createMap, readOwn, type Value } from "../../../expressions/values/value.js";
import { toPythonText } from "../../../expressions/values/format.js";
import { resolveAction } from "../state/action-object.js";
import { evaluateIn } from "../values/evaluate-in.js";
import { fromOutside, toOutside } from "../values/copy-value.js";
import { externalEvent, NO_VALUES, type EngineEvent } from "../state/event.js";
import type { ReadyPattern } from "../state/ready-pattern.js";
import { FlowReference } from "../state/references.js";
import { scoreEvent } from "../dispatch/score.js";
import { similarity } from "../dispatch/similarity.js";
import type { EngineState, FlowInstance, Head } from "../state/state.js";

/** A flow that a waiting head awaits by `FlowFinished`. */
export interface Awaited {
  readonly id: string;
  readonly uid?: string;
  /** The instance itself is marked as an intent (spec 9.6). */
  readonly isMarked: boolean;
}

/** The flows that waiting heads await by `FlowFinished`, each once, by the age of those who wait. */
export function awaitedFlows(state: EngineState): Awaited[] {
  const waiting = [...state.index.heads()]
    .filter(({ pattern, status }) => status === "active" && pattern?.names.includes("FlowFinished"))
    .sort((left, right) => left.instance.order - right.instance.order || left.id - right.id);
  const found = new Map<string, Awaited>();
  for (const head of waiting) {
    const awaited = head.pattern === undefined ? undefined : awaitedBy(state, head, head.pattern);
    if (awaited !== undefined && !found.has(`${awaited.id}\n${awaited.uid ?? ""}`)) {
      found.set(`${awaited.id}\n${awaited.uid ?? ""}`, awaited);
    }
  }
  return [...found.values()];
}

function awaitedBy(state: EngineState, head: Head, pattern: ReadyPattern): Awaited | undefined {
  const uid = pattern.bound?.kind === "flow" ? pattern.bound.uid : textField(pattern, "flow_instance_uid");
  if (uid === undefined) {
    const id = pattern.flowId ?? textField(pattern, "flow_id");
    return id === undefined ? undefined : { id, isMarked: false };
  }
  const instance = state.instances.get(uid);
  if (instance !== undefined) return { id: instance.definition.id, uid, isMarked: isMarked(instance) };
  // Nobody has defined the flow; whoever starts it has a reference to it all the same.
  for (const value of head.instance.variables.values()) {
    if (value instanceof FlowReference && value.uid === uid) return { id: value.flowId, uid, isMarked: false };
  }
  return undefined;
}

function textField(pattern: ReadyPattern, name: string): string | undefined {
  const value = pattern.fields.find(([field]) => field === name)?.[1];
  return typeof value === "string" ? value : undefined;
}

function isMarked(instance: FlowInstance): boolean {
  const mark = instance.variables.get("_user_intent");
  return mark !== undefined && mark !== null && mark !== false;
}

/**
 * Returns true if a flow that has started waits for such an event (spec 9.4.13). A wait for one instance or one action counts
 * for every event of its flow or action that does not name another. Nothing is changed by the question.
 */
export function awaitsEvent(state: EngineState, name: string, given: Readonly<Record<string, unknown>>): boolean {
  const event = probe(name, given);
  for (const head of state.index.heads()) {
    const { pattern, instance } = head;
    if (instance.status !== "started" || pattern === undefined || !pattern.names.includes(name)) continue;
    if (scoreEvent(boundProbe(state, event, head, pattern), { pattern, priority: 1 }, state.work) > 0) return true;
  }
  return false;
}

/** The question about the instance or action that a head waits for; as it is where it names one or is about another flow. */
function boundProbe(state: EngineState, event: EngineEvent, head: Head, pattern: ReadyPattern): EngineEvent {
  const { bound } = pattern;
  if (bound === undefined) return event;
  if (bound.kind === "action") {
    return event.meta["action_uid"] === undefined
      ? { ...event, meta: { ...event.meta, action_uid: bound.uid } }
      : event;
  }
  const flowId = event.fields["flow_id"];
  if (!event.isInternal || event.fields["flow_instance_uid"] !== undefined) return event;
  if (flowId !== undefined && flowId !== awaitedBy(state, head, pattern)?.id) return event;
  const parameters = state.instances.get(bound.uid)?.bound ?? NO_VALUES;
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
  return { name, uid: "probe", isInternal: true, fields, payload, meta: NO_VALUES, scores: [] };
}

/** The instance that runs an action, or else the youngest live one of the flow. */
export function instanceRunning(
  state: EngineState,
  flowId: string,
  actionUid: string | undefined,
): FlowInstance | undefined {
  const action = actionUid === undefined ? undefined : state.actions.get(actionUid);
  for (const { owner } of action === undefined ? [] : resolveAction(action).ownerships) {
    if (owner.definition.id === flowId) return owner;
  }
  return [...(state.byFlow.get(flowId) ?? [])].sort((left, right) => right.order - left.order)[0];
}

/** The instance, or the nearest one that started it, whose flow has a docstring; with the text of it. */
export function nearestDocstring(
  state: EngineState,
  instance: FlowInstance,
): { readonly text: string; readonly instance: FlowInstance } | undefined {
  for (let around: FlowInstance | undefined = instance; around !== undefined; around = around.parent) {
    const { docstring, docstringTemplate } = around.definition;
    if (docstring === undefined) continue;
    const text =
      docstringTemplate === undefined ? docstring : toPythonText(evaluateIn(state, around, docstringTemplate));
    return { text, instance: around };
  }
  return undefined;
}

/** The variables of an instance as plain data, those it shares with everybody among them. */
export function plainVariables(state: EngineState, instance: FlowInstance): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  const add = (name: string, value: Value | undefined): void => {
    // Temporaries of the compiler begin with a percent sign.
    if (!name.startsWith("%") && name !== "__proto__") plain[name] = plainOrNull(value ?? null);
  };
  for (const [name, value] of instance.variables) add(name, value);
  for (const name of instance.globalNames) add(name, state.globals.get(name));
  return plain;
}

/** All global variables as plain data; null for one that has become too large or contains itself. */
export function plainGlobals(state: EngineState): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of state.globals) if (name !== "__proto__") plain[name] = plainOrNull(value);
  return plain;
}

/** INVARIANT: a value that a flow has made contain itself fails what reads it, never the turns that come after. */
function plainOrNull(value: Value): unknown {
  try {
    return toOutside(value);
  } catch (error) {
    if (!LimitError.isInstance(error)) throw error;
    return null;
  }
}
