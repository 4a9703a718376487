// The command `serve` over real sockets.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import OpenAI from "openai";
import { BAKERY, createFolder, runCli, type Ran, type RunOptions } from "../../cli/run-cli.js";

interface Serving {
  readonly url: string;
  /** Resolves when the output contains a text. */
  seen(text: string): Promise<void>;
  stop(): Promise<Ran>;
}

/** Runs `serve` on any port until it is stopped. */
async function start(argv: readonly string[], options: RunOptions = {}): Promise<Serving> {
  const controller = new AbortController();
  let output = "";
  let notify = (): void => undefined;
  const ended = runCli(["serve", ...argv, "--port", "0"], {
    ...options,
    signal: controller.signal,
    onOutput: (text) => {
      output += text;
      notify();
    },
  });
  const seen = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      notify = () => output.includes(text) && resolve();
      notify();
      void ended.then(({ err }) => reject(new Error(`the server has ended: ${err}`)), reject);
    });
  await seen("/v1");
  const [, url = ""] = /listening on (\S+)/.exec(output) ?? [];
  const stop = (): Promise<Ran> => {
    controller.abort();
    return ended;
  };
  return { url, seen, stop };
}

const RELOADED = BAKERY["rails.co"].replace("I bake bread", "I bake rolls");

describe("serve", () => {
  let bakery: ReturnType<typeof createFolder>;
  beforeAll(() => {
    bakery = createFolder(BAKERY);
  });
  afterAll(() => bakery.remove());

  const say = async ({ url }: Serving, content: string, apiKey = "none", model = "bakery") => {
    const client = new OpenAI({ baseURL: url, apiKey, maxRetries: 0 });
    return client.chat.completions.create({ model, messages: [{ role: "user", content }] });
  };

  it("responds to an OpenAI client from a configuration without a model", async () => {
    const serving = await start([`bakery=${bakery.path}`]);
    const [greeting, blocked] = [await say(serving, "hello"), await say(serving, "a cake")];
    const ended = await serving.stop();
    expect(greeting.choices[0]?.message.content).toBe("Hello! I bake bread.");
    expect(blocked.choices[0]).toMatchObject({
      finish_reason: "content_filter",
      message: { content: "I only talk about bread." },
    });
    expect(ended.code).toBe(0);
    expect(ended.out).toContain("(bakery)");
  });

  it("serves the demo", async () => {
    const serving = await start([join(process.cwd(), "examples", "demo")]);
    const reply = await say(serving, "My card is 4111 1111 1111 1111.", "none", "demo");
    await serving.stop();
    expect(reply.choices[0]?.message.content).toBe(
      "Please never send card numbers here. I have not read this message.",
    );
  });

  it("requires a key of callers if one is configured", async () => {
    const key = "k".repeat(20);
    bakery.write("keys.json", JSON.stringify([{ key: `${key}2`, id: "shop" }]));
    const keys = join(bakery.path, "keys.json");
    const env = { LANGCHAIN_GUARDRAILS_API_KEY: key };
    const serving = await start([`bakery=${bakery.path}`, "--keys", keys], { env });
    const replies = await Promise.allSettled([key, `${key}2`, "wrong"].map((each) => say(serving, "hello", each)));
    const { out, err } = await serving.stop();
    expect(replies.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect((replies[2] as { reason?: { status?: number } }).reason?.status).toBe(401);
    expect(out + err).not.toContain(key);
  });

  it("reloads a configuration when its files change, and keeps the old one if they are invalid", async () => {
    const folder = createFolder(BAKERY);
    const serving = await start([`bakery=${folder.path}`, "--watch"]);
    folder.write("rails.co", RELOADED);
    await serving.seen("loaded again: bakery");
    const reply = await say(serving, "hello");
    await serving.stop();
    folder.remove();
    expect(reply.choices[0]?.message.content).toBe("Hello! I bake rolls.");
  });

  it("shows metrics on request", async () => {
    const serving = await start([`bakery=${bakery.path}`, "--metrics"]);
    await say(serving, "a cake");
    const page = await (await fetch(new URL("/metrics", serving.url))).text();
    await serving.stop();
    expect(page).toMatch(/^guardrails_blocked\w*\{[^}\n]*check words[^}\n]*\} 1$/m);
  });

  it.each([
    [["--host", "0.0.0.0"], 1, "refuse to listen on `0.0.0.0` without keys"],
    [["--port", "x"], 64, "a port is a number"],
    [["--keys", "nowhere.json"], 64, "the keys in `nowhere.json` cannot be read: ENOENT"],
    [["--default", "shop"], 1, "`shop` is not one of the configurations"],
    [["--history", "all"], 64, "Allowed choices are check, refuse, trust"],
    [["--workers", "2", "--store", "memory"], 64, "keeps conversations in one process"],
    [["--workers", "0"], 64, "expected auto, or a number from 1 to 128"],
    [["--store", "mysql://user:secret@host"], 64, "a store is `memory`, `none`"],
    [["--store", "redis://user:secret@127.0.0.1:1"], 64, "the store of conversations cannot be used"],
    [["--store", "postgres://user:secret@127.0.0.1:1/db"], 64, "the store of conversations cannot be used"],
  ])("%j does not start", async (argv, code, message) => {
    const ran = await runCli(["serve", `bakery=${bakery.path}`, ...argv]);
    expect(ran.err).toContain(message);
    expect(ran.err).not.toContain("secret");
    expect(ran.code).toBe(code);
  });

  it("does not start with two configurations of one name", async () => {
    const twice = await runCli(["serve", bakery.path, bakery.path]);
    expect(twice.code).toBe(64);
    expect(twice.err).toContain("name one with `id=folder`");
  });
});
