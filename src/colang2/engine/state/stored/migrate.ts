import { count, damaged, list, record, text, type StoredRecord } from "../../../../engine/stored-shape.js";
import { STATE_VERSION } from "./encode.js";

const MAX_DEPTH = 400;

/**
 * Converts a conversation of version 1 or 2 to the current form. Those versions nested heads in flows, and kept
 * actions, events, scopes and references in tables by key.
 *
 * @throws InputShapeError if a part is not where these versions wrote it
 */
export function migrate(document: StoredRecord): StoredRecord {
  return new Migration(document).run();
}

class Migration {
  readonly #document: StoredRecord;
  readonly #references = new Map<string, StoredRecord>();
  /** Numbers of the actions, by key. */
  readonly #actions = new Map<string, number>();
  /** Indexes of the events among the shared values, by key. */
  readonly #events = new Map<string, number>();
  readonly #eventRecords = new Map<string, StoredRecord>();
  readonly #scopes = new Map<number, StoredRecord>();

  constructor(document: StoredRecord) {
    this.#document = document;
  }

  run(): StoredRecord {
    const { round: _round, main, references: _references, scopes: _scopes, events: _events, ...same } = this.#document;
    const orders = count(same["orders"], "orders");
    const shared = list(same["shared"], "shared");
    for (const { uid, flow } of this.#table("flows")) this.#references.set(text(uid, "uid"), { uid, flow });
    for (const { uid, flow, of } of this.#table("references")) {
      this.#references.set(text(uid, "uid"), { uid, flow, instance: of === null ? undefined : text(of, "of") });
    }
    const actions = this.#table("actions");
    for (const [at, stored] of actions.entries()) addOnce(this.#actions, keyOf(stored), orders + 1 + at);
    for (const scope of this.#table("scopes")) addOnce(this.#scopes, count(scope["order"], "order"), scope);
    const events = this.#table("events");
    for (const [at, stored] of events.entries()) addOnce(this.#events, keyOf(stored), shared.length + at);
    for (const stored of events) this.#eventRecords.set(keyOf(stored), this.#event(stored));
    const flows = this.#table("flows").map((flow) => this.#flow(flow));
    const isEnded = ({ status }: StoredRecord): boolean => status === "stopped" || status === "finished";
    if (main !== null && !this.#references.has(text(main, "main"))) throw damaged("`main` is missing");
    return {
      ...same,
      version: STATE_VERSION,
      orders: orders + actions.length,
      globals: this.#values(same["globals"]),
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
    return list(this.#document[name], name).map((item) => record(item, name));
  }

  #flow(stored: StoredRecord): StoredRecord {
    const { shares, globals, owns = [], flags, pauses, belongings: _, ...same } = stored;
    const uid = text(same["uid"], "uid");
    const heads: StoredRecord[] = [];
    const scopes = new Set<number>();
    this.#heads(same["heads"], { uid, heads, scopes }, undefined, 0);
    const [hasSuccessor, hasWaited, isIdle, hasMatched] = list(flags, "flags").map((bit) => bit === 1);
    return {
      loopPriority: 0,
      priority: 1,
      ...same,
      hasSuccessor,
      hasWaited,
      isIdle,
      hasMatched,
      parent: same["parent"] ?? undefined,
      sharesVariables: shares,
      variables: this.#values(same["variables"]),
      globalNames: globals,
      bound: this.#values(same["bound"]),
      heads: heads.sort((left, right) => Number(left["id"]) - Number(right["id"])),
      scopes: [...scopes].sort((left, right) => left - right).map((number) => this.#scope(number)),
      ownerships: list(owns, "owns").map((item) => {
        const [key, open] = list(item, "owns");
        return { flow: uid, action: this.#actionNumber(key), scopes: open };
      }),
      returnValue: this.#values(same["returnValue"]),
      pause: this.#pause(same["pause"]),
      pausesWhenStarted: this.#pause(pauses),
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
      const { at: address, stale: isStale, actEvent: event, act, pattern, fork, ...same } = record(item, "heads");
      for (const order of list(same["scopes"] ?? [], "scopes")) into.scopes.add(count(order, "scopes"));
      const forked = fork === undefined ? undefined : record(fork, "fork");
      into.heads.push({
        status: "active",
        branch: 0,
        waits: "no",
        ...same,
        flow: into.uid,
        address,
        isStale,
        parent,
        pattern: pattern === undefined ? undefined : this.#pattern(record(pattern, "pattern")),
        act: act === undefined ? undefined : { requests: this.#requests(act), event },
        fork: forked && forkOf(forked),
      });
      if (forked) this.#heads(forked["heads"], into, same["id"], depth + 1);
    }
  }

  #pattern({ bound, flow, fields, asks, start, never, once, ...same }: StoredRecord): StoredRecord {
    const [kind, uid] = bound === undefined ? [] : list(bound, "bound");
    return {
      ...same,
      bound: bound === undefined ? undefined : { kind, uid },
      flowId: flow,
      fields: this.#values(fields),
      constraints: this.#values(asks),
      startArguments: this.#values(start),
      impossibleBy: never,
      isOnce: once,
    };
  }

  #requests(act: unknown): unknown {
    return list(act, "act").map((item) => {
      const { payload, action, request, ...same } = record(item, "act");
      return {
        ...same,
        payload: this.#values(payload),
        action: (action ?? undefined) === undefined ? undefined : this.#actionNumber(action),
        request: request ?? undefined,
      };
    });
  }

  #pause(stored: unknown): unknown {
    if (stored === undefined) return undefined;
    const pause = record(stored, "pause");
    const latched = list(pause["latched"], "latched").map((key) => this.#eventRecords.get(text(key, "latched")));
    return { ...pause, latched };
  }

  #scope(order: number): StoredRecord {
    const scope = found(this.#scopes.get(order), "a scope");
    const members = list(scope["members"], "members").map((item) => {
      const { flow, action } = record(item, "members");
      return flow ?? this.#actionNumber(action);
    });
    return { ...scope, members };
  }

  #activation({ dormant, owners, ...same }: StoredRecord): StoredRecord {
    return {
      ...same,
      isDormant: dormant,
      bound: this.#values(same["bound"]),
      owners: list(owners, "owners").map((owner) => ({ flow: owner ?? undefined, order: same["order"] })),
      parent: same["parent"] ?? undefined,
      loop: same["loop"] ?? undefined,
    };
  }

  #action(stored: StoredRecord): StoredRecord {
    const { key: _, own, running, start, ...same } = stored;
    return {
      ...same,
      id: this.#actionNumber(keyOf(stored)),
      isOwn: own,
      isKnown: running,
      startArguments: this.#values(start),
      context: this.#values(same["context"]),
    };
  }

  #event(stored: StoredRecord): StoredRecord {
    const { key: _, internal, flow, action, ...same } = stored;
    const tables = ["fields", "payload", "meta", "extras"].map((name) => [name, this.#values(same[name])]);
    return {
      ...same,
      ...(Object.fromEntries(tables) as StoredRecord),
      isInternal: internal,
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
    const fields = stored as StoredRecord;
    switch (fields["$"]) {
      case "flow":
        return { $: "flow", v: this.#reference(fields["uid"]) };
      case "action":
        return { $: "action", id: this.#actionNumber(fields["uid"]) };
      case "event":
        return { $: "same", i: found(this.#events.get(text(fields["uid"], "an event")), "an event") };
      default:
        return Object.assign(
          Object.create(null) as StoredRecord,
          Object.fromEntries(Object.keys(fields).map((key) => [key, this.#values(fields[key], depth + 1)])),
        );
    }
  }
}

function forkOf({ number, notes, ready: isReady, next }: StoredRecord): StoredRecord {
  const starts = list(notes, "notes").map((note) => (note === null ? "open" : note === 1 ? "failed" : "ready"));
  const [into, target] = next === undefined ? [] : list(next, "next");
  return { number, starts, isReady, next: next === undefined ? undefined : { into, target } };
}

function keyOf(stored: StoredRecord): string {
  return text(stored["key"] ?? stored["uid"], "key");
}

function found<Item>(item: Item | undefined, name: string): Item {
  if (item === undefined) throw damaged(`${name} is missing`);
  return item;
}

/** Keys come from the writer of the state; a duplicate would merge two objects. */
function addOnce<Key, Item>(table: Map<Key, Item>, key: Key, item: Item): void {
  if (table.has(key)) throw damaged("something is there twice");
  table.set(key, item);
}
