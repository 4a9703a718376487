import { describe, expect, it } from "@jest/globals";
import { mergeMetrics, type MetricSnapshot } from "../../../src/server/metrics/prometheus.js";
import type { ToPool, ToWorker } from "../../../src/server/workers/messages.js";
import { type WorkerEvents, WorkerPool, type WorkerPoolOptions } from "../../../src/server/workers/worker-pool.js";

const ABOUT = { url: "http://127.0.0.1:8000", configs: ["shop"], isClosed: false };

/** A worker process that a test steers. */
class ScriptedWorker {
  readonly received: ToWorker[] = [];
  isKilled = false;
  readonly #events: WorkerEvents;
  readonly #waiting: ((message: ToWorker) => void)[] = [];

  constructor(
    readonly pid: number,
    events: WorkerEvents,
  ) {
    this.#events = events;
  }

  send(message: ToWorker): void {
    this.received.push(message);
    for (const notify of this.#waiting.splice(0)) notify(message);
  }

  /** Resolves with the next message of a kind. */
  async next<Kind extends ToWorker["kind"]>(kind: Kind): Promise<Extract<ToWorker, { readonly kind: Kind }>> {
    for (;;) {
      const message = await new Promise<ToWorker>((resolve) => this.#waiting.push(resolve));
      if (message.kind === kind) return message as Extract<ToWorker, { readonly kind: Kind }>;
    }
  }

  kill(): void {
    this.isKilled = true;
    this.exit("SIGKILL");
  }

  exit(how: number | string): void {
    this.#events.exit(how);
  }

  sends(message: ToPool): void {
    this.#events.message(message);
  }

  ready(): void {
    this.sends({ kind: "ready", about: ABOUT });
  }

  /** Numbers of the messages of a kind that wait for a reply. */
  asked(kind: ToWorker["kind"]): readonly number[] {
    return this.received.flatMap((message) => (message.kind === kind && "number" in message ? message.number : []));
  }
}

/** A pool whose processes and timers a test steers. */
function pool(count: number, options: Partial<WorkerPoolOptions> = {}) {
  const workers: ScriptedWorker[] = [];
  const lines: string[] = [];
  let timers: { readonly ms: number; readonly run: () => void }[] = [];
  let now = 0;
  const made = new WorkerPool({
    count,
    fork: (events) => {
      const worker = new ScriptedWorker(workers.length + 1, events);
      workers.push(worker);
      return worker;
    },
    report: (line) => lines.push(line),
    clock: { now: () => now },
    startTimer: (ms, run) => {
      const timer = { ms, run };
      timers.push(timer);
      return () => (timers = timers.filter((each) => each !== timer));
    },
    ...options,
  });
  return {
    made,
    workers,
    lines,
    delays: () => timers.map(({ ms }) => ms),
    runTimers: () => {
      const due = timers;
      timers = [];
      for (const { run } of due) run();
    },
    pass: (ms: number) => (now += ms),
    at: (index: number) => workers.at(index) as ScriptedWorker,
  };
}

async function running(count: number, options: Partial<WorkerPoolOptions> = {}) {
  const test = pool(count, options);
  const started = test.made.start();
  for (let index = 0; index < count; index += 1) test.at(index).ready();
  expect(await started).toEqual(ABOUT);
  return test;
}

/** Waits for promises that need nothing else. */
const turns = async (): Promise<void> => {
  for (let index = 0; index < 5; index += 1) await new Promise(setImmediate);
};

describe("a pool of workers", () => {
  it("starts one worker, and the others once it is ready", async () => {
    const { made, workers, at } = pool(3);
    const started = made.start();
    expect(workers).toHaveLength(1);
    at(0).ready();
    expect(workers).toHaveLength(3);
    at(1).ready();
    at(2).ready();
    expect(await started).toEqual(ABOUT);
  });

  it("ends with the exit code of a first worker that cannot start", async () => {
    const { made, workers, at } = pool(3);
    const started = made.start();
    at(0).exit(64);
    expect(await started).toEqual({ ended: 64 });
    expect(workers).toHaveLength(1);
  });

  it("replaces a worker at once, and after growing delays if it ends repeatedly", async () => {
    const { at, workers, delays, runTimers, lines } = await running(2);
    at(0).exit("SIGKILL");
    expect(workers).toHaveLength(3);
    const seen: number[] = [];
    for (let index = 0; index < 9; index += 1) {
      at(-1).exit(1);
      seen.push(...delays());
      runTimers();
    }
    expect(seen).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    expect(lines.slice(0, 2)).toEqual([
      "worker 1 (process 1) was ended by SIGKILL; another starts now",
      "worker 1 (process 3) ended with exit code 1; another starts in 100 ms",
    ]);
  });

  it("forgets earlier ends of a worker that was stable", async () => {
    const { at, workers, delays, pass } = await running(1);
    at(0).exit(1);
    at(1).ready();
    pass(10_000);
    at(1).exit(1);
    expect(delays()).toEqual([]);
    expect(workers).toHaveLength(3);
  });

  it("lets all workers end their requests, and starts no more", async () => {
    const { made, at, workers, delays } = await running(2);
    let hasStopped = false;
    const stopped = made.stop(5000).then(() => (hasStopped = true));
    expect([at(0).received, at(1).received]).toEqual([[{ kind: "stop" }], [{ kind: "stop" }]]);
    at(0).exit(0);
    await turns();
    expect(hasStopped).toBe(false);
    at(1).exit(0);
    await stopped;
    expect(workers).toHaveLength(2);
    expect(delays()).toEqual([]);
  });

  it("ends workers that take too long", async () => {
    const { made, at, runTimers } = await running(2);
    const stopped = made.stop(5000);
    at(0).exit(0);
    runTimers();
    await stopped;
    expect([at(0).isKilled, at(1).isKilled]).toEqual([false, true]);
  });

  it("ends workers at once that have not started yet", async () => {
    const { made, at } = pool(2);
    void made.start();
    at(0).ready();
    const stopped = made.stop(5000);
    expect([at(0).isKilled, at(1).isKilled]).toEqual([false, true]);
    at(0).exit(0);
    await stopped;
  });

  it("does not replace a worker while it stops", async () => {
    const { made, at, workers, delays, runTimers } = await running(1);
    at(0).exit(1);
    at(1).exit(1);
    expect(delays()).toEqual([100]);
    await made.stop(5000);
    runTimers();
    expect(workers).toHaveLength(2);
  });

  it("lets each worker reload a configuration, and reports problems once", async () => {
    const { made, at } = await running(3);
    const reloaded = made.reload("shop");
    for (const index of [0, 1]) {
      const [number = 0] = at(index).asked("reload");
      at(index).sends({ kind: "reloaded", number, problem: "line 3" });
    }
    // The third one ends; its successor loads the files as they are.
    at(2).exit("SIGKILL");
    expect(await reloaded).toEqual(["line 3"]);
  });

  it("reloads in a worker that was starting meanwhile", async () => {
    const { made, at } = await running(2);
    at(0).exit(1);
    void made.reload("shop");
    at(2).ready();
    expect(at(2).received).toEqual([expect.objectContaining({ kind: "reload", config: undefined })]);
  });
});

const requests = (value: number): MetricSnapshot => ({
  name: "requests_total",
  help: "Requests.",
  type: "counter",
  values: [{ value, labels: {} }],
  aggregator: "sum",
});
const active = (value: number): MetricSnapshot => ({ ...requests(value), name: "active", type: "gauge" });

describe("the metrics of a pool", () => {
  /** The page of the pool, after its newest workers have sent these numbers; one without a number does not respond. */
  const measure = async (test: Awaited<ReturnType<typeof running>>, values: readonly (number | undefined)[]) => {
    const live = test.workers.slice(-values.length);
    const asked = Promise.all(live.map((worker) => worker.next("measure")));
    const sent = test.at(-1).next("page");
    test.at(-1).sends({ kind: "page", number: 7 });
    for (const [index, { number }] of (await asked).entries()) {
      const value = values[index];
      if (value === undefined) continue;
      live[index]?.sends({ kind: "measured", number, snapshot: [requests(value), active(1)] });
    }
    test.runTimers();
    return (await sent).page.body;
  };

  it("are the sum of those of its workers", async () => {
    const body = await measure(await running(2, { mergeMetrics }), [3, 4]);
    expect(body).toMatch(/^requests_total 7$/m);
    expect(body).toMatch(/^active 2$/m);
    expect(body).toMatch(/^guardrails_workers_ready 2$/m);
  });

  it("keep the last counters of a worker that ends", async () => {
    const test = await running(2, { mergeMetrics });
    await measure(test, [3, 4]);
    test.at(0).exit("SIGKILL");
    test.at(2).ready();
    const body = await measure(test, [4, 1]);
    expect(body).toMatch(/^requests_total 8$/m);
    expect(body).toMatch(/^active 2$/m);
    expect(body).toMatch(/^guardrails_worker_restarts_total 1$/m);
  });

  it("show the last counters of a worker that does not respond", async () => {
    const test = await running(2, { mergeMetrics });
    await measure(test, [3, 4]);
    expect(await measure(test, [undefined, 6])).toMatch(/^requests_total 9$/m);
  });
});
