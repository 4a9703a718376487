// node bench/server/workers.mjs [--only scaling,cost,kill] [--rounds 5] [--json FILE]: workers of `serve`, the cost of threads, and 1,000
// turns with a worker killed among them, on Redis and on PostgreSQL. Needs redis-server and Linux. Build first: npm run build.
import { fork, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { openEcho, readyLine, startServe, ThreadedClients, writeConfig } from "./threaded-turns.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "scaling,cost,kill" },
    rounds: { type: "string", default: "5" },
    json: { type: "string" },
    program: { type: "string" },
  },
});
const ROUNDS = Number(values.rounds);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const PROGRAM = values.program ?? here("../../dist/cli/main.js");
const results = {};
const stops = [];

function report(name, figures) {
  results[name] = figures;
  const shown = Object.entries(figures).map(
    ([key, value]) => `${key} ${typeof value === "number" ? Number(value.toPrecision(4)) : JSON.stringify(value)}`,
  );
  console.log(`${name}: ${shown.join(", ")}`);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function startRedis() {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  const child = spawn(
    "redis-server",
    ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await readyLine(child, /Ready to accept connections/);
  stops.push(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });
  return `redis://127.0.0.1:${port}`;
}

async function startPostgres() {
  const port = await freePort();
  const script = here("../../__tests__/support/servers/postgres-process.mjs");
  const folder = join(tmpdir(), `postgres-${randomUUID()}`);
  const child = spawn(process.execPath, [script, folder, String(port)], { stdio: ["pipe", "pipe", "inherit"] });
  await readyLine(child, /ready/);
  stops.push(async () => {
    child.stdin.end();
    await once(child, "exit");
  });
  return `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
}

const databases = {};
const STARTS = { redis: startRedis, postgres: startPostgres };
const database = (kind) => (databases[kind] ??= STARTS[kind]());

/** Processor time of all threads of processes in milliseconds, as the scheduler of Linux counts it. */
function cpuMs(pids) {
  let nanoseconds = 0;
  for (const pid of pids) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    }
  }
  return nanoseconds / 1e6;
}

const pidsOf = ({ pid, processes }) => [...new Set([pid, ...processes])];

async function withLoad(work) {
  const upstream = fork(here("upstream.mjs"));
  const [{ url }] = await once(upstream, "message");
  const load = fork(here("load.mjs"));
  const run = async (job) => {
    const reply = once(load, "message");
    load.send(job);
    const [result] = await reply;
    if (result.failure) throw new Error(result.failure);
    return result;
  };
  try {
    await work(writeConfig(url, "instant"), run);
  } finally {
    upstream.kill();
    load.kill();
  }
}

const ROWS = {
  /**
   * One and two workers alternately, and the best of several runs of each, because other programs only make a run
   * slower.
   */
  async scaling() {
    await withLoad(async (config, run) => {
      const servers = {
        1: await startServe(PROGRAM, [config]),
        2: await startServe(PROGRAM, [config, "--workers", "2"]),
      };
      const best = { 1: { cpu: Infinity, rate: 0 }, 2: { cpu: Infinity, rate: 0 } };
      const served = {};
      const measure = async (workers, seconds) => {
        const server = servers[workers];
        const before = cpuMs(pidsOf(server));
        const result = await run({ url: server.url, connections: 64, seconds });
        const cpu = (cpuMs(pidsOf(server)) - before) / result.count;
        return { cpu, ...result };
      };
      for (const workers of [1, 2]) await measure(workers, 4);
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const workers of [1, 2]) {
          const { cpu, perSecond, processes } = await measure(workers, 3);
          best[workers].cpu = Math.min(best[workers].cpu, cpu);
          best[workers].rate = Math.max(best[workers].rate, perSecond);
          if (workers === 1) continue;
          for (const [own, each] of Object.entries(processes)) served[own] = (served[own] ?? 0) + each;
        }
      }
      const all = Object.values(served).reduce((sum, each) => sum + each, 0);
      const shares = Object.values(served).map((each) => (each / all) * 100);
      report("two workers against one", {
        "CPU ms/request of one": best[1].cpu,
        "CPU ms/request of two": best[2].cpu,
        "CPU ratio": best[2].cpu / best[1].cpu,
        "requests/s of one": best[1].rate,
        "requests/s of two": best[2].rate,
        "throughput ratio": best[2].rate / best[1].rate,
        "shares %": shares.map((share) => Math.round(share)).join(" and "),
      });
      for (const server of Object.values(servers)) await server.stop();
    });
  },

  /** Turns in threads of up to ten turns, and turns without one, in turn on one server. */
  async cost() {
    for (const kind of ["redis", "postgres"]) {
      await withLoad(async (config) => {
        const server = await startServe(PROGRAM, [config, "--store", await database(kind)]);
        const pool = new Pool(server.url, { connections: 16, pipelining: 1 });
        let threads = 0;
        const turns = async (count, thread, key) => {
          let left = count;
          const before = cpuMs(pidsOf(server));
          await Promise.all(
            Array.from({ length: 16 }, async () => {
              let fields = {};
              for (let number = 0; left > 0; number += 1) {
                left -= 1;
                if (thread && number % 10 === 0) {
                  fields = { guardrails: { thread_id: `thread-${String((threads += 1)).padStart(12, "0")}` } };
                }
                const body = JSON.stringify({
                  model: "instant",
                  messages: [{ role: "user", content: "Is the rye fresh?" }],
                  ...fields,
                });
                const headers = {
                  "content-type": "application/json",
                  ...(key ? { "idempotency-key": `${number}` } : {}),
                };
                const { statusCode, body: answer } = await pool.request({
                  path: "/v1/chat/completions",
                  method: "POST",
                  headers,
                  body,
                });
                await answer.text();
                if (statusCode !== 200) throw new Error(`status ${statusCode}`);
              }
            }),
          );
          return (cpuMs(pidsOf(server)) - before) / count;
        };
        const best = { none: Infinity, thread: Infinity, key: Infinity };
        for (let round = 0; round <= ROUNDS; round += 1) {
          const none = await turns(1500, false, false);
          const thread = await turns(1500, true, false);
          const key = await turns(1500, true, true);
          // The first round warms the server up.
          if (round === 0) continue;
          best.none = Math.min(best.none, none);
          best.thread = Math.min(best.thread, thread);
          best.key = Math.min(best.key, key);
        }
        report(`a threaded turn on ${kind}`, {
          "CPU ms without a thread": best.none,
          "added CPU ms": best.thread - best.none,
          "added CPU ms with a key": best.key - best.none,
        });
        await pool.close();
        await server.stop();
      });
    }
  },

  /** Turns of every kind on two workers, one of which is killed in the middle. */
  async kill() {
    const echo = await openEcho();
    const config = writeConfig(echo.url);
    for (const kind of ["redis", "postgres"]) {
      const server = await startServe(PROGRAM, [config, "--workers", "2", "--store", await database(kind)]);
      let killedAt;
      const clients = new ThreadedClients(server.url, (count) => {
        if (count !== 500) return;
        process.kill(server.processes[0], "SIGKILL");
        killedAt = performance.now();
      });
      const names = Array.from({ length: 8 }, (_, index) => `${kind}-${String(index).padStart(10, "0")}`);
      await Promise.all([
        ...names.map((name) => clients.sequential(`sequential-${name}`, 50)),
        ...names.map((name) => clients.sequential(`streamed-${name}`, 50, { stream: true })),
        clients.atOnce(`at-once-${kind}-thread`, 10, 20),
      ]);
      const after = clients.acknowledged.filter(({ at }) => at > killedAt);
      const sentAfter = after.filter(({ sentAt }) => sentAt > killedAt);
      const slowest = Math.max(
        ...after.filter(({ began }) => began < killedAt + 1000).map(({ at, began }) => at - began),
      );
      const { lost, doubled } = await clients.audit(echo.historyOf);
      report(`1,000 turns on ${kind} with a worker killed`, {
        acknowledged: clients.acknowledged.length,
        lost: lost.length,
        doubled: doubled.length,
        "first reply after ms": Math.min(...after.map(({ at }) => at)) - killedAt,
        "first reply to a request after the kill, ms": Math.min(...sentAfter.map(({ at }) => at)) - killedAt,
        "slowest turn ms": slowest,
        "sent again": clients.failures,
      });
      await clients.close();
      await server.stop();
    }
    echo.close();
  },
};

try {
  for (const name of values.only.split(",")) await ROWS[name]();
} finally {
  for (const stop of stops) await stop();
}
if (values.json) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
process.exit(0);
