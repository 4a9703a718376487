import { createMap } from "../../../expressions/values/value.js";
import type { InternalEventName } from "../../event-names.js";
import { BLANK_EVENT, mapOf } from "../state/event.js";
import type { EngineEvent, FlowInstance, ValueRecord, HistoryEntry, FlowTarget } from "../state/records.js";
import { definitionOf, nextUid, variablesOf, type EngineState, ancestry } from "../state/state.js";
import { toPythonText } from "../../../expressions/values/format.js";
import { evaluateIn } from "../values/evaluate-in.js";

export function internalEvent<Parts extends Partial<EngineEvent>>(
  state: EngineState,
  name: InternalEventName,
  parts: Parts,
): EngineEvent & Parts {
  return { ...BLANK_EVENT, name, uid: nextUid(state), isInternal: true, ...parts };
}

/** An event about a flow instance, or about one that is going to be made, which `parent` starts. */
export function flowEvent(
  state: EngineState,
  name: InternalEventName,
  parts: Partial<EngineEvent> & { readonly flow: FlowTarget; readonly parent: string | undefined },
): EngineEvent & { readonly flow: FlowTarget } {
  const { parent, fields, ...same } = parts;
  const { uid, flow } = parts.flow;
  const own = { flow_id: flow, flow_instance_uid: uid, source_flow_instance_uid: parent ?? null };
  const all = Object.assign(createMap(), fields, own);
  return { ...BLANK_EVENT, ...same, name, uid: nextUid(state), isInternal: true, fields: all };
}

type FlowEventName = "FlowStarted" | "FlowFinished" | "FlowFailed" | "FlowPaused" | "FlowResumed";

/** Queues an event about a flow instance. */
export function queueFlowEvent(
  state: EngineState,
  name: FlowEventName,
  instance: FlowInstance,
  more: { readonly fields?: ValueRecord; readonly scores?: readonly number[] } = {},
): void {
  const { returnMembers } = definitionOf(state, instance);
  const { uid, flow, parent, bound: payload } = instance;
  const parts = { ...more, flow: { uid, flow, instance: undefined }, parent, payload };
  if (returnMembers.length === 0) state.round.queue.push(flowEvent(state, name, parts));
  else {
    const variables = variablesOf(state, instance);
    const extras = mapOf(
      Object.fromEntries(returnMembers.map(({ name: member }) => [member, variables[member] ?? null])),
    );
    state.round.queue.push(flowEvent(state, name, { ...parts, extras }));
  }
}

/** Queues the engine's report of an error in a flow; programs can wait for it. */
export function queueError(
  state: EngineState,
  type: string,
  error: string,
  at: { readonly flow: string; readonly uid?: string; readonly line?: number },
): void {
  const place = { flow_id: at.flow, flow_instance_uid: at.uid ?? null, source_line: at.line ?? null };
  const payload = mapOf({ type, error, ...place });
  state.round.queue.push({ ...BLANK_EVENT, name: "ColangError", uid: nextUid(state), payload });
}

const TAGS = [
  ["user_intent", "UserIntentLog"],
  ["bot_intent", "BotIntentLog"],
  ["user_action", "UserActionLog"],
  ["bot_action", "BotActionLog"],
] as const satisfies readonly (readonly [string, InternalEventName])[];

/** Variables that mark a flow as an intent, which `GenerateUserIntentAction` may name; by tag. */
const INTENT_MARKS: ReadonlyMap<string, string> = new Map([
  ["user_intent", "_user_intent"],
  ["bot_intent", "_bot_intent"],
]);

/** Queues the log events of a flow that finished, by its tags. */
export function queueLogs(state: EngineState, instance: FlowInstance, scores: readonly number[]): void {
  const definition = definitionOf(state, instance);
  const variables = variablesOf(state, instance);
  for (const [tag, name] of TAGS) {
    const isTagged = Object.hasOwn(definition.meta, tag) || Object.hasOwn(definition.metaTemplates, tag);
    if (!isTagged && variables[INTENT_MARKS.get(tag) ?? ""] === undefined) continue;
    const text = tagText(state, instance, tag);
    if (text === undefined) continue;
    const [first] = definition.parameters;
    const fields = createMap();
    fields["flow_id"] = text;
    // The value at the end of the flow: rails may have changed the text.
    fields["parameter"] = first === undefined ? null : (variables[first.name] ?? null);
    if (name === "UserActionLog" || name === "BotActionLog")
      fields["intent_flow_id"] = intentOf(state, instance) ?? null;
    const flow = { uid: instance.uid, flow: instance.flow, instance: undefined };
    state.round.queue.push(internalEvent(state, name, { fields, scores, flow }));
  }
}

/** The text of a tag, else the name of the flow; undefined without the tag. */
function tagText(state: EngineState, instance: FlowInstance, tag: string): string | undefined {
  const definition = definitionOf(state, instance);
  const template = Object.hasOwn(definition.metaTemplates, tag) ? definition.metaTemplates[tag] : undefined;
  if (template !== undefined) {
    try {
      return toPythonText(evaluateIn(state, instance, template));
    } catch {
      // A tag is for prompts only: it must not fail a flow that has done its work.
      return flowName(definition.id);
    }
  }
  if (!Object.hasOwn(definition.meta, tag)) {
    const mark = variablesOf(state, instance)[INTENT_MARKS.get(tag) ?? ""];
    return typeof mark === "string" ? mark : undefined;
  }
  const value = definition.meta[tag];
  if (value === false || value === null) return undefined;
  return typeof value === "string" ? value : flowName(definition.id);
}

const GENERATED = /^_dynamic_[0-9a-zA-Z]{8} /;

function flowName(id: string): string {
  return id.replace(GENERATED, "");
}

/** The intent of the nearest flow around it that is one. */
function intentOf(state: EngineState, instance: FlowInstance): string | undefined {
  for (const around of ancestry(state, instance)) {
    const text = tagText(state, around, "user_intent") ?? tagText(state, around, "bot_intent");
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Remembers a log event for prompts. */
export function keepLog(state: EngineState, entry: HistoryEntry): void {
  const { history } = state.data;
  history.push(entry);
  if (history.length > state.options.limits.history) history.shift();
}
