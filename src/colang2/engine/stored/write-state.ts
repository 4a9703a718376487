import { createMap, isMap, type Value } from "../../../expressions/value.js";
import { resolveAction, type ActionObject } from "../action-object.js";
import type { EngineEvent, ValueRecord } from "../event.js";
import type { OutgoingRequest } from "../pending-act.js";
import type { ReadyPattern } from "../ready-pattern.js";
import type { FlowReference } from "../references.js";
import type { Activation, EngineState, FlowInstance, Fork, Head, OpenScope, Pause } from "../state.js";
import { ValueEncoder, type Stored } from "./encode-value.js";

/** The version of the stored form. Every released one stays readable. */
export const STATE_FORMAT = "langchain-guardrails/colang-2.x" as const;
export const STATE_VERSION = 1 as const;

/** A conversation as plain JSON (spec 6.11). Neither the program nor the configuration is part of it. */
export interface StoredState {
  readonly format: typeof STATE_FORMAT;
  readonly version: typeof STATE_VERSION;
  readonly programHash: string;
  readonly [part: string]: Stored;
}

/** Writes a conversation between two events. The state goes on living unchanged. */
export function writeState(state: EngineState): StoredState {
  return new StateWriter(state).write();
}

class StateWriter {
  readonly #state: EngineState;
  readonly #references = new Map<string, FlowReference>();
  readonly #instances = new Set<FlowInstance>();
  readonly #actions = new Set<ActionObject>();
  readonly #events = new Map<string, EngineEvent>();
  readonly #scopes = new Set<OpenScope>();
  readonly #values = new ValueEncoder({
    flow: (reference) => this.#addReference(reference),
    action: (action) => void this.#actions.add(resolveAction(action)),
    event: (event) => void this.#events.set(event.uid, event),
  });

  constructor(state: EngineState) {
    this.#state = state;
  }

  write(): StoredState {
    const state = this.#state;
    for (const instance of state.instances.values()) this.#instances.add(instance);
    if (state.main !== undefined) this.#instances.add(state.main);
    for (const action of state.actions.values()) this.#actions.add(action);
    this.#countShared();
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
      // Growing while they are written: what is written may refer to further ones.
      flows: this.#writeAll(this.#instances, (instance) => this.#instance(instance)),
      actions: this.#writeAll(this.#actions, (action) => this.#action(action)),
      events: this.#writeEvents(),
      scopes: [] as Stored[],
      references: [] as Stored[],
      shared: [] as Stored[],
      history: state.history.map((entry) => ({ ...entry })) as Stored,
      added: Object.fromEntries(state.addedFlows),
    };
    this.#writeLate(stored);
    stored.scopes = [...this.#scopes].map((scope) => this.#scope(scope));
    stored.shared = this.#values.shared;
    stored.references = [...this.#references.values()].map((reference) => this.#reference(reference));
    return stored;
  }

  /** Lists and maps that several variables hold are to stay one. */
  #countShared(): void {
    const state = this.#state;
    for (const value of state.globals.values()) this.#values.count(value);
    for (const instance of state.instances.values()) {
      if (instance.variables === instance.parent?.variables) continue;
      for (const value of instance.variables.values()) this.#values.count(value);
    }
  }

  #writeAll<Item>(items: ReadonlySet<Item>, write: (item: Item) => Stored): Stored[] {
    const written: Stored[] = [];
    // INVARIANT: a set is gone through in the order of adding, also while it grows.
    for (const item of items) written.push(write(item));
    return written;
  }

  #writeEvents(): Stored[] {
    const written: Stored[] = [];
    for (const event of this.#events.values()) written.push(this.#event(event));
    return written;
  }

  /** Events may refer to flows and actions that nothing else refers to, and those to further events. */
  #writeLate(stored: { flows: Stored[]; actions: Stored[]; events: Stored[] }): void {
    for (;;) {
      const before = this.#instances.size + this.#actions.size + this.#events.size;
      const written = stored.flows.length + stored.actions.length + stored.events.length;
      if (before === written) return;
      stored.flows.push(...[...this.#instances].slice(stored.flows.length).map((item) => this.#instance(item)));
      stored.actions.push(...[...this.#actions].slice(stored.actions.length).map((item) => this.#action(item)));
      stored.events.push(...[...this.#events.values()].slice(stored.events.length).map((item) => this.#event(item)));
    }
  }

  #addReference(reference: FlowReference): void {
    this.#references.set(reference.uid, reference);
    if (reference.instance !== undefined) this.#instances.add(reference.instance);
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
    const shares = instance.parent !== undefined && instance.variables === instance.parent.variables;
    return {
      uid: instance.uid,
      flow: instance.definition.id,
      parent: instance.parent?.uid ?? null,
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
        this.#actionUid(action),
        ownership.scopes.map((scope) => this.#scopeOrder(scope)),
      ]),
      ...(instance.activation === undefined ? {} : { activation: instance.activation.order }),
      flags: [instance.hasSuccessor, instance.hasWaited, instance.isIdle, instance.hasMatched].map(Number),
      ...(instance.returnValue === null ? {} : { returnValue: this.#values.write(instance.returnValue) }),
      ...(instance.pause === undefined ? {} : { pause: this.#pause(instance.pause) }),
      ...(instance.pausesWhenStarted === undefined ? {} : { pauses: this.#pause(instance.pausesWhenStarted) }),
    };
  }

  #pause(pause: Pause): Stored {
    for (const event of pause.latched) this.#events.set(event.uid, event);
    const until = pause.until?.map((instance) => {
      this.#addReference(instance.reference);
      return instance.uid;
    });
    return {
      reason: pause.reason,
      request: pause.request,
      latched: pause.latched.map((event) => event.uid),
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
      action: request.action === undefined ? null : this.#actionUid(request.action),
      request: request.request ?? null,
    };
  }

  #activation(activation: Activation): Stored {
    for (const owner of activation.owners) if (owner !== undefined) this.#instances.add(owner);
    if (activation.parent !== undefined) this.#instances.add(activation.parent);
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

  #actionUid(action: ActionObject): string {
    const resolved = resolveAction(action);
    this.#actions.add(resolved);
    return resolved.uid;
  }

  #action(action: ActionObject): Stored {
    return {
      uid: action.uid,
      name: action.name,
      status: action.status,
      start: this.#record(action.startArguments),
      context: this.#record(action.context),
      own: action.isOwn,
      running: this.#state.actions.get(action.uid) === action,
    };
  }

  #event(event: EngineEvent): Stored {
    if (event.flow !== undefined) this.#addReference(event.flow);
    return {
      uid: event.uid,
      name: event.name,
      internal: event.isInternal,
      fields: this.#record(event.fields),
      payload: this.#record(event.payload),
      meta: this.#record(event.meta),
      ...(event.extras === undefined ? {} : { extras: this.#record(event.extras) }),
      ...(event.flow === undefined ? {} : { flow: event.flow.uid }),
      ...(event.action === undefined ? {} : { action: this.#actionUid(event.action) }),
    };
  }

  #scopeOrder(scope: OpenScope): number {
    this.#scopes.add(scope);
    for (const member of scope.members) {
      if ("flowId" in member) this.#addReference(member);
      else this.#actions.add(resolveAction(member));
    }
    return scope.order;
  }

  #scope(scope: OpenScope): Stored {
    return {
      order: scope.order,
      number: scope.number,
      members: [...scope.members].map((member) =>
        "flowId" in member ? { flow: member.uid } : { action: resolveAction(member).uid },
      ),
    };
  }
}
