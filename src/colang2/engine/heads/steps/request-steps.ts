import { createMap, isMap, readOwn, type Value } from "../../../../expressions/values/value.js";
import { flowEventName, isInternalEvent, isInternalField, type InternalEventName } from "../../../event-names.js";
import type { ElementOf } from "../../../elements.js";
import type { ElementArgument, EventRequest, FlowRequestName, FlowsRequest } from "../../../requests.js";
import { createAction, checkOutgoing, actionRequest, externalRequest } from "../../actions/actions.js";
import { nameArguments, nameFilter, expectInstance } from "../../flows/start-flow.js";
import {
  evaluateArguments,
  evaluateIn,
  evaluateNamed,
  problem,
  readVariable,
  writeVariable,
  type GivenArguments,
} from "../../values/evaluate-in.js";
import { NO_VALUES } from "../../state/event.js";
import type {
  ActionRecord,
  EngineEvent,
  FlowTarget,
  Head,
  OutgoingRequest,
  StartOrigin,
  ValueRecord,
} from "../../state/records.js";
import { internalEvent } from "../../dispatch/queue.js";
import { ActionReference, EventReference, FlowReference, Specification } from "../../state/references.js";
import { similarity } from "../../dispatch/score.js";
import { actionOf, scoresOf, type EngineState } from "../../state/state.js";
import { freeze } from "./value-steps.js";
import type { Move, Step } from "./move.js";

/** A head that executes an instruction, and its instance. */
type Sender = Pick<Step, "state" | "instance" | "head">;

export function emitInternal({ element, ...sender }: Step<ElementOf<"Emit">>): Move {
  const { request } = element;
  const event =
    request.form === "event" ? namedEvent(sender, request) : flowsEvent(sender, request, request.deactivate);
  queueEvent(sender, event, element.event);
  return "next";
}

function queueEvent({ state, instance }: Sender, event: EngineEvent, variable: string | undefined): void {
  state.round.queue.push(event);
  if (variable !== undefined) writeVariable(state, instance, variable, new EventReference(state, event));
}

/** An internal event sent by an instruction. */
function sentEvent(
  { state, instance, head }: Sender,
  name: InternalEventName,
  parts: { readonly fields: ValueRecord; readonly payload: ValueRecord },
): EngineEvent {
  return internalEvent(state, name, { ...parts, scores: scoresOf(state, head), source: instance.uid });
}

/** An internal event by its name: `send FinishFlow(flow_id="job")`. */
function namedEvent(sender: Sender, request: EventRequest): EngineEvent {
  const { state, instance } = sender;
  const { name } = request;
  if (!isInternalEvent(name)) throw problem(`\`${name}\` is no internal event`);
  const { fields, payload } = splitInternal(name, evaluateNamed(state, instance, request.arguments, "an event"));
  if (name === "StartFlow") return startEventByName(sender, fields, payload);
  return sentEvent(sender, name, { fields, payload });
}

function splitInternal(
  name: InternalEventName,
  named: Readonly<Record<string, Value>>,
): { readonly fields: Record<string, Value>; readonly payload: Record<string, Value> } {
  const fields = createMap();
  const payload = createMap();
  for (const key of Object.keys(named)) {
    const value = named[key] ?? null;
    if (isInternalField(name, key)) fields[key] = value;
    else if (key === "arguments" && isMap(value)) {
      for (const inner of Object.keys(value)) payload[inner] = readOwn(value, inner) ?? null;
    } else payload[key] = value;
  }
  return { fields, payload };
}

/** A request to all instances of a flow that fit. */
function flowsEvent(sender: Sender, request: FlowsRequest, deactivate: boolean): EngineEvent {
  const { state, instance } = sender;
  const given = evaluateArguments(state, instance, request.flowArguments);
  const name = requestName(request.request);
  const { fields, payload } = splitInternal(name, requestArguments(sender, name, request.arguments));
  fields["flow_id"] = request.flow;
  if (deactivate) fields["deactivate"] = true;
  Object.assign(payload, nameFilter(state.definitions.get(request.flow), given));
  return sentEvent(sender, name, { fields, payload });
}

function requestName(request: FlowRequestName): InternalEventName {
  const name = flowEventName(request);
  if (name === undefined || !isInternalEvent(name)) throw problem(`a flow has no request \`${request}\``);
  return name;
}

/** `Finish(value)` gives the return value. */
function requestArguments(
  { state, instance }: Sender,
  name: InternalEventName,
  list: readonly ElementArgument[],
): Record<string, Value> {
  const { positional, named } = evaluateArguments(state, instance, list);
  const all = Object.assign(createMap(), named);
  const [first, ...others] = positional;
  if (first !== undefined && (name !== "FinishFlow" || others.length > 0)) {
    throw problem(`\`${name}\` takes only named arguments`);
  }
  if (first !== undefined) all["return_value"] = first;
  return all;
}

/** Makes the request to start a flow; the instance is known by its identifier before it exists. */
function startEvent(
  { state, instance, head }: Sender,
  parts: {
    readonly flow: string;
    readonly given: GivenArguments;
    readonly activate: boolean;
    readonly shareContext: boolean;
    readonly fields?: Readonly<Record<string, Value>>;
  },
): EngineEvent & { readonly flow: FlowTarget } {
  const target = namedTarget(state, parts.flow, parts.fields?.["flow_instance_uid"]);
  if (!parts.activate) {
    for (const { order, members } of instance.scopes) if (head.scopes.includes(order)) members.push(target.uid);
  }
  const fields = Object.assign(createMap(), parts.fields);
  fields["flow_id"] = parts.flow;
  fields["flow_instance_uid"] = target.uid;
  fields["source_flow_instance_uid"] = instance.uid;
  if (parts.activate) fields["activate"] = true;
  if (parts.shareContext) fields["share_context"] = true;
  const flow = state.definitions.get(parts.flow);
  const binding = flow === undefined ? undefined : nameArguments(flow, parts.given);
  const origin: StartOrigin = {
    source: instance.uid,
    address: head.address,
    target,
    ...(binding?.ok === false ? { problem: binding.message } : {}),
  };
  const payload = binding?.ok === true ? binding.named : nameFilter(flow, parts.given);
  const scores = scoresOf(state, head);
  const event = internalEvent(state, "StartFlow", {
    fields,
    payload,
    scores,
    origin,
    source: instance.uid,
    flow: target,
  });
  return { ...event, flow: target };
}

/** A request by name may give the identifier of the instance, unless it is in use. */
function namedTarget(state: EngineState, flow: string, uid: Value | undefined): FlowTarget {
  if (typeof uid !== "string" || uid === "") return expectInstance(state, flow);
  if (isInUse(state, uid)) throw problem("a flow with this uid is there already");
  return expectInstance(state, flow, uid);
}

function isInUse({ data, round }: EngineState, uid: string): boolean {
  return data.flows.has(uid) || round.expected.has(uid);
}

function startEventByName(
  sender: Sender,
  fields: Readonly<Record<string, Value>>,
  payload: Readonly<Record<string, Value>>,
): EngineEvent {
  const flow = fields["flow_id"];
  if (typeof flow !== "string") throw problem("`StartFlow` needs a `flow_id`");
  const given = { positional: [], named: payload };
  const activate = fields["activate"] === true;
  const shareContext = fields["share_context"] === true;
  checkSharing(sender.state, flow, { shareContext, activate, payload });
  return startEvent(sender, { flow, given, activate, shareContext, fields });
}

/** Fails a flow that asks for a context that cannot be shared; otherwise it would wait for the start forever. */
function checkSharing(
  state: EngineState,
  flow: string,
  how: { readonly shareContext: boolean; readonly activate: boolean; readonly payload: ValueRecord },
): void {
  const parameters = state.definitions.get(flow)?.parameters ?? [];
  if (how.shareContext && how.activate) throw problem("an activated flow has variables of its own");
  if (how.shareContext && parameters.length > 0) {
    throw problem(`flow \`${flow}\` has parameters, and cannot share the variables of another flow`);
  }
  if (Object.hasOwn(how.payload, "context") && !parameters.some(({ name }) => name === "context")) {
    throw problem("`context` of `StartFlow` can only be `$self.context`, the variables of the flow that starts it");
  }
}

export function startFlow({ element, ...sender }: Step<ElementOf<"StartFlow">>): Move {
  const { state, instance } = sender;
  const flow = element.flowValue === undefined ? element.flow : evaluateIn(state, instance, element.flowValue);
  if (typeof flow !== "string") throw problem("the name of a flow must be a string");
  const given = evaluateArguments(state, instance, element.arguments);
  const { activate, shareContext } = element;
  const event = startEvent(sender, { flow, given, activate, shareContext });
  writeVariable(state, instance, element.variable, new FlowReference(state, event.flow));
  queueEvent(sender, event, element.event);
  return "next";
}

export function startReference({ element, ...sender }: Step<ElementOf<"StartReference">>): Move {
  const { state, instance, head } = sender;
  const value = evaluateIn(state, instance, element.value);
  const given = evaluateArguments(state, instance, element.arguments);
  const subject = startable(value);
  if (subject.kind === "action") {
    if (element.activate) throw problem("an action cannot be activated");
    if (given.positional.length > 0) throw problem("an action takes only named arguments");
    const start = freeze(state, Object.assign(createMap(), subject.arguments, given.named));
    const action = createAction(state, subject.name, start, { instance, head });
    writeVariable(state, instance, element.variable, new ActionReference(state, action.id));
    return "next";
  }
  const flow = state.definitions.get(subject.name);
  const named = Object.assign(createMap(), subject.arguments, nameFilter(flow, given));
  const parts = {
    flow: subject.name,
    given: { positional: [], named },
    activate: element.activate,
    shareContext: false,
  };
  const event = startEvent(sender, parts);
  writeVariable(state, instance, element.variable, new FlowReference(state, event.flow));
  queueEvent(sender, event, undefined);
  return "next";
}

function startable(value: Value): {
  kind: "flow" | "action";
  name: string;
  arguments: Readonly<Record<string, Value>>;
} {
  if (value instanceof Specification) return { kind: value.subject, name: value.name, arguments: value.arguments };
  if (value instanceof FlowReference) {
    return { kind: "flow", name: value.flow, arguments: value.instance?.bound ?? NO_VALUES };
  }
  if (value instanceof ActionReference) {
    return { kind: "action", name: value.action.name, arguments: value.action.startArguments };
  }
  throw problem("only flows and actions can be started");
}

export function newAction({ state, instance, head, element }: Step<ElementOf<"NewAction">>): Move {
  const start = freeze(state, evaluateNamed(state, instance, element.arguments, "an action"));
  const action = createAction(state, element.action, start, { instance, head });
  writeVariable(state, instance, element.variable, new ActionReference(state, action.id));
  return "next";
}

export function act({ state, instance, head, element }: Step<ElementOf<"Act">>): Move {
  const { request } = element;
  switch (request.form) {
    case "event":
      return standOn(head, [externalRequest(state, instance, request)], element.event);
    case "action": {
      const value = readVariable(state, instance, request.variable);
      if (!(value instanceof ActionReference)) throw problem(`\`$${request.variable}\` is no action reference`);
      return standOn(head, actionRequest(state, instance, value.action, request), element.event);
    }
    case "actions": {
      const filter = evaluateNamed(state, instance, request.startArguments, "an action");
      const actions = new Set<ActionRecord>(instance.ownerships.map(({ action }) => actionOf(state, action)));
      const chosen = [...actions].filter(
        (action) => action.name === request.action && similarity(action.startArguments, filter, state.work) > 0,
      );
      const requests = chosen.flatMap((action) => actionRequest(state, instance, action, request));
      return standOn(head, requests, element.event);
    }
  }
}

/** INVARIANT: a head stands on at least one request, and only on events that may leave. */
function standOn(head: Head, requests: readonly OutgoingRequest[], event: string | undefined): Move {
  if (requests.length === 0) return "next";
  for (const request of requests) checkOutgoing(request);
  head.act = { requests, event };
  return "report";
}

export function sendReference({ element, ...sender }: Step<ElementOf<"SendReference">>): Move {
  const { state, instance, head } = sender;
  const { request } = element;
  const value = evaluateIn(state, instance, element.value);
  if (request === undefined) {
    if (!(value instanceof EventReference)) throw problem("only an event can be sent like this");
    return sendAgain(sender, value.event, element);
  }
  if (value instanceof ActionReference) {
    if (request !== "Start" && request !== "Stop" && request !== "Change") {
      throw problem(`an action has no request \`${request}\``);
    }
    return standOn(head, actionRequest(state, instance, value.action, { ...element, request }), element.event);
  }
  if (request === "Change") throw problem("only an action can be changed");
  if (value instanceof FlowReference) {
    const uid = value.instance?.uid ?? value.uid;
    const asked = { name: value.flow, arguments: value.instance?.bound ?? NO_VALUES, uid };
    queueEvent(sender, flowRequest(sender, asked, element), element.event);
  } else if (value instanceof Specification && value.subject === "flow") {
    queueEvent(sender, flowRequest(sender, value, element), element.event);
  } else throw problem("only flows, actions and events can be sent something");
  return "next";
}

/** A request to one instance, or to all that a specification describes; `Start` makes another one with the same arguments. */
function flowRequest(
  sender: Sender,
  asked: { readonly name: string; readonly arguments: ValueRecord; readonly uid?: string },
  element: ElementOf<"SendReference">,
): EngineEvent {
  if (element.request === "Start") {
    const given = { positional: [], named: Object.assign(createMap(), asked.arguments) };
    return startEvent(sender, { flow: asked.name, given, activate: false, shareContext: false });
  }
  const name = requestName(element.request as FlowRequestName);
  const { fields, payload } = splitInternal(name, requestArguments(sender, name, element.arguments));
  if (element.deactivate) fields["deactivate"] = true;
  if (asked.uid === undefined) {
    fields["flow_id"] = asked.name;
    Object.assign(payload, asked.arguments);
  } else fields["flow_instance_uid"] = asked.uid;
  return sentEvent(sender, name, { fields, payload });
}

/** The same event once more, as a new one, with some of its payload replaced. */
function sendAgain(sender: Sender, event: EngineEvent, element: ElementOf<"SendReference">): Move {
  const { state, instance, head } = sender;
  const changed = evaluateNamed(state, instance, element.arguments, "an event");
  const payload = freeze(state, Object.assign(createMap(), event.payload, changed));
  if (!event.isInternal) {
    const request = { name: event.name, payload, action: event.action, request: undefined, uid: undefined };
    return standOn(head, [request], element.event);
  }
  if (!isInternalEvent(event.name)) throw problem(`\`${event.name}\` cannot be sent`);
  const { fields } = event;
  const again =
    event.name === "StartFlow"
      ? startEventByName(sender, withFreeUid(state, fields), payload)
      : sentEvent(sender, event.name, { fields, payload });
  queueEvent(sender, again, element.event);
  return "next";
}

/** A start that was refused is repeated under its own identifier; one that was not starts another instance. */
function withFreeUid(state: EngineState, fields: EngineEvent["fields"]): EngineEvent["fields"] {
  const uid = fields["flow_instance_uid"];
  if (typeof uid !== "string" || !isInUse(state, uid)) return fields;
  return Object.assign(createMap(), fields, { flow_instance_uid: null });
}
