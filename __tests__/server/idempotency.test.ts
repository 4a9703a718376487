import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { MemoryThreadStore, type StoredThread, type ThreadStore } from "../../src/langchain/threads.js";
import { answering, guardedServer, readEvents } from "../support/server/guarded-server.js";
import { serverOfFile } from "../support/server/server-of-file.js";

const KEYS = { ann: "key-of-ann-0123456789", bob: "key-of-bob-0123456789" };

/** A store whose reads and writes a test can replace. */
class ScriptedStore implements ThreadStore {
  readonly inner = new MemoryThreadStore();
  onGet: (id: string) => Promise<StoredThread | undefined> = async (id) => this.inner.get(id);
  onSet: ThreadStore["set"] = (id, thread, options) => this.inner.set(id, thread, options);
  /** Ids that were read. */
  readonly seen = new Set<string>();

  get(id: string): Promise<StoredThread | undefined> {
    this.seen.add(id);
    return this.onGet(id);
  }

  set(...given: Parameters<ThreadStore["set"]>): Promise<boolean> | boolean {
    return this.onSet(...given);
  }

  delete(id: string): void {
    this.inner.delete(id);
  }

  reset(): void {
    this.onGet = async (id) => this.inner.get(id);
    this.onSet = (id, thread, options) => this.inner.set(id, thread, options);
  }
}

const store = new ScriptedStore();
let threads = 0;
const newThread = (): string => `thread-${String((threads += 1)).padStart(10, "0")}`;

const keys = Object.entries(KEYS).map(([id, key]) => ({ id, key }));
const server = serverOfFile({ keys, threads: store, limits: { threadMs: 200 } });

interface Sent {
  readonly thread: string;
  readonly text?: string;
  readonly reply?: string;
  readonly key?: string;
  readonly caller?: keyof typeof KEYS;
  readonly fields?: object;
  readonly path?: string;
}

/** Runs a turn; `asked` is the number of its model calls. */
async function turn({ thread, text = "hi", reply = "fine", key, caller = "ann", fields = {}, path }: Sent) {
  server.upstream.reply = answering(reply);
  const before = server.upstream.requests.length;
  const headers = {
    authorization: `Bearer ${KEYS[caller]}`,
    ...(key === undefined ? {} : { "idempotency-key": key }),
  };
  const response =
    path === undefined
      ? await server.chat(text, { guardrails: { thread_id: thread }, ...fields }, headers)
      : await server.send(path, {
          json: { messages: [{ role: "user", content: text }], thread_id: thread, ...fields },
          headers,
        });
  const body = await response.text();
  return {
    status: response.status,
    body,
    replayed: response.headers.get("idempotent-replayed") === "true",
    retry: response.headers.get("x-should-retry"),
    verdict: response.headers.get("x-guardrails-status"),
    asked: server.upstream.requests.length - before,
  };
}

const sentMessages = (): unknown => server.upstream.requests.at(-1)?.body["messages"];
const contents = (): unknown => (sentMessages() as { content: unknown }[]).map(({ content }) => content);
const errorOf = (body: string): { readonly code: string; readonly message: string } =>
  (JSON.parse(body) as { error: { code: string; message: string } }).error;

describe("a turn with an idempotency key", () => {
  it("runs once, and its reply is sent again", async () => {
    const thread = newThread();
    const first = await turn({ thread, key: "a", reply: "one" });
    const second = await turn({ thread, key: "a", reply: "another" });
    expect(second).toEqual({ ...first, replayed: true, asked: 0 });
    await turn({ thread, text: "next", key: "b" });
    expect(contents()).toEqual(["hi", "one", "next"]);
  });

  it("runs once if the key is the field `turn_id`", async () => {
    const thread = newThread();
    const fields = { guardrails: { thread_id: thread, turn_id: "a" } };
    const first = await turn({ thread, reply: "one", fields });
    expect(await turn({ thread, reply: "another", fields })).toEqual({ ...first, replayed: true, asked: 0 });
  });

  it("is streamed again from the stored reply", async () => {
    const thread = newThread();
    const fields = { stream: true, stream_options: { include_usage: true } };
    const first = await turn({ thread, key: "a", reply: "one two three four five six seven", fields });
    const second = await turn({ thread, key: "a", reply: "another", fields });
    expect(second).toMatchObject({ status: 200, replayed: true, asked: 0 });
    const textOf = (body: string): string =>
      readEvents(body)
        .map((event) => (event as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content ?? "")
        .join("");
    expect(textOf(second.body)).toBe("one two three four five six seven");
    expect(textOf(second.body)).toBe(textOf(first.body));
    // The verdict, the usage and the end are those of the first stream.
    expect(readEvents(second.body).slice(-3)).toEqual(readEvents(first.body).slice(-3));
  });

  it("keeps the refusal of a rail", async () => {
    const thread = newThread();
    const first = await turn({ thread, key: "a", text: "a bad word" });
    const second = await turn({ thread, key: "a", text: "a bad word" });
    expect(first).toMatchObject({ status: 200, verdict: "blocked", asked: 0 });
    expect(second).toEqual({ ...first, replayed: true });
  });

  it("runs again if it failed", async () => {
    const thread = newThread();
    server.upstream.reply = (_request, response) => void response.writeHead(500).end("{}");
    const before = server.upstream.requests.length;
    const headers = { authorization: `Bearer ${KEYS.ann}`, "idempotency-key": "a" };
    const failed = await server.chat("hi", { guardrails: { thread_id: thread } }, headers);
    expect(failed.status).toBe(500);
    expect(server.upstream.requests.length - before).toBe(1);
    expect(await turn({ thread, key: "a", reply: "one" })).toMatchObject({ status: 200, replayed: false, asked: 1 });
  });

  it.each([
    ["another text", { text: "hello" }],
    ["another parameter", { fields: { temperature: 0.5 } }],
    ["a stream", { fields: { stream: true } }],
  ])("refuses the same key with %s", async (_name, { fields, ...other }: Partial<Sent>) => {
    const thread = newThread();
    const guardrails = { thread_id: thread };
    await turn({ thread, key: "a" });
    const second = await turn({ thread, key: "a", ...other, fields: { guardrails, ...fields } });
    expect(second).toMatchObject({ status: 422, asked: 0, retry: "false" });
    expect(errorOf(second.body).code).toBe("idempotency_key_reused");
  });

  it("belongs to its caller and its thread", async () => {
    const thread = newThread();
    await turn({ thread, key: "a", reply: "one" });
    const others = [await turn({ thread, key: "a", caller: "bob" }), await turn({ thread: newThread(), key: "a" })];
    expect(others.map(({ replayed, asked }) => ({ replayed, asked }))).toEqual([
      { replayed: false, asked: 1 },
      { replayed: false, asked: 1 },
    ]);
  });

  it("waits for the first request if both arrive at once", async () => {
    const thread = newThread();
    const replies = await Promise.all(Array.from({ length: 5 }, () => turn({ thread, key: "a", reply: "one" })));
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1);
    expect(replies.filter(({ replayed }) => replayed)).toHaveLength(4);
    await turn({ thread, text: "next" });
    expect(contents()).toEqual(["hi", "one", "next"]);
  });

  it("gets the reply of another process that was faster", async () => {
    const thread = newThread();
    const first = await turn({ thread, key: "a", reply: "one" });
    // This process read the thread before the other one wrote.
    store.onGet = async () => {
      store.reset();
      return undefined;
    };
    const second = await turn({ thread, key: "a", reply: "another" });
    expect(second).toMatchObject({ status: 200, replayed: true, body: first.body, asked: 1 });
  });

  it("ends a stream with a conflict if another process was faster", async () => {
    const thread = newThread();
    const fields = { stream: true };
    await turn({ thread, key: "a", reply: "one", fields });
    store.onGet = async () => {
      store.reset();
      return undefined;
    };
    const second = await turn({ thread, key: "a", reply: "another", fields });
    expect(second.body).not.toContain("[DONE]");
    expect(second.body).toContain("thread_conflict");
    expect((await turn({ thread, key: "a", fields })).body).toContain("one");
  });

  it.each<[string, (id: string) => unknown, string]>([
    ["was deleted", (id) => store.inner.delete(id), "expired or was deleted"],
    ["was changed", (id) => store.inner.set(id, { version: 1, state: {} }), "Another request has changed"],
  ])("says in a conflict that the thread %s", async (_, change, reason) => {
    const thread = newThread();
    await turn({ thread });
    store.onSet = (id, next, options) => {
      change(id);
      return store.inner.set(id, next, options);
    };
    const { status, body, retry } = await turn({ thread });
    store.reset();
    expect([status, retry, body]).toEqual([409, "true", expect.stringContaining(reason)]);
  });

  it("is forgotten after 32 further ones", async () => {
    const thread = newThread();
    for (let index = 0; index <= 32; index += 1) await turn({ thread, key: `key ${index}` });
    expect(await turn({ thread, key: "key 1" })).toMatchObject({ replayed: true });
    expect(await turn({ thread, key: "key 0" })).toMatchObject({ replayed: false, asked: 1 });
  });

  it("runs once in the format of NeMo Guardrails", async () => {
    const thread = newThread();
    const path = "/nemo/v1/chat/completions";
    const first = await turn({ thread, key: "a", reply: "one", path });
    const second = await turn({ thread, key: "a", reply: "another", path });
    expect(first.body).toContain("one");
    expect(second).toEqual({ ...first, replayed: true, asked: 0 });
    const fields = { stream: true };
    const streamed = await turn({ thread, key: "b", reply: "two", path, fields });
    expect(await turn({ thread, key: "b", reply: "another", path, fields })).toEqual({
      ...streamed,
      // Known before the reply begins, except for a stream.
      verdict: "passed",
      replayed: true,
      asked: 0,
    });
  });

  it.each([
    ["an empty key", { key: "" }, 400],
    ["a key of 256 characters", { key: "k".repeat(256) }, 400],
    ["two keys", { key: "a", fields: { guardrails: { thread_id: "thread-of-two-keys", turn_id: "b" } } }, 400],
    ["a turn id without a thread", { fields: { guardrails: { turn_id: "b" } } }, 400],
    ["a key without a thread", { key: "a", fields: { guardrails: {} } }, 200],
  ])("%s", async (_name, sent, status) => {
    expect((await turn({ thread: newThread(), ...sent })).status).toBe(status);
  });
});

describe("a store of threads", () => {
  it("holds one record for a conversation", async () => {
    const before = store.seen.size;
    await turn({ thread: newThread(), key: "a" });
    expect(store.seen.size - before).toBe(1);
  });

  it("refuses a turn on a thread that was changed meanwhile", async () => {
    const thread = newThread();
    await turn({ thread });
    store.onSet = () => false;
    const refused = await turn({ thread });
    store.reset();
    expect(refused).toMatchObject({ status: 409, retry: "true" });
  });

  it.each([
    ["fails to read", () => (store.onGet = () => Promise.reject(new Error("secret"))), {}, "true"],
    ["does not respond", () => (store.onGet = () => new Promise(() => undefined)), {}, "true"],
    ["fails to write", () => (store.onSet = () => Promise.reject(new Error("secret"))), {}, "false"],
    [
      "fails to write a turn with a key",
      () => (store.onSet = () => Promise.reject(new Error("s"))),
      { key: "a" },
      "true",
    ],
    ["never ends a write", () => (store.onSet = () => new Promise(() => undefined)), {}, "false"],
  ])("that %s makes the turn fail", async (_name, prepare, sent, retry) => {
    prepare();
    const failed = await turn({ thread: newThread(), ...sent });
    store.reset();
    expect(failed).toMatchObject({ status: 503, retry });
    expect(errorOf(failed.body).code).toBe("thread_store_unavailable");
    expect(failed.body).not.toContain("secret");
  });

  it("continues with a conversation of form 1", async () => {
    const path = new URL("fixtures/thread-form-1.json", import.meta.url);
    const stored = JSON.parse(readFileSync(path, "utf8")) as StoredThread;
    store.onGet = async () => stored;
    const sentAgain = await turn({ thread: "thread-of-form-1", key: "a" });
    await turn({ thread: "thread-of-form-1", text: "next", key: "b" });
    const seen = contents();
    store.reset();
    expect(sentAgain).toMatchObject({ status: 200, replayed: true, asked: 0 });
    expect(sentAgain.body).toContain("a reply of form *");
    expect(seen).toEqual(["hi", "a reply of form *", "next"]);
  });

  const record = { form: 1, messages: [], turns: [] };
  it.each([
    ["a text", "text"],
    ["a list", []],
    ["a record of a newer release", { ...record, form: 2, more: true }],
    ["a record without a form", { messages: [] }],
    ["messages that are none", { ...record, messages: [{ role: "god", content: "obey" }] }],
    ["messages without a list", { ...record, messages: {} }],
    [
      "a call without a name",
      { ...record, messages: [{ role: "assistant", content: null, tool_calls: [{ id: "a" }] }] },
    ],
    ["turns that are none", { ...record, turns: [{ key: "a" }] }],
    [
      "headers that are none",
      { ...record, turns: [{ key: "a", body: "b", at: 1, reply: { content: "", headers: { a: 1 }, length: 0 } }] },
    ],
    ["flows that are none", { ...record, dialog: "text" }],
    ["flows of another release", { ...record, dialog: { version: 99, engine: {}, history: [] } }],
  ])("that returns %s is not trusted, and nothing is overwritten", async (_name, state) => {
    let writes = 0;
    store.onGet = async () => ({ version: 3, state });
    store.onSet = () => {
      writes += 1;
      return true;
    };
    const failed = await turn({ thread: newThread() });
    store.reset();
    expect(failed).toMatchObject({ status: 500, retry: "false" });
    expect(errorOf(failed.body).code).toBe("thread_unreadable");
    expect(writes).toBe(0);
  });

  it.each([0, -1, 1.5, Number.NaN, "1", null])("that returns the version %j is not trusted", async (version) => {
    store.onGet = async () => ({ version: version as number, state: record });
    const failed = await turn({ thread: newThread() });
    store.reset();
    expect(failed.status).toBe(500);
  });

  it("keeps the newest turns of a conversation that is too long", async () => {
    const thread = newThread();
    const long = "word ".repeat(110_000);
    for (const text of ["first", long, long, "last"]) await turn({ thread, text, reply: "fine" });
    await turn({ thread, text: "next" });
    expect(contents()).toEqual([long, "fine", "last", "fine", "next"]);
    await turn({ thread, text: long });
    await turn({ thread, text: "end" });
    expect(contents()).toEqual(["last", "fine", "next", "fine", long, "fine", "end"]);
  });
});

describe("a server without threads", () => {
  it("refuses requests with a thread, and accepts others", async () => {
    const other = await guardedServer({ threads: false });
    const refused = await other.chat("hi", { guardrails: { thread_id: newThread() } });
    expect(refused.status).toBe(400);
    expect(errorOf(await refused.text()).code).toBe("threads_unavailable");
    expect((await other.chat("hi")).status).toBe(200);
    await other[Symbol.asyncDispose]();
  });

  it("does not start with a value that is not a store", async () => {
    await expect(guardedServer({ threads: { get: 1 } as unknown as ThreadStore })).rejects.toThrow(
      "expected a thread store",
    );
  });
});
