import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { setImmediate as nextRound } from "node:timers/promises";
import { Redis } from "ioredis";
import { Guardrails } from "../../../src/index.js";
import { RedisVerdictStore } from "../../../src/langchain/verdicts.js";
import { scriptedModel, verdictStoreContract } from "../../../src/testing/index.js";
import { type DatabaseServer, describeWith } from "../../support/servers/database-server.js";
import { hasRedis, startRedis } from "../../support/servers/redis.js";

const YAML = `
rails:
  cache:
    enabled: true
    shared: { url_env_var: TEST_VERDICTS_URL, secret_env_var: TEST_VERDICTS_SECRET, timeout: 1 }
  input:
    flows: [self check input]
prompts:
  - task: self_check_input
    content: "Block? {{ user_input }}"
`;

async function openProcess() {
  const judge = scriptedModel(() => "Yes");
  const options = { models: { self_check_input: judge }, logger: false as const };
  return { guardrails: await Guardrails.fromConfig({ yaml: YAML }, options), judge };
}

describeWith("RedisVerdictStore", hasRedis, () => {
  let server: DatabaseServer;
  let client: Redis;
  let stores = 0;

  beforeAll(async () => {
    server = await startRedis();
    client = new Redis(server.url);
    process.env["TEST_VERDICTS_URL"] = server.url;
    process.env["TEST_VERDICTS_SECRET"] = "a secret of all processes";
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  describe("contract", () => {
    const open = () => new RedisVerdictStore(client, { prefix: `test:${(stores += 1)}:` });
    it.each(verdictStoreContract(open))("$name", ({ run }) => run());
  });

  it("forgets a value in time", async () => {
    await new RedisVerdictStore(client, { prefix: "ttl:" }).set("a", "value", 60_000.5);
    const left = await client.pttl("ttl:a");
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_001);
  });

  it("saves a second process the call of a judge, as configured", async () => {
    const [first, second] = [await openProcess(), await openProcess()];
    expect((await first.guardrails.check("a harmful text", { stage: "input" })).status).toBe("blocked");
    // The verdict does not wait for the store.
    while ((await client.keys("langchain-guardrails:verdict:*")).length === 0);
    const { status, guardrails } = await second.guardrails.check("a harmful text", { stage: "input" });
    expect(status).toBe("blocked");
    expect(guardrails.decisions[0]?.metadata).toMatchObject({ cached: true });
    expect(second.judge.calls.length).toBe(0);
  });

  it("counts a key of another type as empty", async () => {
    const store = new RedisVerdictStore(client, { prefix: "list:" });
    await client.lpush("list:a", "value");
    await expect(Promise.resolve(store.get("a"))).rejects.toThrow("WRONGTYPE");
  });

  it("fails at once while the server is away, and reconnects", async () => {
    const moving = await startRedis();
    const store = await RedisVerdictStore.connect(moving.url);
    await store.set("a", "value", 60_000);
    await moving.stop();
    await expect(store.get("a")).rejects.toThrow();
    const back = await startRedis(moving.port);
    let found: string | undefined = "not asked";
    for (; found === "not asked"; await nextRound()) found = await store.get("a").catch(() => "not asked");
    expect(found).toBeUndefined();
    store.close();
    await back.stop();
  });

  it("may be opened while the server is away", async () => {
    const store = await RedisVerdictStore.connect("redis://127.0.0.1:1");
    await expect(store.get("a")).rejects.toThrow();
    store.close();
  });
});
