import { ObjectValue, type ItemCounter, createMap, readOwn, type Value } from "../../../expressions/values/value.js";
import { readEventField } from "./event.js";
import type { ActionRecord, EngineEvent, FlowInstance, FlowTarget, ValueRecord } from "./records.js";
import { actionOf, isLive, targetOf, variablesOf, type EngineState } from "./state.js";

/** Refers to a flow instance, also before it exists and after it has ended. */
export class FlowReference extends ObjectValue {
  readonly target: FlowTarget;
  readonly #state: EngineState;

  constructor(state: EngineState, target: FlowTarget) {
    super();
    this.#state = state;
    this.target = target;
  }

  get typeName(): string {
    return "FlowState";
  }

  get uid(): string {
    return this.target.uid;
  }

  get flow(): string {
    return this.target.flow;
  }

  /** Undefined until the instance exists. */
  get instance(): FlowInstance | undefined {
    return targetOf(this.#state, this.target);
  }

  member(name: string, counter?: ItemCounter): Value | undefined {
    const { instance } = this;
    const read = FLOW_MEMBERS.get(name);
    if (read !== undefined) return read({ state: this.#state, target: this.target, instance, counter });
    return instance === undefined ? null : variablesOf(this.#state, instance)[name];
  }

  equals(other: Value): boolean {
    return other instanceof FlowReference && other.uid === this.uid;
  }

  toText(): string {
    return `<flow ${this.flow} ${this.uid}>`;
  }
}

/** The reference that an instance has to itself. */
export function referenceTo(state: EngineState, { uid, flow }: FlowInstance): FlowReference {
  return new FlowReference(state, { uid, flow, instance: undefined });
}

interface FlowView {
  readonly state: EngineState;
  readonly target: FlowTarget;
  readonly instance: FlowInstance | undefined;
  readonly counter: ItemCounter | undefined;
}

const FLOW_MEMBERS: ReadonlyMap<string, (view: FlowView) => Value> = new Map<string, (view: FlowView) => Value>([
  ["uid", ({ target }) => target.uid],
  ["flow_id", ({ target }) => target.flow],
  ["loop_id", ({ instance }) => instance?.loop ?? null],
  ["status", ({ instance }) => instance?.status ?? "waiting"],
  ["fail_reason", ({ instance }) => instance?.failReason ?? null],
  ["parent_uid", ({ instance }) => instance?.parent ?? null],
  [
    "child_flow_uids",
    ({ state, instance, counter }) => (instance === undefined ? [] : childUids(state, instance, counter)),
  ],
  ["arguments", ({ instance, counter }) => copyRecord(instance?.bound, counter)],
  ["priority", ({ instance }) => instance?.priority ?? 1],
  ["activated", ({ instance }) => instance?.activation !== undefined],
  ["context", contextOf],
  ["return_value", ({ instance }) => instance?.returnValue ?? null],
]);

/** Returns the ids of the live flow instances that an instance has started or activated. */
export function childUids({ index }: EngineState, { uid }: FlowInstance, counter?: ItemCounter): string[] {
  const children = index.children.get(uid);
  counter?.chargeEntries(children.size);
  const uids: string[] = [];
  for (const child of children) {
    if ("owners" in child) for (const current of index.activated.get(child.order)) uids.push(current.uid);
    else if (isLive(child)) uids.push(child.uid);
  }
  return uids;
}

/** Returns the variables of a flow, without the temporary ones of the compiler. */
function contextOf({ state, instance, counter }: FlowView): Value {
  const context = createMap();
  const variables = instance === undefined ? context : variablesOf(state, instance);
  const names = Object.keys(variables);
  counter?.chargeEntries(2 * names.length);
  for (const name of names) if (!name.startsWith("%")) context[name] = variables[name] ?? null;
  return context;
}

function copyRecord(record: ValueRecord | undefined, counter?: ItemCounter): Value {
  counter?.chargeEntries(4 * Object.keys(record ?? {}).length);
  return Object.assign(createMap(), record);
}

/** Refers to an action. */
export class ActionReference extends ObjectValue {
  readonly id: number;
  readonly #state: EngineState;

  constructor(state: EngineState, id: number) {
    super();
    this.#state = state;
    this.id = id;
  }

  get typeName(): string {
    return "Action";
  }

  get action(): ActionRecord {
    return actionOf(this.#state, this.id);
  }

  member(name: string, counter?: ItemCounter): Value | undefined {
    const { action } = this;
    switch (name) {
      case "uid":
      case "action_uid":
        return action.uid;
      case "name":
        return action.name;
      case "status":
        return action.status;
      case "start_event_arguments":
        return copyRecord(action.startArguments, counter);
      case "context":
        return copyRecord(action.context, counter);
      default: {
        const observed = readOwn(action.context, name);
        // INVARIANT: `None` is a value; an action that finished without a result returned it.
        if (observed !== undefined) return observed;
        const given = readOwn(action.startArguments, name);
        return given === undefined && name === "return_value" && action.status === "finished" ? null : given;
      }
    }
  }

  equals(other: Value): boolean {
    return other instanceof ActionReference && other.action === this.action;
  }

  toText(): string {
    const { name, uid } = this.action;
    return `<action ${name} ${uid}>`;
  }
}

/** Refers to a sent or received event. */
export class EventReference extends ObjectValue {
  readonly event: EngineEvent;
  readonly #state: EngineState;

  constructor(state: EngineState, event: EngineEvent) {
    super();
    this.#state = state;
    this.event = event;
  }

  get typeName(): string {
    return "Event";
  }

  member(name: string, counter?: ItemCounter): Value | undefined {
    const { event } = this;
    switch (name) {
      case "name":
        return event.name;
      case "uid":
        return event.uid;
      case "arguments":
        // INVARIANT: a user-defined parameter takes precedence over a field of the same name, which `$e.<field>` still
        // reads.
        return Object.assign(copyRecord(event.fields, counter) as object, copyRecord(event.payload, counter));
      case "action_uid":
        if (event.action === undefined) return event.meta["action_uid"] ?? null;
        return actionOf(this.#state, event.action).uid;
      case "action":
        return event.action === undefined ? null : new ActionReference(this.#state, event.action);
      case "flow":
        return event.flow === undefined ? null : new FlowReference(this.#state, event.flow);
      default: {
        const value = readEventField(event, name);
        // INVARIANT: `None` is a value. `$v = match E()` reads the return value of every event.
        return value === undefined && name === "return_value" ? null : value;
      }
    }
  }

  equals(other: Value): boolean {
    return other instanceof EventReference && other.event.uid === this.event.uid;
  }

  toText(): string {
    return `<event ${this.event.name} ${this.event.uid}>`;
  }
}

/** A flow or action with arguments that was not yet started: `flow("greet", who="Eve")`. */
export class Specification extends ObjectValue {
  readonly typeName = "FlowSpec";
  readonly subject: "flow" | "action";
  readonly name: string;
  readonly arguments: ValueRecord;

  constructor(subject: "flow" | "action", name: string, given: ValueRecord) {
    super();
    this.subject = subject;
    this.name = name;
    this.arguments = given;
  }

  member(name: string, counter?: ItemCounter): Value | undefined {
    if (name === "name" || name === (this.subject === "flow" ? "flow_id" : "action_name")) return this.name;
    return name === "arguments" ? copyRecord(this.arguments, counter) : undefined;
  }

  equals(other: Value): boolean {
    return other === this;
  }

  toText(): string {
    return `<${this.subject} ${this.name}>`;
  }
}
