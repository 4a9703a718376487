import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { CallerLimits, type RateLimitStore } from "../../../src/server/rate-limits/caller-limits.js";
import { RedisRateLimits } from "../../../src/server/index.js";
import { type DatabaseServer, describeWith } from "../../support/servers/database-server.js";
import { hasRedis, startRedis } from "../../support/servers/redis.js";

const LOADER = new URL("../../../scripts/typescript-loader.mjs", import.meta.url).href;
const SERVER = fileURLToPath(new URL("limited-server.ts", import.meta.url));

interface Running {
  readonly url: string;
  readonly child: ChildProcess;
  warnings(): readonly string[];
}

async function startServer(redis: string): Promise<Running> {
  const child = spawn(process.execPath, ["--no-warnings", "--import", LOADER, SERVER, redis], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let warnings = "";
  child.stderr.on("data", (chunk) => (warnings += String(chunk)));
  const { value } = (await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()) as {
    value: string;
  };
  return {
    url: value,
    child,
    warnings: () => warnings.split("\n").filter((line) => line.includes("limits of callers")),
  };
}

/** Statuses of requests to alternating servers. */
async function statusesOf(servers: readonly Running[], key: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const url = `${servers[index % servers.length]?.url ?? ""}/v1/models`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    if (response.status === 429) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    statuses.push(response.status);
  }
  return statuses;
}

describeWith("RedisRateLimits", hasRedis, () => {
  let server: DatabaseServer;
  let client: Redis;
  let started: Running[] = [];

  beforeAll(async () => {
    server = await startRedis();
    client = new Redis(server.url);
    client.on("error", () => undefined);
  });
  afterEach(async () => {
    for (const { child } of started) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    started = [];
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  it("counts the requests of two servers together, and those of each alone while Redis is away", async () => {
    const database = await startRedis();
    started = await Promise.all([startServer(database.url), startServer(database.url)]);
    expect(await statusesOf(started, "the key of the shop 1", 6)).toEqual([200, 200, 429, 429, 429, 429]);
    await database.stop();
    const statuses = await statusesOf(started, "the key of the stand 1", 10);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429, 429, 429]);
    const line = "the shared limits of callers failed or were slow: each server counts by itself meanwhile";
    expect(started.map(({ warnings }) => warnings())).toEqual([[line], [line]]);
  });

  it("takes from a bucket that fills steadily", async () => {
    const limits = new RedisRateLimits(client, { prefix: "steady:" });
    expect([await limits.take("a", 2), await limits.take("a", 2)]).toEqual([0, 0]);
    const wait = await limits.take("a", 2);
    expect(wait).toBeGreaterThan(20_000);
    expect(wait).toBeLessThanOrEqual(30_000);
    // A minute earlier nothing was left; half a minute allows one request.
    await client.hincrbyfloat("steady:a", "at", -30_000);
    expect(await limits.take("a", 2)).toBe(0);
    expect(await limits.take("b", 2)).toBe(0);
    const left = await client.pttl("steady:a");
    expect(left).toBeGreaterThan(60_000);
    expect(left).toBeLessThanOrEqual(120_000);
  });

  it("never grants concurrent callers more than a bucket holds", async () => {
    const limits = new RedisRateLimits(client, { prefix: "many:" });
    const waits = await Promise.all(Array.from({ length: 200 }, () => limits.take("a", 10)));
    expect(waits.filter((wait) => wait === 0).length).toBe(10);
  });

  it.each([
    ["a value of another type", () => client.set("hostile:a", "text")],
    ["a bucket that is not a number", () => client.hset("hostile:a", "tokens", "nan", "at", "nan")],
    ["a bucket without an end", () => client.hset("hostile:a", "tokens", "1e999", "at", "x")],
    ["a bucket from the future", () => client.hset("hostile:a", "tokens", "0", "at", "9e15")],
  ])("uses the limits of the process if the database contains %s", async (_name, write) => {
    await client.del("hostile:a");
    await write();
    const limits = new CallerLimits({ shared: new RedisRateLimits(client, { prefix: "hostile:" }) });
    const outcomes: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      outcomes.push(
        await Promise.resolve()
          .then(() => limits.enter({ id: "a", perMinute: 2 }))
          .then(
            () => "taken",
            () => "refused",
          ),
      );
    }
    expect(outcomes.filter((outcome) => outcome === "taken").length).toBeLessThanOrEqual(2);
  });
});

describe("limits of callers", () => {
  it.each<[string, RateLimitStore["take"]]>([
    ["fails", () => Promise.reject(new Error("connection lost"))],
    [
      "throws",
      () => {
        throw new Error("no connection");
      },
    ],
    ["returns no time", () => Promise.resolve(Number.NaN)],
    ["returns a negative time", () => Promise.resolve(-1)],
  ])("are those of the process if the store %s", async (_name, take) => {
    const limits = new CallerLimits({ shared: { take } });
    const caller = { id: "a", perMinute: 2 };
    await limits.enter(caller);
    await limits.enter(caller);
    expect(() => limits.enter(caller)).toThrow("reached its limit");
  });

  it("return the place of a refused request", async () => {
    const limits = new CallerLimits({ shared: { take: () => Promise.resolve(1_500) } });
    const caller = { id: "a", perMinute: 10, concurrent: 1 };
    for (let count = 0; count < 3; count += 1) {
      await expect(limits.enter(caller)).rejects.toMatchObject({ status: 429, headers: { "retry-after": "2" } });
    }
  });

  it("query no store for callers without a limit", async () => {
    const limits = new CallerLimits({ shared: { take: () => Promise.reject(new Error("asked")) } });
    expect(typeof limits.enter({ id: "a" })).toBe("function");
    expect(typeof limits.enter({ id: "a", concurrent: 3 })).toBe("function");
  });
});
