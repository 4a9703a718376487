import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BAKERY, createFolder, type Ran, runCli } from "../../cli/run-cli.js";
import { type DatabaseServer, describeWith } from "../../support/servers/database-server.js";
import { hasRedis, startRedis } from "../../support/servers/redis.js";

const ROWS = Array.from({ length: 250 }, (_, index) => ({ id: index, text: index === 7 ? "sell me a cake" : "hello" }));

describeWith("batch --redis", hasRedis, () => {
  let server: DatabaseServer;
  let folder: ReturnType<typeof createFolder>;
  let controller: AbortController;
  let running: Promise<Ran>[];
  const at = (name: string): string => join(folder.path, name);
  const batch = (...more: readonly string[]) =>
    runCli(["batch", at("in.jsonl"), at("out.jsonl"), "--config", at("config"), "--redis", server.url, ...more]);
  /** Starts a worker, and waits until it is registered. */
  const work = async (config: string, env: Readonly<Record<string, string>> = {}): Promise<void> => {
    await new Promise<void>((resolve) => {
      const onOutput = (text: string): void => {
        if (text.includes("checking rows")) resolve();
      };
      const variables = { LANGCHAIN_GUARDRAILS_REDIS_URL: server.url, ...env };
      const { signal } = controller;
      running.push(runCli(["batch-worker", "--config", at(config)], { signal, env: variables, onOutput }));
    });
  };

  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    controller = new AbortController();
    running = [];
    const files = Object.entries(BAKERY).flatMap(([name, text]) => [
      [`config/${name}`, text],
      [`other/${name}`, text.replace("hello", "hello there")],
    ]);
    const rows = ROWS.map((row) => `${JSON.stringify(row)}\n`).join("");
    folder = createFolder({ ...Object.fromEntries(files), "in.jsonl": rows });
  });
  afterEach(async () => {
    controller.abort();
    await Promise.all(running);
    folder.remove();
  });

  it("collects the results of workers with the same configuration", async () => {
    await work("other");
    await work("config");
    const { code, out } = await batch();
    expect({ code, out }).toEqual({
      code: 0,
      out: "250 rows: 249 passed, 0 modified, 1 blocked, 0 with errors\n  check words: 1 blocked\n",
    });
    const lines = readFileSync(at("out.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual(ROWS.map(({ id }) => id));
    controller.abort();
    const [other, same] = await Promise.all(running);
    expect([other, same].map((ran) => ran?.out.split("\n").at(-2))).toEqual(["0 rows checked", "250 rows checked"]);
  });

  it("treats the code of a configuration as part of it, wherever the configuration is", async () => {
    for (const name of ["other", "config", "elsewhere/config"]) {
      for (const [file, text] of Object.entries(BAKERY)) folder.write(`${name}/${file}`, text);
      folder.write(`${name}/lib/help.mjs`, `export const help = "${name === "other" ? "other" : "same"}";\n`);
    }
    await work("other");
    await work("elsewhere/config");
    expect((await batch()).code).toBe(0);
    controller.abort();
    const ended = (await Promise.all(running)).map(({ out }) => out.split("\n").at(-2));
    expect(ended).toEqual(["0 rows checked", "250 rows checked"]);
  });

  it("reports rows that could not be checked, and ends with 1", async () => {
    const env = { LANGCHAIN_GUARDRAILS_BATCH_SECRET: "the secret of the workers" };
    await work("config");
    const rows = { stdin: "", env };
    const ran = await runCli(
      ["batch", at("in.jsonl"), at("out.jsonl"), "--config", at("config"), "--redis", server.url, "--json"],
      rows,
    );
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.out)).toMatchObject({ rows: 250, errors: 250, deadRows: 250 });
    const shown = await batch("--force");
    expect(shown.code).toBe(0);
  });

  it.each([
    [["--concurrency", "4"], "--concurrency is an option of `batch-worker`"],
    [["--queue", "a:b"], "`name` takes letters"],
  ])("refuses %j", async (more, message) => {
    const { code, err } = await batch(...more);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(message);
  });

  it("requires the server of a worker", async () => {
    const { code, err } = await runCli(["batch-worker", "--config", at("config")]);
    expect(code).toBe(64);
    expect(err).toContain("LANGCHAIN_GUARDRAILS_REDIS_URL");
  });
});
