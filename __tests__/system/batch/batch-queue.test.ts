import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { BatchQueue, type BatchQueueOptions, type BatchResult, moderateFile } from "../../../src/batch/index.js";
import { GuardrailsError } from "../../../src/index.js";
import { type DatabaseServer, describeWith } from "../../support/servers/database-server.js";
import { hasRedis, startRedis } from "../../support/servers/redis.js";

const LOADER = new URL("../../../scripts/typescript-loader.mjs", import.meta.url).href;
const CHECKER = fileURLToPath(new URL("checker.ts", import.meta.url));
const PREFIX = "{langchain-guardrails:batch}";

type Checked = Awaited<ReturnType<Parameters<BatchQueue["work"]>[0]["check"]>>;

/** Guardrails that block `forbidden` and fail on `broken`, and count what they check. */
function checker(): { check: (value: unknown) => Promise<Checked>; readonly texts: string[] } {
  const texts: string[] = [];
  const check = (value: unknown): Promise<Checked> => {
    const text = String(value);
    texts.push(text);
    if (text.includes("broken")) return Promise.reject(new TypeError(text));
    const blocked = text.includes("forbidden");
    const guardrails = { blocked, decisions: [], ...(blocked ? { rail: "check words" } : {}) };
    return Promise.resolve({ status: blocked ? "blocked" : "passed", blocked, output: "No.", guardrails });
  };
  return { check, texts };
}

describeWith("BatchQueue", hasRedis, () => {
  let server: DatabaseServer;
  let folder = "";
  let name = "";
  let queues = 0;
  let opened: BatchQueue[] = [];
  let workers: ChildProcess[] = [];
  const path = (file: string): string => join(folder, file);
  const write = (rows: readonly unknown[]): void => {
    const lines = rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`);
    writeFileSync(path("in.jsonl"), lines.join(""));
  };
  const results = (): BatchResult[] => {
    if (!existsSync(path("out.jsonl"))) return [];
    const lines = readFileSync(path("out.jsonl"), "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as BatchResult);
  };
  const connect = async (options: BatchQueueOptions = {}): Promise<BatchQueue> => {
    const queue = await BatchQueue.connect(server.url, { name, backoffMs: 1, chunkRows: 10, ...options });
    opened.push(queue);
    return queue;
  };
  const moderate = (queue: BatchQueue, options: Parameters<typeof moderateFile>[3] = {}) =>
    moderateFile(queue, path("in.jsonl"), path("out.jsonl"), options);
  const withRedis = async <Value>(work: (client: Redis) => Promise<Value>): Promise<Value> => {
    const client = new Redis(server.url);
    try {
      return await work(client);
    } finally {
      client.disconnect();
    }
  };
  /** Starts a worker process; `next` waits for the next line that it writes. */
  const startWorker = async (lockMs: number) => {
    const child = spawn(
      process.execPath,
      ["--no-warnings", "--import", LOADER, CHECKER, server.url, name, String(lockMs)],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    workers.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string | undefined> => ((await lines.next()) as { value?: string }).value;
    await next();
    return { child, next };
  };

  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "batch-queue-"));
    name = `test-${(queues += 1)}`;
  });
  afterEach(async () => {
    for (const child of workers) child.kill("SIGKILL");
    await Promise.all(opened.map((queue) => queue.close()));
    workers = [];
    opened = [];
    rmSync(folder, { recursive: true });
  });

  it("writes the results of several workers in the order of the rows", async () => {
    write(Array.from({ length: 95 }, (_, index) => ({ id: index, text: index % 10 === 0 ? "forbidden" : "hello" })));
    const [queue, other] = [await connect(), await connect()];
    const [first, second] = [checker(), checker()];
    queue.work(first);
    other.work(second);
    const summary = await moderate(queue);
    expect(summary).toMatchObject({ rows: 95, passed: 85, blocked: 10, errors: 0, byRail: { "check words": 10 } });
    expect(results().map(({ line, id }) => [line, id])).toEqual(Array.from({ length: 95 }, (_, n) => [n + 1, n]));
    expect(first.texts.length + second.texts.length).toBe(95);
  });

  it("leaves nothing of the rows in Redis", async () => {
    write(Array.from({ length: 25 }, () => ({ text: "a secret plan" })));
    const queue = await connect();
    queue.work(checker());
    await moderate(queue);
    await withRedis(async (client) => {
      const keys = await client.keys(`${PREFIX}:${queue.key}:*`);
      expect(keys.filter((key) => key.includes("rows-"))).toEqual([]);
      const dumps = await Promise.all(keys.map((key) => client.dumpBuffer(key)));
      expect(dumps.some((dump) => dump?.includes("secret plan"))).toBe(false);
    });
  });

  it("checks the rows once if two runs of one file put them into the queue", async () => {
    write(Array.from({ length: 40 }, () => ({ text: "hello" })));
    const [queue, other] = [await connect(), await connect()];
    const controller = new AbortController();
    // The first run is stopped before a worker is registered; its rows stay in the queue.
    const first = moderate(queue, { signal: controller.signal });
    await withRedis(async (client) => {
      for (;;) if ((await client.llen(`${PREFIX}:${queue.key}:wait`)) === 4) break;
    });
    controller.abort();
    await expect(first).rejects.toThrow("aborted");
    const counted = checker();
    other.work(counted);
    await moderate(other, { existing: "resume" });
    expect(counted.texts.length).toBe(40);
    expect(results().length).toBe(40);
  });

  it("continues after the last result of an interrupted run", async () => {
    write(Array.from({ length: 60 }, (_, index) => ({ id: index, text: "hello" })));
    const queue = await connect();
    queue.work(checker());
    const controller = new AbortController();
    const onProgress = ({ rows }: { rows: number }): void => {
      // In the middle of a job of ten rows.
      if (rows === 25) controller.abort();
    };
    await expect(moderate(queue, { signal: controller.signal, onProgress })).rejects.toThrow("aborted");
    const before = results().length;
    expect(before).toBeGreaterThanOrEqual(25);
    expect(before).toBeLessThan(60);
    const summary = await moderate(queue, { existing: "resume" });
    expect(summary).toMatchObject({ rows: 60 - before, resumed: before });
    expect(results().map(({ id }) => id)).toEqual(Array.from({ length: 60 }, (_, index) => index));
  });

  it("gives the job of a killed worker to another one", async () => {
    write(Array.from({ length: 400 }, (_, index) => ({ id: index, text: "hello" })));
    const queue = await connect();
    const victims = [await startWorker(200), await startWorker(200)];
    const run = moderate(queue);
    await Promise.all(victims.map(({ next }) => next()));
    for (const { child } of victims) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    queue.work(checker(), { lockMs: 200 });
    expect(await run).toMatchObject({ rows: 400, passed: 400, errors: 0 });
    expect(results().map(({ id }) => id)).toEqual(Array.from({ length: 400 }, (_, index) => index));
  });

  it("reports a row that crashes each worker, and checks the rows around it", async () => {
    write([{ text: "hello" }, { id: "d", text: "deadly secret" }, { text: "forbidden" }]);
    const queue = await connect();
    const run = moderate(queue);
    // Three times as part of a job, and three times by itself.
    const deaths = Array.from({ length: 6 }, async () => once((await startWorker(100)).child, "exit"));
    await Promise.all(deaths);
    queue.work(checker(), { lockMs: 100 });
    const error = "the workers that checked the row ended before its result";
    expect(await run).toMatchObject({ rows: 3, passed: 1, blocked: 1, errors: 1, deadRows: 1 });
    expect(results()[1]).toEqual({ line: 2, id: "d", status: "error", error });
    expect(await queue.deadLetters()).toEqual([{ lines: [2], error, attempts: 3 }]);
  });

  it("retries only failed checks", async () => {
    write([{ text: "hello" }, { text: "flaky" }, "{"]);
    const counted = checker();
    let failures = 2;
    const check = (value: unknown): Promise<Checked> => {
      if (value !== "flaky" || failures === 0) return counted.check(value);
      failures -= 1;
      return Promise.reject(new Error("flaky"));
    };
    const queue = await connect();
    queue.work({ check });
    expect(await moderate(queue)).toMatchObject({ passed: 2, errors: 1 });
    expect(counted.texts).toEqual(["hello", "flaky"]);
    expect(await queue.deadLetters()).toEqual([]);
  });

  it("reports checks that fail in each try, without their texts", async () => {
    write([{ text: "hello" }, { text: "broken secret" }, { text: "forbidden" }]);
    const queue = await connect({ attempts: 3 });
    const counted = checker();
    queue.work(counted);
    const letter = { lines: [2], error: "the check failed: TypeError", attempts: 3 };
    const summary = await moderate(queue);
    expect(summary).toMatchObject({ passed: 1, blocked: 1, errors: 1, deadRows: 1, deadLetters: [letter] });
    expect(counted.texts.filter((text) => text.includes("broken")).length).toBe(3);
    expect(await queue.deadLetters()).toEqual([letter]);
    await withRedis(async (client) => {
      const dumps = await Promise.all((await client.keys("*")).map((key) => client.dumpBuffer(key)));
      expect(dumps.some((dump) => dump?.includes("broken secret"))).toBe(false);
    });
    // A later run of the same rows removes the dead letter.
    write([{ text: "hello" }, { text: "broken secret" }, { text: "forbidden" }]);
    const mended = await connect();
    await Promise.all(opened.filter((each) => each !== mended).map((each) => each.close()));
    mended.work({ check: (value) => counted.check(String(value).replace("broken", "mended")) });
    await moderate(mended, { existing: "replace" });
    expect(await mended.deadLetters()).toEqual([]);
    opened = [mended];
  });

  it("continues after Redis was away, even if it has lost the queue", async () => {
    const lost = await startRedis();
    const options = { name, chunkRows: 5 };
    const warnings: string[] = [];
    const logger = { warn: (text: string) => void warnings.push(text), error: () => undefined };
    const queue = await BatchQueue.connect(lost.url, { ...options, logger });
    write(Array.from({ length: 50 }, (_, index) => ({ id: index, text: "hello" })));
    const run = moderate(queue);
    const watcher = new Redis(lost.url);
    for (;;) if ((await watcher.llen(`${PREFIX}:${queue.key}:wait`)) === 10) break;
    watcher.disconnect();
    await lost.stop();
    const back = await startRedis(lost.port);
    const helper = await BatchQueue.connect(back.url, options);
    helper.work(checker());
    expect(await run).toMatchObject({ rows: 50, passed: 50 });
    expect(results().map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(warnings).toEqual(["Redis is out of reach; the batch goes on once it is back"]);
    await Promise.all([queue.close(), helper.close()]);
    await back.stop();
  });

  it("allows ending a run while Redis is away", async () => {
    const gone = await startRedis();
    const queue = await BatchQueue.connect(gone.url, { name });
    write([{ text: "hello" }]);
    const controller = new AbortController();
    const run = moderate(queue, { signal: controller.signal });
    await gone.stop();
    controller.abort();
    await expect(run).rejects.toThrow("aborted");
    await queue.close();
  });

  describe("data of other writers in Redis", () => {
    /** Puts a job or its result into Redis as it is. */
    const forge = (queue: BatchQueue, id: string, fields: Readonly<Record<string, string>>): Promise<unknown> =>
      withRedis((client) => client.hset(`${PREFIX}:${queue.key}:${id}`, fields));
    const push = async (queue: BatchQueue, id: string, fields: Readonly<Record<string, string>>): Promise<void> => {
      const usual = { name: "rows", data: "{}", opts: '{"attempts":2}', timestamp: "1", delay: "0", priority: "0" };
      await forge(queue, id, { ...usual, ...fields });
      await withRedis((client) => client.lpush(`${PREFIX}:${queue.key}:wait`, id));
    };
    const data = (fields: object): string =>
      JSON.stringify({ stage: "input", decisions: false, lines: [[1, '{"text":"a"}']], ...fields });

    it.each([
      ["no JSON", "{"],
      ["null", "null"],
      ["an id that is not the hash of the rows", data({})],
      ["no lines", data({ lines: [] })],
      ["lines that are objects", data({ lines: [{}] })],
      [
        "lines out of order",
        data({
          lines: [
            [2, "a"],
            [1, "b"],
          ],
        }),
      ],
      ["another stage", data({ stage: "retrieval" })],
      ["too many lines", data({ lines: Array.from({ length: 10_001 }, (_, index) => [index + 1, ""]) })],
      ["a key of the prototype", '{"__proto__":{"stage":"input"},"lines":[]}'],
    ])("is not checked: %s", async (_title, job) => {
      const queue = await connect();
      await push(queue, "rows-forged", { data: job });
      const counted = checker();
      const worker = queue.work(counted, { lockMs: 100 });
      write([{ text: "hello" }]);
      expect(await moderate(queue)).toMatchObject({ rows: 1, passed: 1, errors: 0 });
      await worker.close();
      expect(counted.texts).toEqual(["hello"]);
    });

    it.each([
      ["options that are no JSON", { opts: "{" }],
      ["options of another type", { opts: "[1]" }],
      ["endless tries", { opts: '{"attempts":1e308,"backoff":{"type":"fixed","delay":0}}' }],
      ["an unknown backoff", { opts: '{"attempts":3,"backoff":{"type":"none"}}' }],
      ["progress that is not JSON", { progress: "{" }],
      ["times that are no numbers", { timestamp: "x", delay: "y", priority: "z" }],
    ])("ends no worker: a job with %s", async (_title, fields) => {
      const queue = await connect();
      await push(queue, "rows-forged", fields);
      queue.work(checker(), { lockMs: 100 });
      write([{ text: "hello" }]);
      expect(await moderate(queue)).toMatchObject({ rows: 1, passed: 1, errors: 0 });
    });

    it.each([
      ["of another line", '[{"line":2,"status":"passed"}]'],
      ["twice", '[{"line":1,"status":"passed"},{"line":1,"status":"passed"}]'],
      ["without a status", '[{"line":1}]'],
      ["with an unknown status", '[{"line":1,"status":"fine"}]'],
      ["with an error that passed", '[{"line":1,"status":"passed","error":"x"}]'],
      ["none", "[]"],
      ["that are no JSON", "["],
    ])("is not accepted as a result: results %s", async (_title, forged) => {
      const queue = await connect();
      write([{ text: "forbidden" }]);
      const run = moderate(queue);
      const wait = `${PREFIX}:${queue.key}:wait`;
      await withRedis(async (client) => {
        let ids: string[] = [];
        while (ids.length === 0) ids = await client.lrange(wait, 0, -1);
        const [id = ""] = ids;
        const returnvalue = JSON.stringify({ results: forged });
        await client
          .multi()
          .lrem(wait, 0, id)
          .hset(`${PREFIX}:${queue.key}:${id}`, { returnvalue, finishedOn: "1" })
          .zadd(`${PREFIX}:${queue.key}:completed`, 1, id)
          .exec();
      });
      queue.work(checker());
      expect(await run).toMatchObject({ blocked: 1, errors: 0 });
    });

    it("is not accepted as a result without the seal of the secret", async () => {
      const secret = "a secret of the workers";
      const queue = await connect({ secret });
      write([{ text: "forbidden" }]);
      const liar = await connect();
      const lying = liar.work({
        check: () =>
          Promise.resolve({
            status: "passed",
            blocked: false,
            output: "",
            guardrails: { blocked: false, decisions: [] },
          }),
      });
      const run = moderate(queue);
      expect(await run).toMatchObject({ blocked: 0, errors: 1, deadRows: 1 });
      await lying.close();
      expect(results()[0]).toMatchObject({ status: "error", error: "the results of the workers are not valid" });
      queue.work(checker());
      expect(await moderate(queue, { existing: "replace" })).toMatchObject({ blocked: 1, errors: 0 });
    });

    it("is not checked under another policy", async () => {
      const [queue, old] = [await connect({ policy: "2" }), await connect({ policy: "1" })];
      const [current, outdated] = [checker(), checker()];
      old.work(outdated);
      queue.work(current);
      write(Array.from({ length: 30 }, () => ({ text: "hello" })));
      await moderate(queue);
      expect([current.texts.length, outdated.texts.length]).toEqual([30, 0]);
    });
  });
});

describe("options of a queue", () => {
  it.each([
    [{ name: "a:b" }, "`name` takes letters"],
    [{ secret: "short" }, "at least 16 characters"],
    [{ chunkRows: 0 }, "from 1 to 10000, not `0`"],
    [{ attempts: 1.5 }, "from 1 to 100, not `1.5`"],
    [{ backoffMs: -1 }, "not `-1`"],
    [{ queue: "a" } as object, "unknown option `queue`"],
  ])("refuse %j", async (options, message) => {
    await expect(BatchQueue.connect("redis://127.0.0.1:1", options)).rejects.toThrow(message);
  });

  it("report the problem in a GuardrailsError", async () => {
    const error: unknown = await BatchQueue.connect("redis://127.0.0.1:1", { name: "" }).catch(
      (cause: unknown) => cause,
    );
    expect(GuardrailsError.isInstance(error)).toBe(true);
  });

  it("require a server", async () => {
    await expect(BatchQueue.connect("redis://127.0.0.1:1")).rejects.toThrow();
  });
});
