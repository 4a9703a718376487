import { createMap, isMap, readOwn, type Value } from "../../../../expressions/values/value.js";
import { flowEventName } from "../../../action-events.js";
import type { ElementOf } from "../../../elements.js";
import { isInternalEvent, isInternalField, type InternalEventName } from "../../../internal-events.js";
import type { ElementArgument, EventRequest, FlowRequestName, FlowsRequest } from "../../../requests.js";
import { createAction } from "../../actions/actions.js";
import { resolveAction } from "../../state/action-object.js";
import { checkOutgoing } from "../../actions/check-outgoing.js";
import { nameArguments, nameFilter } from "../../flows/bind-arguments.js";
import {
  evaluateArguments,
  evaluateIn,
  evaluateNamed,
  problem,
  readVariable,
  writeVariable,
  type GivenArguments,
} from "../../values/evaluate-in.js";
import { NO_VALUES, type EngineEvent, type StartOrigin, type ValueRecord } from "../../state/event.js";
import { expectInstance } from "../../flows/instances.js";
import type { OutgoingRequest } from "../../state/pending-act.js";
import { internalEvent } from "../../dispatch/queue.js";
import { ActionReference, EventReference, FlowReference, Specification } from "../../state/references.js";
import { similarity } from "../../dispatch/similarity.js";
import { scoresOf, type EngineState, type Head } from "../../state/state.js";
import { actionRequest, externalRequest } from "./outgoing-requests.js";
import { freeze } from "./value-steps.js";
import type { Move, Step } from "./move.js";

export function emitInternal({ state, head, element }: Step<ElementOf<"Emit">>): Move {
  const { request } = element;
  const event =
    request.form === "event" ? namedEvent(state, head, request) : flowsEvent(state, head, request, request.deactivate);
  queueEvent(state, head, event, element.event);
  return "next";
}

function queueEvent(state: EngineState, head: Head, event: EngineEvent, variable: string | undefined): void {
  state.queue.push(event);
  if (variable !== undefined) writeVariable(state, head.instance, variable, new EventReference(event));
}

/** An internal event by its name: `send FinishFlow(flow_id="job")`. */
function namedEvent(state: EngineState, head: Head, request: EventRequest): EngineEvent {
  const { name } = request;
  if (!isInternalEvent(name)) throw problem(`\`${name}\` is no internal event`);
  const { fields, payload } = splitInternal(name, evaluateNamed(state, head.instance, request.arguments, "an event"));
  if (name === "StartFlow") return startEventByName(state, head, fields, payload);
  return internalEvent(state, name, { fields, payload, scores: scoresOf(state, head), source: head.instance });
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

/** A request to all instances of a flow that fit (spec 5.3.3). */
function flowsEvent(state: EngineState, head: Head, request: FlowsRequest, deactivate: boolean): EngineEvent {
  const { instance } = head;
  const given = evaluateArguments(state, instance, request.flowArguments);
  const name = requestName(request.request);
  const { fields, payload } = splitInternal(name, requestArguments(state, head, name, request.arguments));
  fields["flow_id"] = request.flow;
  if (deactivate) fields["deactivate"] = true;
  Object.assign(payload, nameFilter(state.definitions.get(request.flow), given));
  return internalEvent(state, name, { fields, payload, scores: scoresOf(state, head), source: instance });
}

function requestName(request: FlowRequestName): InternalEventName {
  const name = flowEventName(request);
  if (name === undefined || !isInternalEvent(name)) throw problem(`a flow has no request \`${request}\``);
  return name;
}

/** `Finish(value)` gives the return value. */
function requestArguments(
  state: EngineState,
  head: Head,
  name: InternalEventName,
  list: readonly ElementArgument[],
): Record<string, Value> {
  const { positional, named } = evaluateArguments(state, head.instance, list);
  const all = Object.assign(createMap(), named);
  const [first, ...others] = positional;
  if (first !== undefined && (name !== "FinishFlow" || others.length > 0)) {
    throw problem(`\`${name}\` takes only named arguments`);
  }
  if (first !== undefined) all["return_value"] = first;
  return all;
}

/** Makes the request to start a flow; the instance is known by its reference before it exists (spec 4.2). */
function startEvent(
  state: EngineState,
  head: Head,
  parts: {
    readonly flow: string;
    readonly given: GivenArguments;
    readonly activate: boolean;
    readonly shareContext: boolean;
    readonly fields?: Readonly<Record<string, Value>>;
  },
): { readonly event: EngineEvent; readonly reference: FlowReference } {
  const { instance } = head;
  const reference = namedReference(state, parts.flow, parts.fields?.["flow_instance_uid"]);
  if (!parts.activate) for (const scope of head.scopes) scope.members.add(reference);
  const fields = Object.assign(createMap(), parts.fields);
  fields["flow_id"] = parts.flow;
  fields["flow_instance_uid"] = reference.uid;
  fields["source_flow_instance_uid"] = instance.uid;
  if (parts.activate) fields["activate"] = true;
  if (parts.shareContext) fields["share_context"] = true;
  const flow = state.definitions.get(parts.flow);
  const binding = flow === undefined ? undefined : nameArguments(flow, parts.given);
  const origin: StartOrigin = {
    source: instance,
    address: head.address,
    reference,
    ...(binding?.ok === false ? { problem: binding.message } : {}),
  };
  const payload = binding?.ok === true ? binding.named : nameFilter(flow, parts.given);
  const scores = scoresOf(state, head);
  const event = internalEvent(state, "StartFlow", {
    fields,
    payload,
    scores,
    origin,
    source: instance,
    flow: reference,
  });
  return { event, reference };
}

/** A request by name may say what the instance is to be called, as long as nobody has that name (spec 10.1). */
function namedReference(state: EngineState, flow: string, uid: Value | undefined): FlowReference {
  if (typeof uid !== "string" || uid === "") return expectInstance(state, flow);
  if (state.instances.has(uid) || state.expected.has(uid)) throw problem("a flow with this uid is there already");
  const reference = new FlowReference(uid, flow);
  state.expected.set(uid, reference);
  return reference;
}

function startEventByName(
  state: EngineState,
  head: Head,
  fields: Readonly<Record<string, Value>>,
  payload: Readonly<Record<string, Value>>,
): EngineEvent {
  const flow = fields["flow_id"];
  if (typeof flow !== "string") throw problem("`StartFlow` needs a `flow_id`");
  const given = { positional: [], named: payload };
  const activate = fields["activate"] === true;
  const shareContext = fields["share_context"] === true;
  checkSharing(state, flow, { shareContext, activate, payload });
  return startEvent(state, head, { flow, given, activate, shareContext, fields }).event;
}

/** Fails the flow that asks for a shared context that cannot be, which would wait for the start in vain. */
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

export function startFlow({ state, head, element }: Step<ElementOf<"StartFlow">>): Move {
  const flow = element.flowValue === undefined ? element.flow : evaluateIn(state, head.instance, element.flowValue);
  if (typeof flow !== "string") throw problem("the name of a flow must be a string");
  const given = evaluateArguments(state, head.instance, element.arguments);
  const { activate, shareContext } = element;
  const { event, reference } = startEvent(state, head, { flow, given, activate, shareContext });
  writeVariable(state, head.instance, element.variable, reference);
  queueEvent(state, head, event, element.event);
  return "next";
}

export function startReference({ state, head, element }: Step<ElementOf<"StartReference">>): Move {
  const { instance } = head;
  const value = evaluateIn(state, instance, element.value);
  const given = evaluateArguments(state, instance, element.arguments);
  const subject = startable(value);
  if (subject.kind === "action") {
    if (element.activate) throw problem("an action cannot be activated");
    if (given.positional.length > 0) throw problem("an action takes only named arguments");
    const start = freeze(state, Object.assign(createMap(), subject.arguments, given.named));
    const action = createAction(state, subject.name, start, { instance, scopes: head.scopes });
    writeVariable(state, instance, element.variable, new ActionReference(action));
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
  const { event, reference } = startEvent(state, head, parts);
  writeVariable(state, instance, element.variable, reference);
  state.queue.push(event);
  return "next";
}

function startable(value: Value): {
  kind: "flow" | "action";
  name: string;
  arguments: Readonly<Record<string, Value>>;
} {
  if (value instanceof Specification) return { kind: value.subject, name: value.name, arguments: value.arguments };
  if (value instanceof FlowReference) {
    return { kind: "flow", name: value.flowId, arguments: value.instance?.bound ?? NO_VALUES };
  }
  if (value instanceof ActionReference) {
    return { kind: "action", name: value.action.name, arguments: value.action.startArguments };
  }
  throw problem("only flows and actions can be started");
}

export function newAction({ state, head, element }: Step<ElementOf<"NewAction">>): Move {
  const start = freeze(state, evaluateNamed(state, head.instance, element.arguments, "an action"));
  const action = createAction(state, element.action, start, { instance: head.instance, scopes: head.scopes });
  writeVariable(state, head.instance, element.variable, new ActionReference(action));
  return "next";
}

export function act({ state, head, element }: Step<ElementOf<"Act">>): Move {
  const { request } = element;
  switch (request.form) {
    case "event":
      return standOn(head, [externalRequest(state, head, request)], element.event);
    case "action": {
      const value = readVariable(state, head.instance, request.variable);
      if (!(value instanceof ActionReference)) throw problem(`\`$${request.variable}\` is no action reference`);
      return standOn(head, actionRequest(state, head, value.action, request), element.event);
    }
    case "actions": {
      const filter = evaluateNamed(state, head.instance, request.startArguments, "an action");
      const actions = new Set([...head.instance.ownerships.values()].map(resolveAction));
      const chosen = [...actions].filter(
        (action) => action.name === request.action && similarity(action.startArguments, filter, state.work) > 0,
      );
      return standOn(
        head,
        chosen.flatMap((action) => actionRequest(state, head, action, request)),
        element.event,
      );
    }
  }
}

/** INVARIANT: without a request there is nothing to stand on, and what may not leave is never stood on. */
function standOn(head: Head, requests: readonly OutgoingRequest[], event: string | undefined): Move {
  if (requests.length === 0) return "next";
  for (const request of requests) checkOutgoing(request);
  head.act = { requests, event };
  return "report";
}

export function sendReference({ state, head, element }: Step<ElementOf<"SendReference">>): Move {
  const { request } = element;
  const value = evaluateIn(state, head.instance, element.value);
  if (request === undefined) {
    if (!(value instanceof EventReference)) throw problem("only an event can be sent like this");
    return sendAgain(state, head, value.event, element);
  }
  if (value instanceof ActionReference) {
    if (request !== "Start" && request !== "Stop" && request !== "Change") {
      throw problem(`an action has no request \`${request}\``);
    }
    return standOn(head, actionRequest(state, head, value.action, { ...element, request }), element.event);
  }
  if (request === "Change") throw problem("only an action can be changed");
  if (value instanceof FlowReference)
    queueEvent(state, head, referenceEvent(state, head, value, element), element.event);
  else if (value instanceof Specification && value.subject === "flow") {
    queueEvent(state, head, specificationEvent(state, head, value, element), element.event);
  } else throw problem("only flows, actions and events can be sent something");
  return "next";
}

/** A request to one instance; `Start` makes another one with the same arguments (spec 5.3.5). */
function referenceEvent(
  state: EngineState,
  head: Head,
  reference: FlowReference,
  element: ElementOf<"SendReference">,
): EngineEvent {
  if (element.request === "Start") {
    const named = Object.assign(createMap(), reference.instance?.bound);
    const given = { positional: [], named };
    return startEvent(state, head, { flow: reference.flowId, given, activate: false, shareContext: false }).event;
  }
  const name = requestName(element.request as FlowRequestName);
  const { fields, payload } = splitInternal(name, requestArguments(state, head, name, element.arguments));
  fields["flow_instance_uid"] = reference.instance?.uid ?? reference.uid;
  if (element.deactivate) fields["deactivate"] = true;
  return internalEvent(state, name, { fields, payload, scores: scoresOf(state, head), source: head.instance });
}

function specificationEvent(
  state: EngineState,
  head: Head,
  specification: Specification,
  element: ElementOf<"SendReference">,
): EngineEvent {
  if (element.request === "Start") {
    const given = { positional: [], named: specification.arguments };
    return startEvent(state, head, { flow: specification.name, given, activate: false, shareContext: false }).event;
  }
  const name = requestName(element.request as FlowRequestName);
  const { fields, payload } = splitInternal(name, requestArguments(state, head, name, element.arguments));
  fields["flow_id"] = specification.name;
  if (element.deactivate) fields["deactivate"] = true;
  Object.assign(payload, specification.arguments);
  return internalEvent(state, name, { fields, payload, scores: scoresOf(state, head), source: head.instance });
}

/** The same event once more, as a new one, with some of its payload replaced. */
function sendAgain(state: EngineState, head: Head, event: EngineEvent, element: ElementOf<"SendReference">): Move {
  const changed = evaluateNamed(state, head.instance, element.arguments, "an event");
  const payload = freeze(state, Object.assign(createMap(), event.payload, changed));
  if (!event.isInternal) {
    return standOn(head, [{ name: event.name, payload, action: event.action, request: undefined }], element.event);
  }
  if (!isInternalEvent(event.name)) throw problem(`\`${event.name}\` cannot be sent`);
  const { fields } = event;
  const again =
    event.name === "StartFlow"
      ? startEventByName(state, head, withFreeUid(state, fields), payload)
      : internalEvent(state, event.name, { fields, payload, scores: scoresOf(state, head), source: head.instance });
  queueEvent(state, head, again, element.event);
  return "next";
}

/** A start that was in vain is made up for under its own name; one that was not starts another instance. */
function withFreeUid(state: EngineState, fields: EngineEvent["fields"]): EngineEvent["fields"] {
  const uid = fields["flow_instance_uid"];
  if (typeof uid !== "string" || (!state.instances.has(uid) && !state.expected.has(uid))) return fields;
  return Object.assign(createMap(), fields, { flow_instance_uid: null });
}
