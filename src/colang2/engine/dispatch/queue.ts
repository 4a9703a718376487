import type { CompiledFlow } from "../../program.js";
import type { InternalEventName } from "../../event-names.js";
import { NO_SCORES, NO_VALUES, createTable, outerEvent, tableOf } from "../state/event.js";
import type {
  EngineEvent,
  FlowInstance,
  ValueRecord,
  HistoryEntry,
  FlowTarget,
  StartOrigin,
} from "../state/records.js";
import { definitionOf, nextUid, parentOf, variablesOf, type EngineState } from "../state/state.js";
import { toPythonText } from "../../../expressions/values/format.js";
import { evaluateIn } from "../values/evaluate-in.js";

/** The parts of an internal event that it need not have. */
interface InternalParts {
  readonly fields?: ValueRecord | undefined;
  readonly payload?: ValueRecord | undefined;
  readonly extras?: ValueRecord | undefined;
  readonly scores?: readonly number[] | undefined;
  readonly origin?: StartOrigin | undefined;
  readonly source?: string | undefined;
  readonly flow?: FlowTarget | undefined;
}

/** Builds an event of the engine, with empty values for all parts that are left out. */
export function internalEvent(state: EngineState, name: InternalEventName, parts: InternalParts): EngineEvent {
  return {
    name,
    uid: nextUid(state),
    isInternal: true,
    fields: parts.fields ?? NO_VALUES,
    payload: parts.payload ?? NO_VALUES,
    meta: NO_VALUES,
    extras: parts.extras ?? NO_VALUES,
    scores: parts.scores ?? NO_SCORES,
    origin: parts.origin,
    source: parts.source,
    flow: parts.flow,
    action: undefined,
  };
}

/** An event about a flow instance, or about one that is going to be made, which `parent` starts. */
export function flowEvent(
  state: EngineState,
  name: InternalEventName,
  parts: InternalParts & { readonly flow: FlowTarget; readonly parent: string | undefined },
): EngineEvent & { readonly flow: FlowTarget } {
  const { flow: target, parent, payload = NO_VALUES, extras = NO_VALUES, scores = NO_SCORES, origin, source } = parts;
  const fields = createTable();
  if (parts.fields !== undefined) Object.assign(fields, parts.fields);
  fields["flow_id"] = target.flow;
  fields["flow_instance_uid"] = target.uid;
  fields["source_flow_instance_uid"] = parent ?? null;
  const { data } = state;
  const uid = `${data.prefix}-${(data.ids += 1).toString(36)}`;
  const meta = NO_VALUES;
  const action = undefined;
  return { name, uid, isInternal: true, fields, payload, meta, extras, scores, origin, source, flow: target, action };
}

type FlowEventName = "FlowStarted" | "FlowFinished" | "FlowFailed" | "FlowPaused" | "FlowResumed";

/** Queues an event about a flow instance. */
export function queueFlowEvent(
  state: EngineState,
  name: FlowEventName,
  instance: FlowInstance,
  more: { readonly fields?: ValueRecord; readonly scores?: readonly number[] } = {},
): void {
  const { uid, flow, parent, bound: payload } = instance;
  const returnMembers = state.definitions.get(flow)?.returnMembers ?? [];
  const { fields, scores } = more;
  const target = { uid, flow, instance: undefined };
  let extras = NO_VALUES;
  if (returnMembers.length > 0) {
    const variables = variablesOf(state, instance);
    const values = createTable();
    for (const { name: member } of returnMembers) values[member] = variables[member] ?? null;
    extras = values;
  }
  state.round.queue.push(flowEvent(state, name, { fields, scores, flow: target, parent, payload, extras }));
}

/** Queues the engine's report of an error in a flow; programs can wait for it. */
export function queueError(
  state: EngineState,
  type: string,
  error: string,
  at: { readonly flow: string; readonly uid?: string; readonly line?: number },
): void {
  const place = { flow_id: at.flow, flow_instance_uid: at.uid ?? null, source_line: at.line ?? null };
  state.round.queue.push(outerEvent("ColangError", nextUid(state), tableOf({ type, error, ...place })));
}

const TAGS = [
  ["user_intent", "UserIntentLog"],
  ["bot_intent", "BotIntentLog"],
  ["user_action", "UserActionLog"],
  ["bot_action", "BotActionLog"],
] as const satisfies readonly (readonly [string, InternalEventName])[];

type Tag = (typeof TAGS)[number][0];

/** Variables that mark a flow as an intent, which `GenerateUserIntentAction` may name. */
const MARKS: Readonly<Record<Tag, string | undefined>> = {
  user_intent: "_user_intent",
  bot_intent: "_bot_intent",
  user_action: undefined,
  bot_action: undefined,
};

/** Queues the log events of a flow that finished, by its tags. */
export function queueLogs(
  state: EngineState,
  instance: FlowInstance,
  variables: ValueRecord,
  scores: readonly number[],
): void {
  const definition = definitionOf(state, instance);
  const { meta, metaTemplates } = definition;
  for (const [tag, name] of TAGS) {
    const isTagged = Object.hasOwn(meta, tag) || Object.hasOwn(metaTemplates, tag);
    const mark = MARKS[tag];
    if (!isTagged && (mark === undefined || variables[mark] === undefined)) continue;
    const text = tagText(state, { instance, definition, variables }, tag);
    if (text === undefined) continue;
    const [first] = definition.parameters;
    const fields = createTable();
    fields["flow_id"] = text;
    // The value at the end of the flow: rails may have changed the text.
    fields["parameter"] = first === undefined ? null : (variables[first.name] ?? null);
    if (name === "UserActionLog" || name === "BotActionLog")
      fields["intent_flow_id"] = intentOf(state, instance) ?? null;
    const flow = { uid: instance.uid, flow: instance.flow, instance: undefined };
    state.round.queue.push(internalEvent(state, name, { fields, scores, flow }));
  }
}

/** An instance that may have tags. */
interface Tagged {
  readonly instance: FlowInstance;
  readonly definition: CompiledFlow;
  readonly variables: ValueRecord;
}

/** The text of a tag, else the name of the flow; undefined without the tag. */
function tagText(state: EngineState, { instance, definition, variables }: Tagged, tag: Tag): string | undefined {
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
    const mark = variables[MARKS[tag] ?? ""];
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
  for (let at: FlowInstance | undefined = instance; at !== undefined; at = parentOf(state, at)) {
    const variables = at.sharesVariables ? variablesOf(state, at) : at.variables;
    const tagged = { instance: at, definition: definitionOf(state, at), variables };
    const text = tagText(state, tagged, "user_intent") ?? tagText(state, tagged, "bot_intent");
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
