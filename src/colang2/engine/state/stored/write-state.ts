import { createMap, isMap, type Value } from "../../../../expressions/values/value.js";
import { resolveAction, type ActionObject } from "../action-object.js";
import type { EngineEvent, ValueRecord } from "../event.js";
import type { OutgoingRequest } from "../pending-act.js";
import type { ReadyPattern } from "../ready-pattern.js";
import type { FlowReference } from "../references.js";
import { isLive } from "../state.js";
import type { Activation, EngineState, FlowInstance, Fork, Head, OpenScope, Pause } from "../state.js";
import { ValueCounter } from "./count-values.js";
import { ValueEncoder, type ReferenceSink, type Stored, type ValueWriter } from "./encode-value.js";
import { KeyTable } from "./key-table.js";
import { writeLog } from "./stored-log.js";

export const STATE_FORMAT = "langchain-guardrails/colang-2.x" as const;
/** The version of the stored form, and all that can be read. */
export const STATE_VERSION = 2 as const;
export const STATE_VERSIONS = [1, STATE_VERSION] as const;

/** A conversation as plain JSON (spec 6.11). Neither the program nor the configuration is part of it. */
export interface StoredState {
  readonly format: typeof STATE_FORMAT;
  readonly version: typeof STATE_VERSION;
  readonly programHash: string;
  readonly [part: string]: Stored;
}

/**
 * Writes a conversation between two events. The state goes on living unchanged.
 *
 * @throws LimitError when its values exceed `stateSize`
 * @param texts - what was said, where it is stored beside the state: log events refer to it by number instead of repeating it
 */
export function writeState(state: EngineState, texts: readonly (string | undefined)[] = []): StoredState {
  const numbers = new Map<string, number>();
  for (const [number, text] of texts.entries()) if (text !== undefined) numbers.set(text, number);
  let counter: ValueCounter | undefined;
  new StateWriter(state, (sink) => (counter = new ValueCounter(sink))).write();
  const isShared = counter?.shared ?? new Set();
  let encoder: ValueEncoder | undefined;
  const stored = new StateWriter(state, (sink) => (encoder = new ValueEncoder(sink, isShared))).write();
  const history = state.history.map((entry) => writeLog(entry, numbers));
  return { ...stored, history, shared: encoder?.shared ?? [] };
}

class StateWriter {
  readonly #state: EngineState;
  readonly #references = new Map<string, FlowReference>();
  readonly #instances = new Set<FlowInstance>();
  // The identifiers of events and actions of the world are not ours: two may be called the same.
  readonly #actions = new KeyTable<ActionObject>();
  readonly #events = new KeyTable<EngineEvent>();
  readonly #scopes = new Set<OpenScope>();
  readonly #values: ValueWriter;

  constructor(state: EngineState, makeWriter: (sink: ReferenceSink) => ValueWriter) {
    this.#state = state;
    this.#values = makeWriter({
      flow: (reference) => this.#addReference(reference),
      action: (action) => this.#actionKey(action),
      event: (event) => this.#events.add(event),
    });
  }

  write(): StoredState {
    const state = this.#state;
    for (const instance of state.instances.values()) this.#instances.add(instance);
    if (state.main !== undefined) this.#instances.add(state.main);
    for (const action of state.actions.values()) this.#actions.add(action);
    const globals = this.#record(Object.fromEntries(state.globals));
    const activations = [...state.activations.values()].flatMap((known) => [...known]);
    const stored = {
      format: STATE_FORMAT,
      version: STATE_VERSION,
      programHash: state.programHash,
      prefix: state.prefix,
      ids: state.ids,
      orders: state.orders,
      round: state.round,
      random: state.random,
      hasBegun: state.hasBegun,
      main: state.main?.uid ?? null,
      globals,
      activations: activations.map((activation) => this.#activation(activation)),
      ...this.#writeTables(),
      scopes: [...this.#scopes].map((scope) => this.#scope(scope)),
      references: [...this.#references.values()].filter(isApart).map((reference) => this.#reference(reference)),
      added: Object.fromEntries(state.addedFlows),
      ...(state.removedFlows.size === 0 ? {} : { removed: [...state.removedFlows] }),
    };
    return stored;
  }

  /** The tables grow while they are written: what is written may refer to further flows, actions and events. */
  #writeTables(): { flows: Stored[]; actions: Stored[]; events: Stored[] } {
    const flows: Stored[] = [];
    const actions: Stored[] = [];
    const events: Stored[] = [];
    let left: number;
    do {
      left = 0;
      for (const item of [...this.#instances].slice(flows.length)) left += flows.push(this.#instance(item));
      for (const [item, key] of this.#actions.after(actions.length)) left += actions.push(this.#action(item, key));
      for (const [item, key] of this.#events.after(events.length)) left += events.push(this.#event(item, key));
      this.#values.flush();
    } while (left > 0);
    return { flows, actions, events };
  }

  #addReference(reference: FlowReference): string {
    this.#references.set(reference.uid, reference);
    if (reference.instance !== undefined) this.#instances.add(reference.instance);
    return reference.uid;
  }

  #reference({ uid, flowId, instance }: FlowReference): Stored {
    return { uid, flow: flowId, of: instance?.uid ?? null };
  }

  #record(record: ValueRecord): Stored {
    const written = createMap() as Record<string, Stored>;
    for (const name of Object.keys(record)) written[name] = this.#values.write(record[name] ?? null);
    return isMap(written as Value) && Object.hasOwn(written, "$") ? { $: "map", v: Object.entries(written) } : written;
  }

  #instance(instance: FlowInstance): Stored {
    this.#addReference(instance.reference);
    if (isLive(instance)) this.#addPlace(instance.parent);
    const shares = instance.parent !== undefined && instance.variables === instance.parent.variables;
    return {
      uid: instance.uid,
      flow: instance.definition.id,
      parent: instance.parentUid,
      hierarchy: [...instance.hierarchy],
      order: instance.order,
      status: instance.status,
      ...(instance.failReason === undefined ? {} : { failReason: instance.failReason }),
      loop: instance.loop,
      ...(instance.loopPriority === 0 ? {} : { loopPriority: instance.loopPriority }),
      ...(instance.priority === 1 ? {} : { priority: instance.priority }),
      ...(shares ? { shares } : { variables: this.#record(Object.fromEntries(instance.variables)) }),
      ...(instance.globalNames.size === 0 ? {} : { globals: [...instance.globalNames] }),
      bound: this.#record(instance.bound),
      heads: [...instance.heads].filter((head) => head.fork === undefined).map((head) => this.#head(head)),
      belongings: [...instance.belongings].map((item) => ("owners" in item ? item.order : item.uid)),
      owns: [...instance.ownerships].map(([ownership, action]) => [
        this.#actionKey(action),
        ownership.scopes.map((scope) => this.#scopeOrder(scope)),
      ]),
      ...(instance.activation === undefined ? {} : { activation: instance.activation.order }),
      flags: [instance.hasSuccessor, instance.hasWaited, instance.isIdle, instance.hasMatched].map(Number),
      ...(instance.returnValue === null ? {} : { returnValue: this.#values.write(instance.returnValue) }),
      ...(instance.pause === undefined ? {} : { pause: this.#pause(instance.pause) }),
      ...(instance.pausesWhenStarted === undefined ? {} : { pauses: this.#pause(instance.pausesWhenStarted) }),
    };
  }

  /** Where it hangs is part of what a living flow can see, and one that is to be started, even when those above have ended. */
  #addPlace(parent: FlowInstance | undefined): void {
    for (let at = parent; at !== undefined; at = at.parent) this.#instances.add(at);
  }

  #pause(pause: Pause): Stored {
    const until = pause.until?.map((instance) => {
      this.#addReference(instance.reference);
      return instance.uid;
    });
    return {
      reason: pause.reason,
      request: pause.request,
      latched: pause.latched.map((event) => this.#events.add(event)),
      ...(until === undefined ? {} : { until }),
    };
  }

  #head(head: Head): Stored {
    return {
      id: head.id,
      at: head.address,
      ...(head.status === "active" ? {} : { status: head.status }),
      ...(head.branch === 0 ? {} : { branch: head.branch }),
      ...(head.handlers.length === 0 ? {} : { handlers: [...head.handlers] }),
      ...(head.scopes.length === 0 ? {} : { scopes: head.scopes.map((scope) => this.#scopeOrder(scope)) }),
      ...(head.waits === "no" ? {} : { waits: head.waits }),
      ...(head.pattern === undefined ? {} : { pattern: this.#pattern(head.pattern) }),
      ...(this.#state.staleHeads.has(head) ? { stale: true } : {}),
      ...(head.act === undefined ? {} : { act: head.act.requests.map((request) => this.#request(request)) }),
      ...(head.act?.event === undefined ? {} : { actEvent: head.act.event }),
      ...(head.ownFork === undefined ? {} : { fork: this.#fork(head.ownFork) }),
    };
  }

  #fork(fork: Fork): Stored {
    return {
      number: fork.number,
      heads: [...fork.heads].map((head) => this.#head(head)),
      notes: fork.notes.map((note) => (note === undefined ? null : Number(note.failed))),
      ready: fork.isReady,
      // The fork to go on in is named by the head that made it.
      ...(fork.next === undefined ? {} : { next: [fork.next.into.parent.id, fork.next.target] }),
    };
  }

  #pattern(pattern: ReadyPattern): Stored {
    const pairs = (list: readonly (readonly [string, Value])[]): Stored =>
      list.map(([name, value]) => [name, this.#values.write(value)]);
    return {
      names: [...pattern.names],
      ...(pattern.bound === undefined ? {} : { bound: [pattern.bound.kind, pattern.bound.uid] }),
      ...(pattern.flowId === undefined ? {} : { flow: pattern.flowId }),
      ...(pattern.fields.length === 0 ? {} : { fields: pairs(pattern.fields) }),
      ...(pattern.constraints.length === 0 ? {} : { asks: pairs(pattern.constraints) }),
      ...(pattern.startArguments === undefined ? {} : { start: pairs(pattern.startArguments) }),
      ...(pattern.impossibleBy.length === 0 ? {} : { never: [...pattern.impossibleBy] }),
      ...(pattern.isOnce ? { once: true } : {}),
    };
  }

  #request(request: OutgoingRequest): Stored {
    return {
      name: request.name,
      payload: this.#record(request.payload),
      action: request.action === undefined ? null : this.#actionKey(request.action),
      request: request.request ?? null,
      ...(request.uid === undefined ? {} : { uid: request.uid }),
    };
  }

  #activation(activation: Activation): Stored {
    for (const owner of activation.owners) if (owner !== undefined) this.#instances.add(owner);
    this.#addPlace(activation.parent);
    return {
      order: activation.order,
      flow: activation.flow,
      bound: this.#record(activation.bound),
      owners: activation.owners.map((owner) => owner?.uid ?? null),
      parent: activation.parent?.uid ?? null,
      hierarchy: [...activation.hierarchy],
      loop: activation.loop ?? null,
      dormant: this.#state.dormant.has(activation),
    };
  }

  #actionKey(action: ActionObject): string {
    return this.#actions.add(resolveAction(action));
  }

  #action(action: ActionObject, key: string): Stored {
    return {
      ...(key === action.uid ? {} : { key }),
      uid: action.uid,
      name: action.name,
      status: action.status,
      start: this.#record(action.startArguments),
      context: this.#record(action.context),
      own: action.isOwn,
      running: this.#state.actions.get(action.uid) === action,
    };
  }

  #event(event: EngineEvent, key: string): Stored {
    if (event.flow !== undefined) this.#addReference(event.flow);
    return {
      ...(key === event.uid ? {} : { key }),
      uid: event.uid,
      name: event.name,
      internal: event.isInternal,
      fields: this.#record(event.fields),
      payload: this.#record(event.payload),
      meta: this.#record(event.meta),
      ...(event.extras === undefined ? {} : { extras: this.#record(event.extras) }),
      ...(event.flow === undefined ? {} : { flow: event.flow.uid }),
      ...(event.action === undefined ? {} : { action: this.#actionKey(event.action) }),
    };
  }

  #scopeOrder(scope: OpenScope): number {
    this.#scopes.add(scope);
    for (const member of scope.members) {
      if ("flowId" in member) this.#addReference(member);
      else this.#actionKey(member);
    }
    return scope.order;
  }

  #scope(scope: OpenScope): Stored {
    // Two actions that became one are one member.
    const members = new Set([...scope.members].map((item) => ("flowId" in item ? item : resolveAction(item))));
    return {
      order: scope.order,
      number: scope.number,
      members: [...members].map((item) => ("flowId" in item ? { flow: item.uid } : { action: this.#actionKey(item) })),
    };
  }
}

/** Every instance that is written has a reference of its own uid; only others have to be told. */
function isApart({ uid, instance }: FlowReference): boolean {
  return instance?.uid !== uid;
}
