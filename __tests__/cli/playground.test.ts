import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BAKERY, createFolder, type Ran, runCli } from "./run-cli.js";

const KEY = "key-of-a-developer-01";

describe("playground", () => {
  let folder: ReturnType<typeof createFolder>;
  beforeAll(() => {
    folder = createFolder(BAKERY);
  });
  afterAll(() => folder.remove());

  /** Runs the command, and stops it after the callback. */
  async function run(
    argv: readonly string[],
    work: (url: string) => Promise<void>,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ran> {
    const controller = new AbortController();
    let working: Promise<void> | undefined;
    let out = "";
    const onOutput = (text: string): void => {
      out += text;
      const [, url] = /playground: (http:\S+?)\/\n/.exec(out) ?? [];
      if (url !== undefined) working ??= work(url).finally(() => controller.abort());
    };
    const all = ["playground", folder.path, "--port", "0", ...argv];
    const ran = await runCli(all, { signal: controller.signal, onOutput, env });
    await working;
    return ran;
  }

  const ask = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${url}/playground/configs`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-guardrails-playground": "1", ...headers },
      body: "{}",
    });

  it.each([
    [[], false],
    [["--unreviewed"], true],
  ])("serves the page with the options %j until it is interrupted", async (argv, unreviewed) => {
    const { code } = await run(argv, async (url) => {
      expect(await (await fetch(url)).text()).toContain("<title>Guardrails playground</title>");
      expect(await (await ask(url)).json()).toMatchObject({
        unreviewed,
        configs: [{ files: [{ path: "config.yml" }, {}] }],
      });
    });
    expect(code).toBe(0);
  });

  it("grants the permission to the key of the environment", async () => {
    const env = { LANGCHAIN_GUARDRAILS_API_KEY: KEY };
    await run(
      [],
      async (url) => {
        expect((await ask(url)).status).toBe(401);
        expect((await ask(url, { authorization: `Bearer ${KEY}` })).status).toBe(200);
      },
      env,
    );
  });

  it.each([
    ["another address without keys", ["--host", "0.0.0.0"], "refuse to listen"],
    ["a page for others without keys", ["--remote"], "keys"],
  ])("refuses %s", async (_name, argv, message) => {
    const { code, err } = await runCli(["playground", folder.path, "--port", "0", ...argv]);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });
});
