import { createMap, type Value } from "../../../../expressions/values/value.js";
import type { Colang2Program, CompiledFlow } from "../../../program.js";
import type { ActionObject, Ownership } from "../action-object.js";
import { addActivation } from "../../flows/activations.js";
import { createEngineState, type ConversationOptions } from "../../conversation.js";
import { countLoop } from "../../flows/endings.js";
import { type EngineEvent, NO_VALUES } from "../event.js";
import { FlowReference } from "../references.js";
import {
  isLive,
  type Activation,
  type EngineState,
  type FlowInstance,
  type Fork,
  type Head,
  type OpenScope,
} from "../state.js";
import { ValueDecoder } from "./decode-value.js";
import { checkState } from "./check-state.js";
import { readHead } from "./read-head.js";
import { readActivation, readFlow, readPause } from "./read-flow.js";
import { damaged, own, readCount, readList, readOneOf, readRecord, readText } from "./read-stored.js";
import { readLog } from "./stored-log.js";
import { STATE_FORMAT, STATE_VERSIONS } from "./write-state.js";

export interface ReadOptions extends ConversationOptions {
  /** Compiles the flows that were added while the conversation ran; the stored state holds their source. */
  readonly compileAdded?: (source: string) => readonly CompiledFlow[];
  /** The texts the state was written beside. */
  readonly texts?: readonly string[];
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

const ACTION_STATUSES = ["initialized", "starting", "started", "stopping", "finished"] as const;

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
  readonly #texts: readonly string[];

  constructor(program: Colang2Program, stored: StoredRecord, options: ReadOptions) {
    if (own(stored, "format") !== STATE_FORMAT) throw damaged("it is not a Colang 2.x conversation");
    if (!STATE_VERSIONS.some((version) => version === own(stored, "version"))) {
      throw damaged("its version is not known here");
    }
    if (own(stored, "programHash") !== program.hash) throw damaged("the flows have changed since it was stored");
    this.#stored = stored;
    this.#texts = options.texts ?? [];
    const source = {
      flow: (uid: string) => this.#reference(uid),
      action: (uid: string) => this.#action(uid),
      event: (uid: string) => this.#event(uid),
    };
    this.#values = new ValueDecoder(source, readList(own(stored, "shared"), "the shared values"));
    this.#state = createEngineState(program, { ...options, prefix: readText(own(stored, "prefix"), "the prefix") });
    this.#removeFlows();
    this.#addFlows(options);
  }

  #removeFlows(): void {
    for (const item of readList(own(this.#stored, "removed") ?? [], "the removed flows")) {
      const id = readText(item, "a flow");
      this.#state.definitions.delete(id);
      this.#state.removedFlows.add(id);
    }
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
      // What is stored may not put other flows in the place of those of the program.
      if (this.#state.definitions.has(id)) throw damaged(`flow \`${id.slice(0, 80)}\` is defined twice`);
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
    const history = readList(own(this.#stored, "history"), "the history").slice(-state.options.limits.history);
    state.history = history.map((item) => readLog(item, this.#texts));
    checkState(
      state,
      [...this.#instances.values()].map(({ instance }) => instance),
    );
    return state;
  }

  #list(name: string): StoredRecord[] {
    return readList(own(this.#stored, name), name).map((item) => readRecord(item, name));
  }

  /** Things first, so that whatever refers to them finds them. */
  #createAll(): void {
    for (const stored of this.#list("references")) {
      const uid = readText(own(stored, "uid"), "a uid");
      addOnce(this.#references, uid, new FlowReference(uid, readText(own(stored, "flow"), "a flow")));
    }
    for (const stored of this.#list("flows")) {
      const uid = readText(own(stored, "uid"), "a flow");
      if (!this.#references.has(uid)) {
        this.#references.set(uid, new FlowReference(uid, readText(own(stored, "flow"), "a flow")));
      }
    }
    for (const stored of this.#list("actions")) this.#createAction(stored);
    for (const stored of this.#list("scopes")) {
      const order = readCount(own(stored, "order"), "a scope");
      addOnce(this.#scopes, order, { order, number: readCount(own(stored, "number"), "a scope"), members: new Set() });
    }
    for (const stored of this.#list("events")) this.#createEvent(stored);
    for (const stored of this.#list("flows")) {
      const instance = readFlow(this.#state, stored, (uid) => this.#reference(uid));
      addOnce(this.#instances, instance.uid, { instance, stored });
    }
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
    addOnce(this.#actions, keyOf(stored), action);
    if (own(stored, "running") === true) this.#state.actions.set(uid, action);
  }

  #fillAction(stored: StoredRecord): void {
    const action = this.#action(keyOf(stored));
    action.startArguments = this.#values.readMap(own(stored, "start"), "the arguments of an action");
    Object.assign(action.context, this.#values.readMap(own(stored, "context"), "the context of an action"));
  }

  #createEvent(stored: StoredRecord): void {
    const uid = readText(own(stored, "uid"), "an event");
    const flow = own(stored, "flow");
    const action = own(stored, "action");
    addOnce(this.#events, keyOf(stored), {
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
    const event = this.#event(keyOf(stored));
    for (const part of ["fields", "payload", "meta", "extras"] as const) {
      const record = event[part];
      if (record !== undefined) Object.assign(record, this.#values.readMap(own(stored, part), "a part of an event"));
    }
  }

  #fill({ instance, stored }: Draft): void {
    const { parentUid } = instance;
    const mutable = instance as { parent: FlowInstance | undefined; variables: Map<string, Value> };
    if (parentUid !== null) mutable.parent = this.#instances.get(parentUid)?.instance;
    instance.reference.instance = instance;
    Object.assign(instance.bound, this.#values.readMap(own(stored, "bound"), "the arguments of a flow"));
    if (own(stored, "shares") === true) {
      if (mutable.parent === undefined) throw damaged("a flow shares the variables of nobody");
      mutable.variables = mutable.parent.variables;
    } else {
      const variables = this.#values.readMap(own(stored, "variables"), "the variables of a flow");
      for (const name of Object.keys(variables)) instance.variables.set(name, variables[name] ?? null);
    }
    if (own(stored, "returnValue") !== undefined) instance.returnValue = this.#values.read(own(stored, "returnValue"));
    const event = (key: string): EngineEvent => this.#event(key);
    const flow = (uid: string): FlowInstance => this.#instance(uid);
    instance.pause = readPause(own(stored, "pause"), { event, flow });
    instance.pausesWhenStarted = readPause(own(stored, "pauses"), { event, flow });
    if (!isLive(instance)) return;
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
      const activation = readActivation(stored, this.#values, (uid) => this.#instance(uid));
      addOnce(this.#activations, activation.order, activation);
      addActivation(this.#state, activation);
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
    const number = readCount(order, "an activation");
    const activation = this.#activations.get(number);
    if (isLive(instance)) found(activation, "an activation").current.add(instance);
    // Of an instance that has ended it is only known that it was activated.
    instance.activation = activation ?? { ...ENDED_ACTIVATION, order: number, flow: instance.definition.id };
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

/** Keys are given by whoever wrote the state; the same one twice would make two things one. */
function addOnce<Key, Item>(table: Map<Key, Item>, key: Key, item: Item): void {
  if (table.has(key)) throw damaged("something is there twice");
  table.set(key, item);
}

function keyOf(stored: StoredRecord): string {
  return readText(own(stored, "key") ?? own(stored, "uid"), "a key");
}

const ENDED_ACTIVATION = {
  bound: NO_VALUES,
  owners: [],
  current: new Set<FlowInstance>(),
  parent: undefined,
  hierarchy: [],
  loop: undefined,
  hasEnded: true,
  restarts: 0,
  restartRound: 0,
} satisfies Partial<Activation>;

function found<Item>(item: Item | undefined, what: string): Item {
  if (item === undefined) throw damaged(`${what} is missing`);
  return item;
}
