import { count, damaged, list, own, record, text, type StoredRecord } from "./shape.js";
import { STATE_VERSION } from "./write-state.js";

const MAX_DEPTH = 400;

/**
 * Turns a conversation of the versions 1 and 2 into the current form. Those wrote flows with nested heads, and actions, events,
 * scopes and references in tables by key.
 *
 * @throws InputShapeError when a part is not where these versions wrote it
 */
export function migrate(document: StoredRecord): StoredRecord {
  return new Migration(document).run();
}

class Migration {
  readonly #document: StoredRecord;
  readonly #references = new Map<string, StoredRecord>();
  /** Numbers of the actions, by key. */
  readonly #actions = new Map<string, number>();
  /** Places of the events among the shared values, by key. */
  readonly #events = new Map<string, number>();
  readonly #eventRecords = new Map<string, StoredRecord>();
  readonly #scopes = new Map<number, StoredRecord>();

  constructor(document: StoredRecord) {
    this.#document = document;
  }

  run(): StoredRecord {
    const orders = count(own(this.#document, "orders"), "orders");
    const shared = list(own(this.#document, "shared"), "shared");
    for (const flow of this.#table("flows"))
      this.#references.set(uidOf(flow), { uid: uidOf(flow), flow: own(flow, "flow") });
    for (const stored of this.#table("references")) {
      const of = own(stored, "of");
      const reference = { uid: uidOf(stored), flow: own(stored, "flow") };
      this.#references.set(uidOf(stored), of === null ? reference : { ...reference, instance: text(of, "of") });
    }
    const actions = this.#table("actions");
    for (const [at, stored] of actions.entries()) addOnce(this.#actions, keyOf(stored), orders + 1 + at);
    for (const scope of this.#table("scopes")) addOnce(this.#scopes, count(own(scope, "order"), "order"), scope);
    const events = this.#table("events");
    for (const [at, stored] of events.entries()) addOnce(this.#events, keyOf(stored), shared.length + at);
    for (const stored of events) this.#eventRecords.set(keyOf(stored), this.#event(stored));
    const flows = this.#table("flows").map((flow) => this.#flow(flow));
    const isEnded = ({ status }: StoredRecord): boolean => status === "stopped" || status === "finished";
    const main = own(this.#document, "main");
    if (main !== null && !this.#references.has(text(main, "main"))) throw damaged("`main` is missing");
    return {
      ...without(this.#document, "round", "main", "references", "scopes", "events"),
      version: STATE_VERSION,
      orders: orders + actions.length,
      globals: this.#values(own(this.#document, "globals")),
      flows: flows.filter((flow) => !isEnded(flow)),
      ended: flows.filter(isEnded),
      activations: this.#table("activations").map((stored) => this.#activation(stored)),
      actions: actions.map((stored) => this.#action(stored)),
      shared: [
        ...shared.map((value) => this.#values(value)),
        ...events.map((stored) => ({ $: "event", v: this.#eventRecords.get(keyOf(stored)) })),
      ],
    };
  }

  #table(name: string): StoredRecord[] {
    return list(own(this.#document, name), name).map((item) => record(item, name));
  }

  #flow(stored: StoredRecord): StoredRecord {
    const uid = uidOf(stored);
    const heads: StoredRecord[] = [];
    const scopes = new Set<number>();
    this.#heads(own(stored, "heads"), { uid, heads, scopes }, undefined, 0);
    const [hasSuccessor, hasWaited, isIdle, hasMatched] = list(own(stored, "flags"), "flags").map((bit) => bit === 1);
    const owns = list(own(stored, "owns") ?? [], "owns").map((item) => {
      const [key, open] = list(item, "owns");
      return { flow: uid, action: this.#actionNumber(key), scopes: open };
    });
    return {
      loopPriority: 0,
      priority: 1,
      ...without(stored, "shares", "globals", "belongings", "owns", "flags", "pauses"),
      hasSuccessor,
      hasWaited,
      isIdle,
      hasMatched,
      parent: own(stored, "parent") ?? undefined,
      sharesVariables: own(stored, "shares"),
      variables: this.#values(own(stored, "variables")),
      globalNames: own(stored, "globals"),
      bound: this.#values(own(stored, "bound")),
      heads: heads.sort((left, right) => Number(left["id"]) - Number(right["id"])),
      scopes: [...scopes].sort((left, right) => left - right).map((number) => this.#scope(number)),
      ownerships: owns,
      returnValue: this.#values(own(stored, "returnValue")),
      pause: this.#pause(own(stored, "pause")),
      pausesWhenStarted: this.#pause(own(stored, "pauses")),
    };
  }

  #heads(
    stored: unknown,
    into: { readonly uid: string; readonly heads: StoredRecord[]; readonly scopes: Set<number> },
    parent: unknown,
    depth: number,
  ): void {
    if (depth > MAX_DEPTH) throw damaged("forks are too deep");
    for (const item of list(stored, "heads")) {
      const head = record(item, "heads");
      const id = own(head, "id");
      for (const order of list(own(head, "scopes") ?? [], "scopes")) into.scopes.add(count(order, "scopes"));
      const fork = own(head, "fork");
      into.heads.push({
        status: "active",
        branch: 0,
        waits: "no",
        ...without(head, "at", "stale", "actEvent"),
        flow: into.uid,
        address: own(head, "at"),
        isStale: own(head, "stale"),
        parent,
        pattern: this.#pattern(own(head, "pattern")),
        act: this.#act(head),
        fork: fork === undefined ? undefined : forkOf(record(fork, "fork")),
      });
      if (fork !== undefined) this.#heads(own(record(fork, "fork"), "heads"), into, id, depth + 1);
    }
  }

  #pattern(stored: unknown): unknown {
    if (stored === undefined) return undefined;
    const pattern = record(stored, "pattern");
    const bound = own(pattern, "bound");
    const [kind, uid] = bound === undefined ? [] : list(bound, "bound");
    return {
      ...without(pattern, "flow", "asks", "start", "never", "once"),
      bound: bound === undefined ? undefined : { kind, uid },
      flowId: own(pattern, "flow"),
      fields: this.#values(own(pattern, "fields")),
      constraints: this.#values(own(pattern, "asks")),
      startArguments: this.#values(own(pattern, "start")),
      impossibleBy: own(pattern, "never"),
      isOnce: own(pattern, "once"),
    };
  }

  #act(head: StoredRecord): unknown {
    const act = own(head, "act");
    if (act === undefined) return undefined;
    const requests = list(act, "act").map((item) => {
      const sent = record(item, "act");
      const payload = this.#values(own(sent, "payload"));
      const action = own(sent, "action") ?? undefined;
      const request = own(sent, "request") ?? undefined;
      return { ...sent, payload, action: action === undefined ? undefined : this.#actionNumber(action), request };
    });
    return { requests, event: own(head, "actEvent") };
  }

  #pause(stored: unknown): unknown {
    if (stored === undefined) return undefined;
    const pause = record(stored, "pause");
    const events = list(own(pause, "latched"), "latched").map((key) => this.#eventRecords.get(text(key, "latched")));
    return { ...pause, latched: events };
  }

  #scope(order: number): StoredRecord {
    const scope = found(this.#scopes.get(order), "a scope");
    const members = list(own(scope, "members"), "members").map((item) => {
      const member = record(item, "members");
      return own(member, "flow") ?? this.#actionNumber(own(member, "action"));
    });
    return { ...scope, members };
  }

  #activation(stored: StoredRecord): StoredRecord {
    const order = own(stored, "order");
    return {
      ...without(stored, "dormant"),
      isDormant: own(stored, "dormant"),
      bound: this.#values(own(stored, "bound")),
      owners: list(own(stored, "owners"), "owners").map((owner) => ({ flow: owner ?? undefined, order })),
      parent: own(stored, "parent") ?? undefined,
      loop: own(stored, "loop") ?? undefined,
    };
  }

  #action(stored: StoredRecord): StoredRecord {
    return {
      ...without(stored, "key", "own", "running", "start"),
      id: this.#actionNumber(keyOf(stored)),
      isOwn: own(stored, "own"),
      isKnown: own(stored, "running"),
      startArguments: this.#values(own(stored, "start")),
      context: this.#values(own(stored, "context")),
    };
  }

  #event(stored: StoredRecord): StoredRecord {
    const flow = own(stored, "flow");
    const action = own(stored, "action");
    const tables = ["fields", "payload", "meta", "extras"].map((name) => [name, this.#values(own(stored, name))]);
    return {
      ...without(stored, "key", "internal"),
      ...(Object.fromEntries(tables) as StoredRecord),
      isInternal: own(stored, "internal"),
      flow: flow === undefined ? undefined : this.#reference(flow),
      action: action === undefined ? undefined : this.#actionNumber(action),
    };
  }

  #reference(uid: unknown): StoredRecord {
    return found(this.#references.get(text(uid, "a flow reference")), "a flow reference");
  }

  #actionNumber(key: unknown): number {
    return found(this.#actions.get(text(key, "an action")), "an action");
  }

  /** Values, with references in the current form. */
  #values(stored: unknown, depth = 0): unknown {
    if (typeof stored !== "object" || stored === null) return stored;
    if (depth > MAX_DEPTH) throw damaged("a value is too deep");
    if (Array.isArray(stored)) return stored.map((item) => this.#values(item, depth + 1));
    const fields = record(stored, "a value");
    switch (own(fields, "$")) {
      case "flow":
        return { $: "flow", v: this.#reference(own(fields, "uid")) };
      case "action":
        return { $: "action", id: this.#actionNumber(own(fields, "uid")) };
      case "event":
        return { $: "same", i: found(this.#events.get(text(own(fields, "uid"), "an event")), "an event") };
      default:
        return Object.assign(
          Object.create(null) as StoredRecord,
          Object.fromEntries(Object.keys(fields).map((key) => [key, this.#values(fields[key], depth + 1)])),
        );
    }
  }
}

function forkOf(stored: StoredRecord): StoredRecord {
  const { number, notes, ready: isReady, next } = stored;
  const starts = list(notes, "notes").map((note) => (note === null ? "open" : note === 1 ? "failed" : "ready"));
  const [into, target] = next === undefined ? [] : list(next, "next");
  return { number, starts, isReady, next: next === undefined ? undefined : { into, target } };
}

function without(stored: StoredRecord, ...names: readonly string[]): StoredRecord {
  return Object.fromEntries(Object.entries(stored).filter(([name]) => !names.includes(name)));
}

function uidOf(stored: StoredRecord): string {
  return text(own(stored, "uid"), "uid");
}

function keyOf(stored: StoredRecord): string {
  return text(own(stored, "key") ?? own(stored, "uid"), "key");
}

function found<Item>(item: Item | undefined, name: string): Item {
  if (item === undefined) throw damaged(`${name} is missing`);
  return item;
}

/** Keys are given by the writer of the state; the same one twice would make two things one. */
function addOnce<Key, Item>(table: Map<Key, Item>, key: Key, item: Item): void {
  if (table.has(key)) throw damaged("something is there twice");
  table.set(key, item);
}
