import type { StoredThread, ThreadStore } from "../../threads/thread-store.js";
import { type ContractCase, requireSame } from "./contract.js";

const STATE = JSON.parse('{"text":"naïve 😀 \\u0000","list":[1,null,{"deep":true}],"__proto__":{"own":1}}') as object;
const thread = (version: number, state: unknown = { at: version }): StoredThread => ({ version, state });

/** Ids that file systems, plain objects, databases and encoders confuse. */
const HOSTILE_IDS = [
  "__proto__",
  "constructor",
  "toString",
  "a",
  "A",
  " a",
  "a ",
  "id.a",
  "a/b",
  "../a",
  "a\u0000b",
  "a:b",
  "a%2Fb",
  "😀",
  "\ud83d",
  "\ude00",
  "é",
  "e\u0301",
  "long".repeat(500),
  "long".repeat(501),
  "sha256.ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
];

/** Demands by name. */
const DEMANDS: Readonly<Record<string, (store: ThreadStore) => void | Promise<void>>> = {
  "knows no conversation at first": async (store) => requireNothing(await store.get("new")),
  "gives back what was set": async (store) => {
    await store.set("a", thread(1, STATE), { expectedVersion: 0 });
    requireThread(await store.get("a"), thread(1, STATE));
  },
  "takes a write that expects what is stored": async (store) => {
    requireSame(await store.set("a", thread(1), { expectedVersion: 0 }), true, "the first write");
    requireSame(await store.set("a", thread(2), { expectedVersion: 1 }), true, "the second write");
    requireThread(await store.get("a"), thread(2));
  },
  "refuses a write that expects version 0 of 2, and keeps what is stored": (store) => refuseWrite(store, 0),
  "refuses a write that expects version 1 of 2, and keeps what is stored": (store) => refuseWrite(store, 1),
  "refuses a write that expects version 3 of 2, and keeps what is stored": (store) => refuseWrite(store, 3),
  "refuses a write that expects a conversation where there is none": async (store) => {
    requireSame(await store.set("a", thread(2), { expectedVersion: 1 }), false, "the write");
    requireNothing(await store.get("a"));
  },
  "takes a write that expects nothing in particular": async (store) => {
    await store.set("a", thread(5));
    requireSame(await store.set("a", thread(3)), true, "the write");
    requireThread(await store.get("a"), thread(3));
  },
  "forgets a deleted conversation, also for writes that still expect it": async (store) => {
    await store.set("a", thread(1));
    await store.set("b", thread(1));
    await store.delete("a");
    requireNothing(await store.get("a"));
    requireThread(await store.get("b"), thread(1));
    requireSame(await store.set("a", thread(2), { expectedVersion: 1 }), false, "a write that expects it");
    requireSame(await store.set("a", thread(1), { expectedVersion: 0 }), true, "a write that begins it anew");
  },
  "deletes a missing thread without an error": (store) => store.delete("missing"),
  "separates conversations whatever their ids are": async (store) => {
    for (const id of HOSTILE_IDS) {
      const isWritten = await store.set(id, thread(1, { id }), { expectedVersion: 0 });
      requireSame(isWritten, true, `the id ${JSON.stringify(id)}`);
    }
    for (const id of HOSTILE_IDS) requireThread(await store.get(id), thread(1, { id }));
    requireSame(({} as Record<string, unknown>)["version"], undefined, "the prototype of objects");
  },
  "lets one of many writers at once win": async (store) => {
    const writes = Array.from({ length: 20 }, (_, index) =>
      store.set("a", thread(1, { writer: index }), { expectedVersion: 0 }),
    );
    const won = (await Promise.all(writes)).flatMap((kept, index) => (kept ? [index] : []));
    requireSame(won.length, 1, "writers that won");
    requireThread(await store.get("a"), thread(1, { writer: won[0] }));
  },
  "loses no update of writers that try again": async (store) => {
    const count = async (): Promise<void> => {
      const version = (await store.get("a"))?.version ?? 0;
      if (!(await store.set("a", thread(version + 1), { expectedVersion: version }))) await count();
    };
    await Promise.all(Array.from({ length: 10 }, count));
    requireThread(await store.get("a"), thread(10));
  },
};

async function refuseWrite(store: ThreadStore, expectedVersion: number): Promise<void> {
  await store.set("a", thread(2));
  requireSame(await store.set("a", thread(9), { expectedVersion }), false, "the outdated write");
  requireThread(await store.get("a"), thread(2));
}

/**
 * The contract of every thread store; each case gets its own store. Tests within one process cannot show that two
 * processes never overwrite each other.
 *
 * @param open - makes an empty store
 *
 * @example
 * ```ts
 * it.each(threadStoreContract(() => new MyThreadStore()))("$name", ({ run }) => run());
 * ```
 */
export function threadStoreContract(open: () => ThreadStore | Promise<ThreadStore>): readonly ContractCase[] {
  return Object.entries(DEMANDS).map(([name, run]) => ({ name, run: async () => run(await open()) }));
}

function requireThread(found: StoredThread | undefined, expected: StoredThread): void {
  requireSame(found?.version, expected.version, "the version");
  requireSame(found?.state, expected.state, "the state");
}

function requireNothing(found: unknown): void {
  requireSame(found ?? undefined, undefined, "the conversation");
}
