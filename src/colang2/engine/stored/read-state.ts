import { createMap, type Value } from "../../../expressions/value.js";
import type { Colang2Program, CompiledFlow } from "../../program.js";
import type { ActionObject, Ownership } from "../action-object.js";
import { createEngineState, type ConversationOptions } from "../conversation.js";
import { countLoop } from "../endings.js";
import { type EngineEvent, NO_VALUES } from "../event.js";
import { FlowReference } from "../references.js";
import type { Activation, EngineState, FlowInstance, Fork, Head, HistoryEntry, OpenScope, Pause } from "../state.js";
import { ValueDecoder } from "./decode-value.js";
import { readHead } from "./read-head.js";
import { damaged, own, readCount, readList, readNumber, readOneOf, readRecord, readText } from "./read-stored.js";
import { STATE_FORMAT, STATE_VERSION } from "./write-state.js";

export interface ReadOptions extends ConversationOptions {
  /** Compiles the flows that were added while the conversation ran; the stored state holds their source. */
  readonly compileAdded?: (source: string) => readonly CompiledFlow[];
}

/**
 * Reads a stored conversation (spec 6.11). Nothing of it is trusted: what is not of the right shape is refused, and flows
 * are only taken from the program.
 *
 * @throws InputShapeError when it is damaged, of another version, or of another program
 */
export function readState(program: Colang2Program, stored: unknown, options: ReadOptions = {}): EngineState {
  return new StateReader(program, readRecord(stored, "the state"), options).read();
}

type StoredRecord = Readonly<Record<string, unknown>>;

/** What an instance refers to, until everything is there. */
interface Draft {
  readonly instance: FlowInstance;
  readonly stored: StoredRecord;
}

const STATUSES = ["waiting", "starting", "started", "paused", "stopping", "stopped", "finished"] as const;
const FAIL_REASONS = [
  "abort",
  "stop_request",
  "conflict",
  "impossible",
  "error",
  "budget",
  "invalid_arguments",
  "parent_ended",
  "scope_ended",
  "deactivated",
  "removed",
] as const;
const ACTION_STATUSES = ["initialized", "starting", "started", "stopping", "finished"] as const;
const LOGS = ["UserIntentLog", "BotIntentLog", "UserActionLog", "BotActionLog"] as const;

class StateReader {
  readonly #stored: StoredRecord;
  readonly #state: EngineState;
  readonly #references = new Map<string, FlowReference>();
  readonly #instances = new Map<string, Draft>();
  readonly #actions = new Map<string, ActionObject>();
  readonly #events = new Map<string, EngineEvent>();
  readonly #scopes = new Map<number, OpenScope>();
  readonly #activations = new Map<number, Activation>();
  readonly #values: ValueDecoder;

  constructor(program: Colang2Program, stored: StoredRecord, options: ReadOptions) {
    if (own(stored, "format") !== STATE_FORMAT) throw damaged("it is not a Colang 2.x conversation");
    if (own(stored, "version") !== STATE_VERSION) throw damaged("its version is not known here");
    if (own(stored, "programHash") !== program.hash) throw damaged("the flows have changed since it was stored");
    this.#stored = stored;
    const source = {
      flow: (uid: string) => this.#reference(uid),
      action: (uid: string) => this.#action(uid),
      event: (uid: string) => this.#event(uid),
    };
    this.#values = new ValueDecoder(source, readList(own(stored, "shared"), "the shared values"));
    this.#state = createEngineState(program, { ...options, prefix: readText(own(stored, "prefix"), "the prefix") });
    this.#addFlows(options);
  }

  #addFlows({ compileAdded }: ReadOptions): void {
    const added = readRecord(own(this.#stored, "added"), "the added flows");
    const sources = new Map(Object.keys(added).map((id) => [id, readText(added[id], "a source")]));
    const compiled = new Map<string, readonly CompiledFlow[]>();
    for (const [id, source] of sources) {
      if (compileAdded === undefined) throw damaged("flows were added to it that cannot be compiled here");
      const flows = compiled.get(source) ?? compileAdded(source);
      compiled.set(source, flows);
      const flow = flows.find((other) => other.id === id);
      if (flow === undefined) throw damaged(`the source of flow \`${id.slice(0, 80)}\` does not define it`);
      this.#state.definitions.set(id, flow);
      this.#state.addedFlows.set(id, source);
    }
  }

  read(): EngineState {
    const state = this.#state;
    for (const name of ["ids", "orders", "round", "random"] as const) {
      state[name] = readCount(own(this.#stored, name), name);
    }
    state.hasBegun = own(this.#stored, "hasBegun") === true;
    this.#createAll();
    for (const draft of this.#instances.values()) this.#fill(draft);
    for (const draft of this.#instances.values()) this.#fillHeads(draft);
    this.#fillActivations();
    this.#fillScopes();
    const globals = this.#values.readMap(own(this.#stored, "globals"), "the globals");
    for (const name of Object.keys(globals)) state.globals.set(name, globals[name] ?? null);
    const main = own(this.#stored, "main");
    if (main !== null) state.main = this.#instance(readText(main, "main"));
    state.history = readList(own(this.#stored, "history"), "the history").map(readLog);
    return state;
  }

  #list(name: string): StoredRecord[] {
    return readList(own(this.#stored, name), name).map((item) => readRecord(item, name));
  }

  /** Things first, so that whatever refers to them finds them. */
  #createAll(): void {
    for (const stored of this.#list("references")) {
      const uid = readText(own(stored, "uid"), "a uid");
      this.#references.set(uid, new FlowReference(uid, readText(own(stored, "flow"), "a flow")));
    }
    for (const stored of this.#list("actions")) this.#createAction(stored);
    for (const stored of this.#list("scopes")) {
      const order = readCount(own(stored, "order"), "a scope");
      this.#scopes.set(order, { order, number: readCount(own(stored, "number"), "a scope"), members: new Set() });
    }
    for (const stored of this.#list("events")) this.#createEvent(stored);
    for (const stored of this.#list("flows")) this.#createInstance(stored);
    for (const stored of this.#list("references")) {
      const of = own(stored, "of");
      if (of !== null)
        this.#reference(readText(own(stored, "uid"), "a uid")).instance = this.#instance(readText(of, "a uid"));
    }
    for (const stored of this.#list("events")) this.#fillEvent(stored);
    for (const stored of this.#list("actions")) this.#fillAction(stored);
  }

  #createAction(stored: StoredRecord): void {
    const uid = readText(own(stored, "uid"), "an action");
    const action: ActionObject = {
      uid,
      name: readText(own(stored, "name"), "an action"),
      status: readOneOf(own(stored, "status"), ACTION_STATUSES, "the status of an action"),
      startArguments: NO_VALUES,
      context: createMap(),
      ownerships: new Set(),
      isOwn: own(stored, "own") === true,
    };
    this.#actions.set(uid, action);
    if (own(stored, "running") === true) this.#state.actions.set(uid, action);
  }

  #fillAction(stored: StoredRecord): void {
    const action = this.#action(readText(own(stored, "uid"), "an action"));
    action.startArguments = this.#values.readMap(own(stored, "start"), "the arguments of an action");
    Object.assign(action.context, this.#values.readMap(own(stored, "context"), "the context of an action"));
  }

  #createEvent(stored: StoredRecord): void {
    const uid = readText(own(stored, "uid"), "an event");
    const flow = own(stored, "flow");
    const action = own(stored, "action");
    this.#events.set(uid, {
      uid,
      name: readText(own(stored, "name"), "an event"),
      isInternal: own(stored, "internal") === true,
      fields: createMap(),
      payload: createMap(),
      meta: createMap(),
      ...(own(stored, "extras") === undefined ? {} : { extras: createMap() }),
      scores: [],
      ...(flow === undefined ? {} : { flow: this.#reference(readText(flow, "a flow")) }),
      ...(action === undefined ? {} : { action: this.#action(readText(action, "an action")) }),
    });
  }

  #fillEvent(stored: StoredRecord): void {
    const event = this.#event(readText(own(stored, "uid"), "an event"));
    for (const part of ["fields", "payload", "meta", "extras"] as const) {
      const record = event[part];
      if (record !== undefined) Object.assign(record, this.#values.readMap(own(stored, part), "a part of an event"));
    }
  }

  #createInstance(stored: StoredRecord): void {
    const uid = readText(own(stored, "uid"), "a flow");
    const flow = readText(own(stored, "flow"), "a flow");
    const definition = this.#state.definitions.get(flow);
    const status = readOneOf(own(stored, "status"), STATUSES, "the status of a flow");
    if (definition === undefined) throw damaged(`flow \`${flow.slice(0, 80)}\` is not defined`);
    const flags = readList(own(stored, "flags"), "flags");
    const failReason = own(stored, "failReason");
    const instance: FlowInstance = {
      uid,
      definition,
      reference: this.#reference(uid),
      parent: undefined,
      hierarchy: readList(own(stored, "hierarchy"), "a hierarchy").map((at) => readCount(at, "a hierarchy")),
      order: readCount(own(stored, "order"), "an order"),
      status,
      failReason: failReason === undefined ? undefined : readOneOf(failReason, FAIL_REASONS, "a reason"),
      loop: readText(own(stored, "loop"), "a loop"),
      loopPriority:
        own(stored, "loopPriority") === undefined ? 0 : readNumber(own(stored, "loopPriority"), "a priority"),
      priority: own(stored, "priority") === undefined ? 1 : readNumber(own(stored, "priority"), "a priority"),
      variables: new Map(),
      globalNames: new Set(readList(own(stored, "globals") ?? [], "names").map((name) => readText(name, "a name"))),
      bound: createMap(),
      heads: new Set(),
      belongings: new Set(),
      ownerships: new Map(),
      activation: undefined,
      hasSuccessor: flags[0] === 1,
      hasWaited: flags[1] === 1,
      isIdle: flags[2] === 1,
      returnValue: null,
      pause: undefined,
      pausesWhenStarted: undefined,
      hasMatched: flags[3] === 1,
    };
    this.#instances.set(uid, { instance, stored });
  }

  #fill({ instance, stored }: Draft): void {
    const parent = own(stored, "parent");
    const mutable = instance as { parent: FlowInstance | undefined; variables: Map<string, Value> };
    if (parent !== null) mutable.parent = this.#instances.get(readText(parent, "a parent"))?.instance;
    Object.assign(instance.bound, this.#values.readMap(own(stored, "bound"), "the arguments of a flow"));
    if (own(stored, "shares") === true) {
      if (mutable.parent === undefined) throw damaged("a flow shares the variables of nobody");
      mutable.variables = mutable.parent.variables;
    } else {
      const variables = this.#values.readMap(own(stored, "variables"), "the variables of a flow");
      for (const name of Object.keys(variables)) instance.variables.set(name, variables[name] ?? null);
    }
    if (own(stored, "returnValue") !== undefined) instance.returnValue = this.#values.read(own(stored, "returnValue"));
    instance.pause = this.#pause(own(stored, "pause"));
    instance.pausesWhenStarted = this.#pause(own(stored, "pauses"));
    if (instance.status === "finished" || instance.status === "stopped") return;
    this.#register(instance);
    for (const entry of readList(own(stored, "owns"), "ownerships")) {
      const [uid, scopes] = readList(entry, "an ownership");
      const action = this.#action(readText(uid, "an action"));
      const open = readList(scopes, "scopes").map((order) => this.#scope(order));
      const ownership: Ownership = { owner: instance, scopes: open };
      action.ownerships.add(ownership);
      instance.ownerships.set(ownership, action);
    }
  }

  #register(instance: FlowInstance): void {
    const state = this.#state;
    state.instances.set(instance.uid, instance);
    if (instance.definition.isInterruptible) state.interruptible.add(instance);
    if (instance.pause?.reason === "digression") state.digressions.add(instance);
    const { id } = instance.definition;
    const sameFlow = state.byFlow.get(id);
    if (sameFlow === undefined) state.byFlow.set(id, new Set([instance]));
    else sameFlow.add(instance);
    if (instance.status !== "paused") countLoop(state, instance.loop, 1);
  }

  #fillHeads({ instance, stored }: Draft): void {
    const forks = new Map<number, Fork>();
    const added: Head[] = [];
    const context = { state: this.#state, instance, values: this.#values, forks, added };
    const find = { scope: (order: unknown) => this.#scope(order), action: (uid: string) => this.#action(uid) };
    for (const head of readList(own(stored, "heads"), "heads")) readHead(context, find, readRecord(head, "a head"));
  }

  #fillActivations(): void {
    for (const stored of this.#list("activations")) {
      const parent = own(stored, "parent");
      const loop = own(stored, "loop");
      const activation: Activation = {
        order: readCount(own(stored, "order"), "an order"),
        flow: readText(own(stored, "flow"), "a flow"),
        bound: this.#values.readMap(own(stored, "bound"), "the arguments of a flow"),
        owners: readList(own(stored, "owners"), "owners").map((uid) =>
          uid === null ? undefined : this.#instance(readText(uid, "an owner")),
        ),
        current: new Set(),
        parent: parent === null ? undefined : this.#instance(readText(parent, "a parent")),
        hierarchy: readList(own(stored, "hierarchy"), "a hierarchy").map((at) => readCount(at, "a hierarchy")),
        loop: loop === null ? undefined : readText(loop, "a loop"),
        hasEnded: false,
        restarts: 0,
        restartRound: 0,
      };
      this.#activations.set(activation.order, activation);
      const sameFlow = this.#state.activations.get(activation.flow);
      if (sameFlow === undefined) this.#state.activations.set(activation.flow, new Set([activation]));
      else sameFlow.add(activation);
      if (own(stored, "dormant") === true) this.#state.dormant.add(activation);
    }
    for (const draft of this.#instances.values()) this.#fillBelongings(draft);
  }

  #fillBelongings({ instance, stored }: Draft): void {
    for (const item of readList(own(stored, "belongings"), "belongings")) {
      if (typeof item === "string") instance.belongings.add(this.#instance(item));
      else {
        const activation = this.#activations.get(readCount(item, "an activation"));
        if (activation === undefined) throw damaged("an activation is missing");
        instance.belongings.add(activation);
      }
    }
    const order = own(stored, "activation");
    if (order === undefined) return;
    instance.activation = this.#activations.get(readCount(order, "an activation"));
    if (this.#state.instances.has(instance.uid)) instance.activation?.current.add(instance);
  }

  #fillScopes(): void {
    for (const stored of this.#list("scopes")) {
      const scope = this.#scope(own(stored, "order"));
      for (const item of readList(own(stored, "members"), "members")) {
        const member = readRecord(item, "a member");
        const flow = own(member, "flow");
        scope.members.add(
          typeof flow === "string" ? this.#reference(flow) : this.#action(readText(own(member, "action"), "an action")),
        );
      }
    }
  }

  #pause(stored: unknown): Pause | undefined {
    if (stored === undefined) return undefined;
    const record = readRecord(stored, "a pause");
    const until = own(record, "until");
    return {
      reason: readOneOf(own(record, "reason"), ["request", "digression"], "a reason"),
      request: readCount(own(record, "request"), "a request"),
      latched: readList(own(record, "latched"), "events").map((uid) => this.#event(readText(uid, "an event"))),
      ...(until === undefined
        ? {}
        : { until: readList(until, "flows").map((uid) => this.#instance(readText(uid, "a flow"))) }),
    };
  }

  #reference(uid: string): FlowReference {
    return found(this.#references.get(uid), "a flow reference");
  }

  #instance(uid: string): FlowInstance {
    return found(this.#instances.get(uid), "a flow").instance;
  }

  #action(uid: string): ActionObject {
    return found(this.#actions.get(uid), "an action");
  }

  #event(uid: string): EngineEvent {
    return found(this.#events.get(uid), "an event");
  }

  #scope(order: unknown): OpenScope {
    return found(this.#scopes.get(readCount(order, "a scope")), "a scope");
  }
}

function found<Item>(item: Item | undefined, what: string): Item {
  if (item === undefined) throw damaged(`${what} is missing`);
  return item;
}

function readLog(item: unknown): HistoryEntry {
  const stored = readRecord(item, "a log");
  const parameter = own(stored, "parameter");
  const intent = own(stored, "intent");
  return {
    name: readOneOf(own(stored, "name"), LOGS, "a log"),
    flow: readText(own(stored, "flow"), "a log"),
    parameter: parameter === null ? null : readText(parameter, "a log"),
    ...(intent === undefined ? {} : { intent: intent === null ? null : readText(intent, "a log") }),
  };
}
