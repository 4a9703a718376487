// `serve --workers 2` on real databases, with a worker killed in the middle.
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { type DatabaseServer, describeWith } from "../../support/servers/database-server.js";
import { startPostgres } from "../../support/servers/postgres.js";
import { hasRedis, startRedis } from "../../support/servers/redis.js";
import { createProject } from "../install-package.js";

interface Echo {
  readonly url: string;
  historyOf(text: string): readonly string[] | undefined;
  close(): void;
}

interface Served {
  readonly url: string;
  readonly pid: number;
  readonly processes: readonly number[];
  seen(pattern: RegExp): Promise<RegExpExecArray>;
  output(): string;
  stop(signal?: string): Promise<number | null>;
}

interface Clients {
  readonly acknowledged: readonly { readonly thread: string; readonly text: string }[];
  readonly unknown: readonly string[];
  readonly failures: Readonly<Record<string, number>>;
  sequential(
    thread: string,
    count: number,
    how?: { readonly stream?: boolean; readonly keyed?: boolean },
  ): Promise<void>;
  atOnce(thread: string, count: number, rounds: number): Promise<void>;
  turn(turn: { readonly thread: string; readonly text: string; readonly stream?: boolean }): Promise<void>;
  audit(
    historyOf: Echo["historyOf"],
  ): Promise<{ readonly lost: readonly string[]; readonly doubled: readonly string[] }>;
  close(): Promise<void>;
}

interface Driver {
  openEcho(): Promise<Echo>;
  writeConfig(upstream: string): string;
  startServe(program: string, args: readonly string[], env?: object): Promise<Served>;
  readonly ThreadedClients: new (url: string, onTurn?: (count: number) => void) => Clients;
}

const driver = (await import(
  new URL("../../../bench/server/threaded-turns.mjs", import.meta.url).href
)) as unknown as Driver;

let project = "";
let program = "";
let echo: Echo;
let config = "";
const open: Served[] = [];

beforeAll(async () => {
  project = createProject("workers");
  program = join(project, "node_modules", "langchain-guardrails", "dist", "cli", "main.js");
  echo = await driver.openEcho();
  config = driver.writeConfig(echo.url);
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((served) => served.stop("SIGKILL")));
});

afterAll(() => {
  echo.close();
  for (const folder of [project, config]) rmSync(folder, { recursive: true, force: true });
});

async function serve(...args: readonly string[]): Promise<Served> {
  const served = await driver.startServe(program, [config, ...args]);
  open.push(served);
  return served;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function replyOf(served: Served, body: object): Promise<Reply> {
  const headers = { "content-type": "application/json" };
  const sent = await fetch(`${served.url}/v1/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return { status: sent.status, text: await sent.text() };
}

/** Runs turns of every kind while a worker is killed, and while the database is away. */
function describeWorkers(database: () => DatabaseServer): void {
  it("workers lose no acknowledged turn and run none twice while one of them is killed", async () => {
    const served = await serve("--workers", "2", "--store", database().url);
    const [first = 0, second = 0] = served.processes;
    // The serving worker is unknown: first one is killed, then the other.
    const clients = new driver.ThreadedClients(served.url, (count) => {
      if (count === 30) process.kill(first, "SIGKILL");
      if (count === 60) process.kill(second, "SIGKILL");
    });
    await Promise.all([
      ...["a", "b"].map((name) => clients.sequential(`sequential-thread-${name}`, 20)),
      ...["a", "b"].map((name) => clients.sequential(`streamed-thread-${name}`, 20, { stream: true })),
      clients.sequential("thread-without-keys", 20, { keyed: false }),
      clients.atOnce("thread-of-ten-at-once", 10, 2),
    ]);
    expect(clients.acknowledged.length + clients.unknown.length).toBe(120);
    expect(await clients.audit(echo.historyOf)).toEqual({ lost: [], doubled: [] });
    expect(await served.stop()).toBe(0);
    await clients.close();
    expect(served.output()).toContain(`worker 1 (process ${first}) was ended by SIGKILL; another starts now`);
  });

  it("workers lose no acknowledged turn and run none twice while the database restarts, and continue by themselves", async () => {
    const served = await serve("--workers", "2", "--store", database().url);
    const refused = {
      model: "echo",
      messages: [{ role: "user", content: "hi" }],
      guardrails: { thread_id: "t".repeat(20) },
    };
    const restart = async (): Promise<Reply> => {
      await database().goDown();
      const reply = await replyOf(served, refused);
      await database().comeBack();
      return reply;
    };
    let restarted: Promise<Reply> | undefined;
    const clients = new driver.ThreadedClients(served.url, (count) => {
      if (count === 40) restarted = restart();
    });
    await Promise.all([
      ...["a", "b"].map((name) => clients.sequential(`restart-sequential-${name}`, 20)),
      ...["a", "b"].map((name) => clients.sequential(`restart-streamed-${name}`, 20, { stream: true })),
      clients.sequential("restart-without-keys", 20, { keyed: false }),
      clients.atOnce("restart-ten-at-once", 10, 2),
    ]);
    expect(await restarted).toMatchObject({ status: 503, text: expect.stringContaining("thread_store_unavailable") });
    expect(clients.acknowledged.length + clients.unknown.length).toBe(120);
    expect(await clients.audit(echo.historyOf)).toEqual({ lost: [], doubled: [] });
    expect(await served.stop()).toBe(0);
    await clients.close();
    expect(served.output()).not.toContain("another starts now");
  });

  it("workers continue with the threads of earlier servers", async () => {
    const thread = "thread-across-servers";
    for (const name of ["first", "second"]) {
      const served = await serve("--store", database().url);
      const clients = new driver.ThreadedClients(served.url);
      await clients.turn({ thread, text: name });
      await clients.close();
      expect(await served.stop()).toBe(0);
    }
    expect(echo.historyOf("second")).toEqual(["first", "second"]);
  });
}

describeWith("workers on Redis", hasRedis, () => {
  let server: DatabaseServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  describeWorkers(() => server);

  it("workers respond again after Redis was away", async () => {
    const redis = await startRedis();
    const served = await serve("--store", redis.url);
    const clients = new driver.ThreadedClients(served.url);
    await clients.turn({ thread: "thread-of-a-lost-server", text: "before" });
    await redis.stop();
    const turn = clients.turn({ thread: "thread-of-a-lost-server", text: "after" });
    const again = await startRedis(redis.port);
    await turn;
    await clients.close();
    await again.stop();
    // The database stored nothing on disk, so the thread began again.
    expect(echo.historyOf("after")).toEqual(["after"]);
  });
});

describeWith("workers on PostgreSQL", true, () => {
  let server: DatabaseServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  describeWorkers(() => server);
});

describe("serve --workers", () => {
  const asked = { model: "echo", messages: [{ role: "user", content: "hello" }] };

  it("refuses threads if workers share no store", async () => {
    const served = await serve("--workers", "2");
    const refused = await replyOf(served, { ...asked, guardrails: { thread_id: "thread-0123456789" } });
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining("threads_unavailable") });
    expect(await replyOf(served, asked)).toMatchObject({ status: 200 });
    expect(served.output()).toContain("requests with a thread_id are refused");
    expect(await served.stop()).toBe(0);
  });

  it("reloads a changed configuration in every worker, and shows the metrics of all", async () => {
    const served = await serve("--workers", "2", "--watch", "--metrics");
    const other = driver.writeConfig(`${echo.url}/`);
    // A change before the files are watched is not seen, so it is made until it is.
    const change = (): void => copyFileSync(join(other, "config.yml"), join(config, "config.yml"));
    const changing = setInterval(change, 300);
    await served.seen(/loaded again/).finally(() => clearInterval(changing));
    for (let index = 0; index < 4; index += 1) expect((await replyOf(served, asked)).status).toBe(200);
    const page = await (await fetch(`${served.url}/metrics`)).text();
    expect(page).toMatch(/^guardrails_requests_total\{[^}]*chat[^}]*\} 4$/m);
    expect(page).toMatch(/^guardrails_workers_ready 2$/m);
    rmSync(other, { recursive: true, force: true });
  });

  it("ends with the problem of a configuration, written once", async () => {
    const wrong = driver.startServe(program, [join(config, "nowhere"), "--workers", "3"]);
    const message = await wrong.then(
      () => "",
      (error: Error) => error.message,
    );
    expect(message.match(/CF-101/g)).toHaveLength(1);
  });
});
