import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { Guardrails } from "../../../src/index.js";
import {
  type NodeRedisClient,
  PostgresThreadStore,
  type PostgresThreadStoreOptions,
  RedisThreadStore,
  type RedisThreadStoreOptions,
  type ThreadStore,
  ThreadStoreError,
} from "../../../src/langchain/threads.js";
import { threadStoreContract } from "../../../src/testing/index.js";
import { type DatabaseServer, describeWith } from "../../support/servers/database-server.js";
import { openCuttingProxy } from "../../support/servers/cutting-proxy.js";
import { startPostgres } from "../../support/servers/postgres.js";
import { hasRedis, startRedis } from "../../support/servers/redis.js";

const next = (_params: unknown, { context }: { context: Readonly<Record<string, unknown>> }): number =>
  Number(context["count"] ?? 0) + 1;
const counter = (threads: ThreadStore): Promise<Guardrails> =>
  Guardrails.fromConfig(
    { colang: "define flow count\n  event UserMessage\n  $count = execute next\n  bot $count\n", yaml: "models: []" },
    { threads, actions: { next } },
  );
const say = async (guardrails: Guardrails, thread_id: string): Promise<unknown> =>
  (await guardrails.generate("hi", {}, { configurable: { thread_id } })).response;
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no error",
    (error: unknown) => (ThreadStoreError.isInstance(error) ? error.code : error),
  );

/** Requirements for every store over a database, beyond the contract of thread stores. */
function describeStore(
  connect: (url?: string) => Promise<ThreadStore & { close(): Promise<void> }>,
  database: () => DatabaseServer,
): void {
  it("fails if the reply to a write is lost, does not write again, and continues", async () => {
    const { port, url } = database();
    await using proxy = await openCuttingProxy(port);
    const store = await connect(url.replace(`:${port}`, `:${proxy.port}`));
    expect(await store.set("cut", { version: 1, state: { turn: 1 } }, { expectedVersion: 0 })).toBe(true);
    proxy.loseNextReply();
    const lost = store.set("cut", { version: 2, state: { turn: 2 } }, { expectedVersion: 1 });
    await expect(Promise.resolve(lost)).rejects.toThrow();
    expect(await store.get("cut")).toEqual({ version: 2, state: { turn: 2 } });
    proxy.loseNextReply();
    await expect(Promise.resolve(store.get("cut"))).rejects.toThrow();
    expect(await store.set("cut", { version: 3, state: {} }, { expectedVersion: 2 })).toBe(true);
    await store.close();
  });

  it("continues a conversation in another process", async () => {
    const [first, second] = [await connect(), await connect()];
    expect(await say(await counter(first), "carried")).toBe("1");
    expect(await say(await counter(second), "carried")).toBe("2");
    await Promise.all([first.close(), second.close()]);
  });

  it("loses no turn that is acknowledged, and refuses one of two at once", async () => {
    const stores = [await connect(), await connect()];
    const speakers = await Promise.all(stores.map(counter));
    const outcomes: unknown[] = [];
    for (let round = 0; round < 10; round += 1) {
      outcomes.push(...(await Promise.all(speakers.map((speaker) => codeOf(say(speaker, "shared"))))));
    }
    const acknowledged = outcomes.filter((outcome) => outcome === "no error").length;
    expect(new Set(outcomes)).toEqual(new Set(["no error", "RL-403"]));
    expect(await say(speakers[0] as Guardrails, "shared")).toBe(String(acknowledged + 1));
    await Promise.all(stores.map((store) => store.close()));
  });

  it("continues with a conversation after its server was away", async () => {
    const store = await connect();
    const guardrails = await counter(store);
    expect(await say(guardrails, "restarted")).toBe("1");
    await database().goDown();
    expect(await codeOf(say(guardrails, "restarted"))).toBe("RL-404");
    await database().comeBack();
    let again: unknown;
    // The client reconnects a moment later; until then calls fail.
    for (let attempt = 0; attempt < 1_000 && again === undefined; attempt += 1) {
      again = await say(guardrails, "restarted").catch((error: unknown) => {
        if (!ThreadStoreError.isInstance(error)) throw error;
      });
    }
    expect(again).toBe("2");
    await store.close();
  });

  it("reports a lost connection as a failure of the store", async () => {
    const store = await connect();
    await store.close();
    expect(await codeOf(say(await counter(store), "lost"))).toBe("RL-404");
  });
}

describeWith("RedisThreadStore", hasRedis, () => {
  let server: DatabaseServer;
  let client: Redis;
  let stores = 0;
  const open = (options: RedisThreadStoreOptions = {}): RedisThreadStore =>
    new RedisThreadStore(client, { prefix: `test:${(stores += 1)}:`, ...options });

  beforeAll(async () => {
    server = await startRedis();
    client = new Redis(server.url);
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  describe("contract", () => {
    it.each(threadStoreContract(() => open()))("$name", ({ run }) => run());
  });

  describe("contract over a client of the shape of node-redis", () => {
    const nodeRedis: NodeRedisClient = {
      eval: (script, { keys, arguments: values }) => client.eval(script, keys.length, ...keys, ...values),
    };
    const openNodeRedis = () => new RedisThreadStore(nodeRedis, { prefix: `test:${(stores += 1)}:` });
    it.each(threadStoreContract(openNodeRedis))("$name", ({ run }) => run());
  });

  describeStore(
    (url = server.url) => RedisThreadStore.connect(url),
    () => server,
  );

  it("forgets a conversation some time after its last write", async () => {
    const store = open({ ttlMs: 60_000, prefix: "ttl:" });
    await store.set("a", { version: 1, state: {} });
    const left = await client.pttl("ttl:id.a");
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
    const lasting = open({ prefix: "lasting:" });
    await lasting.set("a", { version: 1, state: {} });
    expect(await client.pttl("lasting:id.a")).toBe(-1);
    // A store without a time to live also keeps conversations of a store with one.
    await open({ prefix: "ttl:" }).set("a", { version: 2, state: {} }, { expectedVersion: 1 });
    expect(await client.pttl("ttl:id.a")).toBe(-1);
  });

  it("reports a value that is not a conversation", async () => {
    await client.hset("foreign:id.a", "version", "1", "state", "{");
    await client.set("foreign:id.b", "text");
    const store = open({ prefix: "foreign:" });
    expect(await codeOf(say(await counter(store), "a"))).toBe("RL-402");
    expect(await codeOf(say(await counter(store), "b"))).toBe("RL-404");
  });

  it("rejects at once without a server", async () => {
    const gone = await startRedis();
    await gone.stop();
    await expect(RedisThreadStore.connect(gone.url)).rejects.toThrow();
  });
});

describeWith("PostgresThreadStore", true, () => {
  let server: DatabaseServer;
  let pool: Pool;
  let stores = 0;
  const open = (options: PostgresThreadStoreOptions = {}): PostgresThreadStore =>
    new PostgresThreadStore(pool, { table: `threads_${(stores += 1)}`, ...options });

  beforeAll(async () => {
    server = await startPostgres();
    pool = new Pool({ connectionString: server.url });
    // The server may stop before the last connections of the pool are closed.
    pool.on("error", () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  describe("contract", () => {
    it.each(threadStoreContract(() => open()))("$name", ({ run }) => run());
  });

  describe("contract with a time to live", () => {
    it.each(threadStoreContract(() => open({ ttlMs: 60_000 })))("$name", ({ run }) => run());
  });

  describeStore(
    (url = server.url) => PostgresThreadStore.connect(url),
    () => server,
  );

  it("forgets a conversation some time after its last write, and deletes it on request", async () => {
    const store = open({ table: "aging", ttlMs: 60_000 });
    await store.set("old", { version: 4, state: {} });
    await store.set("new", { version: 1, state: {} });
    await pool.query("update aging set updated_at = now() - interval '1 hour' where id = 'id.old'");
    expect(await store.get("old")).toBeUndefined();
    expect(await store.set("old", { version: 5, state: {} }, { expectedVersion: 4 })).toBe(false);
    expect(await store.set("old", { version: 1, state: { again: true } }, { expectedVersion: 0 })).toBe(true);
    await pool.query("update aging set updated_at = now() - interval '1 hour' where id = 'id.old'");
    expect([await store.prune(), await store.prune()]).toEqual([1, 0]);
    expect(await store.get("new")).toEqual({ version: 1, state: {} });
  });

  it("creates its tables once, even if many processes begin at once", async () => {
    const options = { table: "crowded" };
    const stores = await Promise.all(Array.from({ length: 4 }, () => PostgresThreadStore.connect(server.url, options)));
    const { rows } = await pool.query("select version from crowded_migrations order by version");
    expect(rows).toEqual([{ version: 1 }, { version: 2 }]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it("migrates the tables of an older release and keeps their conversations", async () => {
    await pool.query(
      "create table older (id text primary key, version integer not null, state text not null, updated_at timestamptz not null default now())",
    );
    await pool.query("create table older_migrations (version integer primary key)");
    await pool.query("insert into older_migrations values (1)");
    await pool.query("insert into older (id, version, state) values ('id.a', 3, '{\"kept\":true}')");
    const store = open({ table: "older" });
    expect(await store.get("a")).toEqual({ version: 3, state: { kept: true } });
    const { rows } = await pool.query("select indexdef from pg_indexes where tablename = 'older' order by 1");
    expect(rows.map((row: Record<string, unknown>) => String(row["indexdef"])).join("\n")).toContain("(updated_at)");
  });

  it("refuses the tables of a newer release, every time", async () => {
    await open({ table: "newer" }).setup();
    await pool.query("insert into newer_migrations values (99)");
    const store = open({ table: "newer" });
    const refusal = "belongs to a newer release: expected at most 2 migrations, found 99";
    await expect(store.get("a")).rejects.toThrow(refusal);
    await expect(store.set("a", { version: 1, state: {} })).rejects.toThrow(refusal);
  });

  it("keeps its tables in the schema that the application names", async () => {
    await pool.query("create schema apart");
    const store = open({ schema: "apart", table: "threads" });
    await store.set("a", { version: 1, state: {} });
    expect((await pool.query("select id from apart.threads")).rows).toEqual([{ id: "id.a" }]);
  });

  it("reports a value that is not a conversation", async () => {
    const store = open({ table: "foreign_rows" });
    await store.set("a", { version: 1, state: {} });
    await pool.query("update foreign_rows set state = '{'");
    expect(await codeOf(say(await counter(store), "a"))).toBe("RL-402");
  });
});

describe("options", () => {
  const pool = { query: () => Promise.reject(new Error("no query")), connect: () => Promise.reject(new Error("none")) };
  const redis = { eval: () => Promise.reject(new Error("no script")) };

  it.each([
    ["a table with a quote", () => new PostgresThreadStore(pool, { table: 'a"; drop table b; --' }), "`table` takes"],
    ["a schema with a dot", () => new PostgresThreadStore(pool, { schema: "a.b" }), "`schema` takes"],
    ["a negative time", () => new PostgresThreadStore(pool, { ttlMs: -1 }), "whole number of milliseconds, not `-1`"],
    [
      "half a millisecond",
      () => new RedisThreadStore(redis, { ttlMs: 0.5 }),
      "whole number of milliseconds, not `0.5`",
    ],
    ["an unknown option", () => new RedisThreadStore(redis, { ttl: 1 } as object), "`ttlMs`"],
  ])("refuse %s", (_name, make, message) => {
    expect(make).toThrow(message);
  });
});
