// node bench/server/main.mjs [--seconds 5] [--only throughput,latency,streams,overload,disconnect,growth] [--json
// FILE]: the server under load, next to a bare Hono proxy over `fetch` and over `undici.Pool`. Build first: npm run
// build.
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { request } from "undici";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    only: { type: "string" },
    json: { type: "string" },
    targets: { type: "string", default: "guarded,hono-fetch,hono-pool" },
  },
});
const SECONDS = Number(values.seconds);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

class Child {
  constructor(name, args = [], execArgv = []) {
    this.process = fork(here(name), args, { execArgv });
  }

  async next() {
    const [message] = await once(this.process, "message");
    return message;
  }

  ask(message = {}) {
    const reply = this.next();
    this.process.send(message);
    return reply;
  }

  stop() {
    this.process.kill();
  }
}

const upstream = new Child("upstream.mjs");
const { url: upstreamUrl } = await upstream.next();
const load = new Child("load.mjs");
const results = {};

async function withTarget(kind, work, settings = {}) {
  const target = new Child("target.mjs", [kind, upstreamUrl, JSON.stringify(settings)], ["--expose-gc"]);
  try {
    const started = await target.next();
    return await work(target, started);
  } finally {
    target.stop();
  }
}

async function run(job) {
  const result = await load.ask(job);
  if (result.failure) throw new Error(result.failure);
  return result;
}

/** V8 has optimized the code of a request after some 6,000 of them. */
const warmUp = (url) => run({ url, connections: 64, total: 8000 });

const cpuMs = ({ cpu: before }, { cpu: after }) => (after.user + after.system - before.user - before.system) / 1000;

const ROWS = {
  async throughput() {
    for (const kind of values.targets.split(",")) {
      await withTarget(kind, async (target, started) => {
        await warmUp(started.url);
        for (const connections of [64, 256]) {
          const before = await target.ask();
          const result = await run({ url: started.url, connections, seconds: SECONDS });
          const after = await target.ask();
          report(`${kind}, ${connections} connections`, {
            "requests/s": result.perSecond,
            "cpu ms/request": cpuMs(before, after) / result.count,
            "p50 ms": result.p50,
            "p99 ms": result.p99,
            "rss MiB": after.rss / 2 ** 20,
            "largest rss MiB": after.peak / 2 ** 20,
          });
        }
      });
    }
  },

  async latency() {
    const { origin } = new URL(upstreamUrl);
    await warmUp(origin);
    const direct = await run({ url: origin, connections: 1, seconds: SECONDS });
    await withTarget("guarded", async (_target, { url }) => {
      await warmUp(url);
      await run({ url, connections: 1, total: 500 });
      const result = await run({ url, connections: 1, seconds: SECONDS });
      report("one connection", { "added p50 ms": result.p50 - direct.p50, "direct p50 ms": direct.p50 });
    });
  },

  async streams() {
    for (const [connections, paceMs] of [
      [400, 50],
      [1000, 200],
    ]) {
      await withTarget("guarded", async (target, { url }) => {
        // As in the other rows, the process has served requests before.
        await run({ url, connections: 64, paceMs: 5, stream: true });
        const before = await target.ask();
        const result = await run({ url, connections, paceMs, stream: true });
        const after = await target.ask();
        report(`${connections} streams, a chunk every ${paceMs} ms, windows of 8 chunks`, {
          "lag p99 ms": result.lag.p99,
          "gap max ms": result.gap.max,
          "cpu µs/chunk": (cpuMs(before, after) / result.chunks) * 1000,
        });
      });
    }
  },

  async overload() {
    const limits = { concurrent: 256, queued: 64, queueMs: 2000 };
    const seconds = Math.max(4, SECONDS);
    await withTarget(
      "guarded",
      async (target, { url }) => {
        // A cold server is slower than the one that its operator knows.
        await warmUp(url);
        const before = await target.ask();
        const slow = await run({ url, rate: 2560, connections: 4096, seconds, text: "wait:1000" });
        const recovered = await run({ url, connections: 1, total: 1 });
        const after = await target.ask();
        report("upstream of 1 s, 256 at once, ten times the capacity offered", {
          "accepted/s": slow.perSecond,
          "goodput %": (slow.perSecond / 256) * 100,
          "rejections p50 ms": slow.rejected.p50,
          "rejections p99 ms": slow.rejected.p99,
          "accepted p99 ms": slow.accepted.p99,
          "next request ms": recovered.p50,
          "cpu s/s": cpuMs(before, after) / 1000 / seconds,
          "rss growth": after.rss / before.rss,
          "load late p99 ms": slow.late.p99,
          statuses: JSON.stringify({ ...slow.statuses, dropped: slow.dropped, unanswered: slow.unanswered }),
        });
      },
      { limits },
    );
    await withTarget(
      "guarded",
      async (target, { url }) => {
        await warmUp(url);
        const before = await target.ask();
        const flood = await run({ url, connections: 1024, seconds });
        const recovered = await run({ url, connections: 1, total: 1 });
        const after = await target.ask();
        report("instant upstream, 1,024 connections on 256 places, each again at once", {
          "accepted/s": flood.perSecond,
          "accepted p99 ms": flood.p99,
          "rejections p99 ms": flood.rejectedP99,
          "next request ms": recovered.p50,
          "rss growth": after.rss / before.rss,
          statuses: JSON.stringify(flood.statuses),
        });
      },
      { limits },
    );
  },

  async disconnect() {
    await withTarget("guarded", async (_target, { url }) => {
      for (const [phase, text, stream, delay] of [
        ["not streaming", "wait:5000", false, 200],
        ["before the first byte", "wait:5000", true, 200],
        ["mid-stream", "pace:20", true, 600],
      ]) {
        const controller = new AbortController();
        const body = JSON.stringify({ model: "instant", stream, messages: [{ role: "user", content: text }] });
        const headers = { "content-type": "application/json" };
        const { signal } = controller;
        const call = request(`${url}/v1/chat/completions`, { method: "POST", headers, body, signal })
          .then(async ({ body: answer }) => answer.text())
          .catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, delay));
        const cancelled = upstream.next();
        const at = performance.timeOrigin + performance.now();
        controller.abort();
        const { cancelledAt } = await cancelled;
        await call;
        report(`client gone ${phase}`, { "upstream cancelled after ms": cancelledAt - at });
      }
    });
  },

  async growth() {
    await withTarget("guarded", async (target, started) => {
      await run({ url: started.url, connections: 64, total: 20_000 });
      const early = await target.ask({ collect: true });
      await run({ url: started.url, connections: 64, total: 80_000 });
      const late = await target.ask({ collect: true });
      report("requests 20,000 to 100,000", {
        "heap growth MiB": (late.heap - early.heap) / 2 ** 20,
        "rss growth MiB": (late.rss - early.rss) / 2 ** 20,
        "rss MiB": late.rss / 2 ** 20,
        "start cpu s": (started.cpu.user + started.cpu.system) / 1e6,
        "start rss MiB": started.rss / 2 ** 20,
      });
    });
  },
};

function report(name, figures) {
  results[name] = figures;
  const shown = Object.entries(figures).map(
    ([key, value]) => `${key} ${typeof value === "number" ? value.toPrecision(4) : value}`,
  );
  console.log(`${name}: ${shown.join(", ")}`);
}

const wanted = values.only?.split(",") ?? Object.keys(ROWS);
try {
  for (const name of wanted) await ROWS[name]();
} finally {
  upstream.stop();
  load.stop();
}
if (values.json) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
