import { ObjectValue, type ItemCounter } from "../../../expressions/values/object-value.js";
import { createMap, readOwn, type Value } from "../../../expressions/values/value.js";
import { resolveAction, type ActionObject } from "./action-object.js";
import { readEventField, type EngineEvent, type ValueRecord } from "./event.js";
import { isLive, type FlowInstance } from "./state.js";

/** Stands for a flow instance, also before it is made and after it has ended (spec 3.4). */
export class FlowReference extends ObjectValue {
  readonly typeName = "FlowState";
  readonly uid: string;
  readonly flowId: string;
  /** Undefined until the instance is made. */
  instance: FlowInstance | undefined;

  constructor(uid: string, flowId: string) {
    super();
    this.uid = uid;
    this.flowId = flowId;
  }

  member(name: string, counter?: ItemCounter): Value | undefined {
    const fixed = FLOW_MEMBERS.get(name);
    if (fixed !== undefined) return fixed(this, this.instance, counter);
    const { instance } = this;
    if (instance === undefined) return null;
    return instance.variables.get(name);
  }

  equals(other: Value): boolean {
    return other instanceof FlowReference && other.uid === this.uid;
  }

  toText(): string {
    return `<flow ${this.flowId} ${this.uid}>`;
  }
}

type FlowMember = (reference: FlowReference, instance: FlowInstance | undefined, counter?: ItemCounter) => Value;

const FLOW_MEMBERS: ReadonlyMap<string, FlowMember> = new Map<string, FlowMember>([
  ["uid", (reference) => reference.uid],
  ["flow_id", (reference) => reference.flowId],
  ["loop_id", (_, instance) => instance?.loop ?? null],
  ["status", (_, instance) => instance?.status ?? "waiting"],
  ["fail_reason", (_, instance) => instance?.failReason ?? null],
  ["parent_uid", (_, instance) => instance?.parentUid ?? null],
  ["child_flow_uids", (_, instance, counter) => (instance === undefined ? [] : childUids(instance, counter))],
  ["arguments", (_, instance, counter) => copyRecord(instance?.bound, counter)],
  ["priority", (_, instance) => instance?.priority ?? 1],
  ["activated", (_, instance) => instance?.activation !== undefined],
  ["context", (_, instance, counter) => contextOf(instance, counter)],
  ["return_value", (_, instance) => instance?.returnValue ?? null],
]);

function childUids(instance: FlowInstance, counter?: ItemCounter): string[] {
  counter?.chargeEntries(instance.belongings.size);
  const uids: string[] = [];
  for (const item of instance.belongings) {
    if ("owners" in item) for (const current of item.current) uids.push(current.uid);
    else if (isLive(item)) uids.push(item.uid);
  }
  return uids;
}

/** Without the temporaries of the compiler. */
function contextOf(instance: FlowInstance | undefined, counter?: ItemCounter): Value {
  const context = createMap();
  counter?.chargeEntries(2 * (instance?.variables.size ?? 0));
  for (const [name, value] of instance?.variables ?? []) if (!name.startsWith("%")) context[name] = value;
  return context;
}

function copyRecord(record: ValueRecord | undefined, counter?: ItemCounter): Value {
  counter?.chargeEntries(4 * Object.keys(record ?? {}).length);
  return Object.assign(createMap(), record);
}

/** Stands for an action (spec 3.4). */
export class ActionReference extends ObjectValue {
  readonly typeName = "Action";
  readonly #action: ActionObject;

  constructor(action: ActionObject) {
    super();
    this.#action = action;
  }

  get action(): ActionObject {
    return resolveAction(this.#action);
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
        const told = readOwn(action.context, name);
        // INVARIANT: `None` is a value; an action that has finished without a result has returned it.
        if (told !== undefined) return told;
        const given = readOwn(action.startArguments, name);
        return given === undefined && name === "return_value" && action.status === "finished" ? null : given;
      }
    }
  }

  equals(other: Value): boolean {
    return other instanceof ActionReference && other.action === this.action;
  }

  toText(): string {
    return `<action ${this.action.name} ${this.action.uid}>`;
  }
}

/** Stands for an event that was sent or has come (spec 3.4). */
export class EventReference extends ObjectValue {
  readonly typeName = "Event";
  readonly event: EngineEvent;

  constructor(event: EngineEvent) {
    super();
    this.event = event;
  }

  member(name: string, counter?: ItemCounter): Value | undefined {
    const { event } = this;
    switch (name) {
      case "name":
        return event.name;
      case "uid":
        return event.uid;
      case "arguments":
        // INVARIANT: a parameter of the user's wins over a field of the same name, which `$e.<field>` still reads.
        return Object.assign(copyRecord(event.fields, counter) as object, copyRecord(event.payload, counter));
      case "action_uid":
        return event.action === undefined ? (event.meta["action_uid"] ?? null) : resolveAction(event.action).uid;
      case "action":
        return event.action === undefined ? null : new ActionReference(event.action);
      case "flow":
        return event.flow ?? null;
      default:
        // `$v = match E()` reads it of every event.
        return readEventField(event, name) ?? (name === "return_value" ? null : undefined);
    }
  }

  equals(other: Value): boolean {
    return other instanceof EventReference && other.event.uid === this.event.uid;
  }

  toText(): string {
    return `<event ${this.event.name} ${this.event.uid}>`;
  }
}

/** A flow or an action with arguments that was not started yet: `flow("greet", who="Eve")` (spec 3.5). */
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
