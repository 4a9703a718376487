import { createMap, type Value } from "../../../../expressions/values/value.js";
import { flowEventName, isInternalEvent, type InternalEventName } from "../../../event-names.js";
import type { ElementOf, ActionsRequest, EventRequest, FlowsRequest } from "../../../elements.js";
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
  nameEvent,
} from "../../values/evaluate-in.js";
import { NO_VALUES, tableOf } from "../../state/event.js";
import type { EngineEvent, FlowTarget, Head, OutgoingRequest, ValueRecord } from "../../state/records.js";
import { flowEvent, internalEvent } from "../../dispatch/queue.js";
import { ActionReference, EventReference, FlowReference, Specification } from "../../state/references.js";
import { similarity } from "../../dispatch/score.js";
import { actionOf, scoresOf, type EngineState } from "../../state/state.js";
import { evaluateFlowArguments, splitInternal } from "../build-pattern.js";
import { freeze } from "./value-steps.js";
import type { Move, Step, Steps } from "./move.js";

type RequestSteps = Pick<Steps, "Emit" | "StartFlow" | "StartReference" | "NewAction" | "Act" | "SendReference">;

export const REQUEST_STEPS: RequestSteps = {
  Emit(step) {
    const { request, event } = step.element;
    queueEvent(step, request.form === "event" ? namedEvent(step, request) : flowsEvent(step, request), event);
  },

  StartFlow(step) {
    const { state, instance, element } = step;
    const flow = element.flowValue === undefined ? element.flow : evaluateIn(state, instance, element.flowValue);
    if (typeof flow !== "string") throw problem("the name of a flow must be a string");
    const event = startEvent(step, flow, evaluateArguments(state, instance, element.arguments), element);
    writeVariable(state, instance, element.variable, new FlowReference(state, event.flow));
    queueEvent(step, event, element.event);
  },

  StartReference(step) {
    const { state, instance, element } = step;
    const value = evaluateIn(state, instance, element.value);
    const given = evaluateArguments(state, instance, element.arguments);
    const { kind, name, startArguments } = startable(value);
    if (kind === "action") {
      if (element.activate) throw problem("an action cannot be activated");
      if (given.positional.length > 0) throw problem("an action takes only named arguments");
      return addAction(step, name, { ...startArguments, ...given.named }, element.variable);
    }
    const named = Object.assign(createMap(), startArguments, nameFilter(state.definitions.get(name), given));
    const event = startEvent(step, name, { positional: [], named }, element);
    writeVariable(state, instance, element.variable, new FlowReference(state, event.flow));
    queueEvent(step, event, undefined);
    return undefined;
  },

  NewAction(step) {
    const { state, instance, element } = step;
    const given = evaluateNamed(state, instance, element.arguments, "an action");
    return addAction(step, element.action, given, element.variable);
  },

  Act({ state, instance, head, element }) {
    const { request } = element;
    switch (request.form) {
      case "event":
        return standOn(head, [externalRequest(state, instance, request)], element.event);
      case "action": {
        const value = readVariable(state, instance, request.variable);
        if (!(value instanceof ActionReference))
          throw problem(`\`$${request.variable}\` is not a reference to an action`);
        return standOn(head, actionRequest(state, instance, value.action, request), element.event);
      }
      case "actions":
        return standOn(head, actionsRequest({ state, instance, head }, request), element.event);
    }
  },

  SendReference(step) {
    const { state, instance, head, element } = step;
    const { request } = element;
    const value = evaluateIn(state, instance, element.value);
    if (request === undefined) {
      if (!(value instanceof EventReference)) throw problem("only an event can be sent like this");
      return sendAgain(step, value.event, element);
    }
    if (value instanceof ActionReference) {
      if (request !== "Start" && request !== "Stop" && request !== "Change") {
        throw problem(`an action has no request \`${request}\``);
      }
      return standOn(head, actionRequest(state, instance, value.action, { ...element, request }), element.event);
    }
    if (request === "Change") throw problem("only an action can be changed");
    if (!(value instanceof FlowReference) && !(value instanceof Specification && value.subject === "flow")) {
      throw problem("only flows, actions and events can be sent something");
    }
    const { name, startArguments } = startable(value);
    if (request === "Start") {
      // Another instance with the same arguments.
      const given = { positional: [], named: startArguments };
      queueEvent(step, startEvent(step, name, given, { activate: false }), element.event);
    } else {
      const fields =
        value instanceof FlowReference ? { flow_instance_uid: value.instance?.uid ?? value.uid } : { flow_id: name };
      const filter = value instanceof FlowReference ? NO_VALUES : startArguments;
      queueEvent(step, flowRequest(step, { ...element, request }, fields, filter), element.event);
    }
    return undefined;
  },
};

/** A head that executes an instruction, and its instance. */
type Sender = Pick<Step, "state" | "instance" | "head">;

function queueEvent({ state, instance }: Sender, event: EngineEvent, variable: string | undefined): void {
  state.round.queue.push(event);
  nameEvent(state, instance, variable, event);
}

/** Creates an action that is not yet started, with its reference in a variable. */
function addAction({ state, instance, head }: Sender, name: string, given: ValueRecord, variable: string): undefined {
  const action = createAction(state, name, freeze(state, given), { instance, head });
  writeVariable(state, instance, variable, new ActionReference(state, action.id));
}

/** An internal event sent by an instruction. */
function sentEvent(
  { state, instance, head }: Sender,
  name: InternalEventName,
  parts: Pick<EngineEvent, "fields" | "payload">,
): EngineEvent {
  const { fields, payload } = parts;
  return internalEvent(state, name, { fields, payload, scores: scoresOf(state, head), source: instance.uid });
}

/** An internal event by its name: `send FinishFlow(flow_id="job")`. */
function namedEvent(sender: Sender, request: EventRequest): EngineEvent {
  const { name } = request;
  if (!isInternalEvent(name)) throw problem(`\`${name}\` is not an internal event`);
  const parts = partsOf(name, evaluateNamed(sender.state, sender.instance, request.arguments, "an event"));
  return name === "StartFlow" ? startEventByName(sender, parts) : sentEvent(sender, name, parts);
}

/** The parts of an internal event with these arguments. */
function partsOf(name: InternalEventName, named: ValueRecord): Pick<EngineEvent, "fields" | "payload"> {
  const { fields, constraints } = splitInternal(name, named);
  return { fields: tableOf(Object.fromEntries(fields)), payload: tableOf(Object.fromEntries(constraints)) };
}

/** A request to all matching instances of a flow. */
function flowsEvent(sender: Sender, request: FlowsRequest): EngineEvent {
  const { state, instance } = sender;
  const given = evaluateArguments(state, instance, request.flowArguments);
  const filter = nameFilter(state.definitions.get(request.flow), given);
  return flowRequest(sender, request, { flow_id: request.flow }, filter);
}

/** A request to the flows described by the fields and the payload. */
function flowRequest(
  sender: Sender,
  { request, arguments: list, deactivate }: Pick<FlowsRequest, "request" | "arguments" | "deactivate">,
  fields: ValueRecord,
  payload: ValueRecord,
): EngineEvent {
  const name = flowEventName(request);
  if (name === undefined || !isInternalEvent(name)) throw problem(`a flow has no request \`${request}\``);
  const parts = partsOf(name, evaluateFlowArguments(sender.state, sender.instance, name, list));
  Object.assign(parts.fields, fields, deactivate ? { deactivate } : {});
  Object.assign(parts.payload, payload);
  return sentEvent(sender, name, parts);
}

interface StartHow {
  readonly activate: boolean;
  readonly shareContext?: boolean;
  readonly fields?: ValueRecord;
}

/** Creates the request to start a flow; the instance is known by its identifier before it exists. */
function startEvent(
  sender: Sender,
  flow: string,
  given: GivenArguments,
  how: StartHow,
): EngineEvent & { readonly flow: FlowTarget } {
  const { state, instance, head } = sender;
  const uid = how.fields?.["flow_instance_uid"];
  const target = uid === undefined ? expectInstance(state, flow) : namedTarget(state, flow, uid);
  if (!how.activate) {
    for (const { order, members } of instance.scopes) if (head.scopes.includes(order)) members.push(target.uid);
  }
  const definition = state.definitions.get(flow);
  const named = definition === undefined ? undefined : nameArguments(definition, given);
  const isWrong = typeof named === "string";
  const payload = named === undefined || isWrong ? nameFilter(definition, given) : named;
  const source = instance.uid;
  const place = { source, address: head.address, target };
  const origin = isWrong ? { ...place, problem: named } : place;
  const isPlain = how.fields === undefined && !how.activate && how.shareContext !== true;
  const fields = isPlain ? undefined : fieldsOfStart(how);
  const scores = scoresOf(state, head);
  return flowEvent(state, "StartFlow", { flow: target, parent: source, fields, payload, scores, origin, source });
}

function fieldsOfStart({ fields, activate, shareContext }: StartHow): ValueRecord {
  const all = tableOf(fields ?? NO_VALUES);
  if (activate) all["activate"] = true;
  if (shareContext === true) all["share_context"] = true;
  return all;
}

/** A request by name may set the identifier of the instance, unless it is in use. */
function namedTarget(state: EngineState, flow: string, uid: Value | undefined): FlowTarget {
  if (typeof uid !== "string" || uid === "") return expectInstance(state, flow);
  if (isInUse(state, uid)) throw problem("a flow with this uid is there already");
  return expectInstance(state, flow, uid);
}

function isInUse({ data, round }: EngineState, uid: string): boolean {
  return data.flows.has(uid) || round.expected.has(uid);
}

function startEventByName(sender: Sender, { fields, payload }: Pick<EngineEvent, "fields" | "payload">): EngineEvent {
  const flow = fields["flow_id"];
  if (typeof flow !== "string") throw problem("`StartFlow` needs a `flow_id`");
  const how = { activate: fields["activate"] === true, shareContext: fields["share_context"] === true, fields };
  const parameters = sender.state.definitions.get(flow)?.parameters ?? [];
  // Otherwise, a flow requesting a context that cannot be shared would wait for the start forever.
  if (how.shareContext && how.activate) throw problem("an activated flow has variables of its own");
  if (how.shareContext && parameters.length > 0) {
    throw problem(`flow \`${flow}\` has parameters, and cannot share the variables of another flow`);
  }
  if (Object.hasOwn(payload, "context") && !parameters.some(({ name }) => name === "context")) {
    throw problem("`context` of `StartFlow` can only be `$self.context`, the variables of the flow that starts it");
  }
  return startEvent(sender, flow, { positional: [], named: payload }, how);
}

function startable(value: Value): {
  readonly kind: "flow" | "action";
  readonly name: string;
  readonly startArguments: ValueRecord;
} {
  if (value instanceof Specification) return { kind: value.subject, name: value.name, startArguments: value.arguments };
  if (value instanceof FlowReference) {
    return { kind: "flow", name: value.flow, startArguments: value.instance?.bound ?? NO_VALUES };
  }
  if (value instanceof ActionReference) return { kind: "action", ...value.action };
  throw problem("only flows and actions can be started");
}

function actionsRequest({ state, instance }: Sender, request: ActionsRequest): readonly OutgoingRequest[] {
  const filter = evaluateNamed(state, instance, request.startArguments, "an action");
  const actions = new Set(instance.ownerships.map(({ action }) => actionOf(state, action)));
  return [...actions]
    .filter(({ name, startArguments }) => name === request.action && similarity(startArguments, filter, state.work) > 0)
    .flatMap((action) => actionRequest(state, instance, action, request));
}

/** INVARIANT: a head is at one or more requests, and only at events that may be sent. */
function standOn(head: Head, requests: readonly OutgoingRequest[], event: string | undefined): Move {
  if (requests.length === 0) return undefined;
  for (const request of requests) checkOutgoing(request);
  head.act = { requests, event };
  return "report";
}

/** Sends a copy of an event, with part of its payload replaced. */
function sendAgain(sender: Sender, event: EngineEvent, element: ElementOf<"SendReference">): Move {
  const { state, instance, head } = sender;
  const changed = evaluateNamed(state, instance, element.arguments, "an event");
  const payload = freeze(state, Object.assign(createMap(), event.payload, changed));
  if (!event.isInternal) {
    const request = { name: event.name, payload, action: event.action, request: undefined, uid: undefined };
    return standOn(head, [request], element.event);
  }
  const { name, fields } = event;
  if (!isInternalEvent(name)) throw problem(`\`${name}\` cannot be sent`);
  const uid = fields["flow_instance_uid"];
  if (name !== "StartFlow") queueEvent(sender, sentEvent(sender, name, { fields, payload }), element.event);
  else {
    // A rejected start is repeated under its own identifier; otherwise another instance is started.
    const isTaken = typeof uid === "string" && isInUse(state, uid);
    const free = isTaken ? Object.assign(createMap(), fields, { flow_instance_uid: null }) : fields;
    queueEvent(sender, startEventByName(sender, { fields: free, payload }), element.event);
  }
  return undefined;
}
