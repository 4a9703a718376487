import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createActionServer } from "../../src/actions/remote.js";
import { createFolder, runCli } from "./run-cli.js";

const KEY = "a-key-of-the-tests";
const ACTIONS = "export const add = ({ a, b }) => a + b;\n";

let folder: ReturnType<typeof createFolder>;
let empty: ReturnType<typeof createFolder>;
let bare: ReturnType<typeof createFolder>;
let nothing: ReturnType<typeof createFolder>;
beforeAll(() => {
  folder = createFolder({ "config.yml": "models: []\n", "actions.js": ACTIONS });
  empty = createFolder({ "config.yml": "models: []\n" });
  bare = createFolder({ "actions/sums.js": ACTIONS });
  nothing = createFolder({ "notes.txt": "" });
});
afterAll(() => {
  folder.remove();
  empty.remove();
  bare.remove();
  nothing.remove();
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("actions-server", () => {
  it.each([
    ["a folder", () => folder],
    ["a folder of code alone", () => bare],
  ])("runs the actions of %s until it is interrupted", async (_title, open) => {
    const controller = new AbortController();
    const { signal } = controller;
    const port = await freePort();
    const argv = ["actions-server", open().path, "--port", String(port), "--key-env", "ACTIONS_KEY"];
    const ended = runCli(argv, { env: { ACTIONS_KEY: KEY }, signal });
    const client = createActionServer({
      url: `http://127.0.0.1:${port}`,
      token: KEY,
      timeoutMs: 10_000,
      retries: 20,
      startTimer: (milliseconds, onTimeout) => {
        const timer = setTimeout(onTimeout, milliseconds > 5_000 ? milliseconds : 50);
        return () => clearTimeout(timer);
      },
    });
    expect(await client.list(new AbortController().signal)).toEqual(["add"]);
    expect(await client.run("add", { a: 1, b: 2 }, new AbortController().signal)).toMatchObject({ returnValue: 3 });
    controller.abort();
    const { code, out, err } = await ended;
    expect({ code, err }).toEqual({ code: 130, err: "" });
    expect(out).toContain(`listening on http://127.0.0.1:${port} with 1 action: add`);
    expect(out).not.toContain(KEY);
  });

  it.each<[string, readonly string[], string, number]>([
    ["a variable that is not set", ["--key-env", "MISSING"], "`MISSING` with the key of callers is not set", 64],
    ["a port that is not a number", ["--port", "http"], "expected a whole number up to 65535 for `--port`", 64],
    ["an address that others reach, without a key", ["--host", "0.0.0.0", "--port", "0"], "without keys", 1],
  ])("refuses %s", async (_title, options, message, code) => {
    const ran = await runCli(["actions-server", folder.path, ...options]);
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(message);
  });

  it("refuses a folder with neither settings nor code", async () => {
    const ran = await runCli(["actions-server", nothing.path]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("holds no configuration") });
  });

  it("refuses a folder without actions", async () => {
    const ran = await runCli(["actions-server", empty.path]);
    expect(ran).toMatchObject({ code: 64, err: expect.stringContaining("has no actions") });
  });
});
