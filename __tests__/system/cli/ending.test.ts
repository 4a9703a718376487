// Signals to a server that runs as a process of its own, from the package as it is installed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { completion, openUpstream, type Upstream } from "../../support/server/guarded-server.js";
import { createProject } from "../install-package.js";

let folder = "";
let upstream: Upstream;
/** Lets the upstream server answer. */
let answer: () => void;
/** Resolves when the upstream server has a request. */
let asked: Promise<void>;
let children: ChildProcess[] = [];

beforeAll(async () => {
  folder = createProject("ending");
  upstream = await openUpstream();
  mkdirSync(join(folder, "slow"));
  const model = { type: "main", engine: "vllm_openai", model: "slow" };
  const parameters = { base_url: upstream.url, api_key: "upstream-secret-key" };
  // JSON is YAML.
  writeFileSync(join(folder, "slow", "config.yml"), JSON.stringify({ models: [{ ...model, parameters }] }));
});

beforeEach(() => {
  const answering = new Promise<void>((resolve) => (answer = resolve));
  asked = new Promise<void>((onRequest) => {
    upstream.reply = async () => {
      onRequest();
      await answering;
      return completion("Here you are.");
    };
  });
});

afterEach(() => {
  answer();
  // A shell and the program below it are a group.
  for (const { pid, exitCode, signalCode } of children) {
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
  }
  children = [];
});

afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the server, and waits until it listens. */
async function start(shell: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const main = join(folder, "node_modules", "langchain-guardrails", "dist", "cli", "main.js");
  const [program = "", ...argv] = [...shell, process.execPath, main, "serve", "slow", "--port", "0"];
  const child = spawn(program, argv, { cwd: folder, detached: true, env: { PATH: process.env["PATH"], ...env } });
  children.push(child);
  let output = "";
  let notify = (): void => undefined;
  child.stdout.on("data", (data: Buffer) => {
    output += data.toString();
    notify();
  });
  // Every process that could write has ended.
  const closed = once(child.stdout, "close");
  const exited = once(child, "exit") as Promise<[code: number | null, signal: string | null]>;
  const seen = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      notify = () => output.includes(text) && resolve();
      notify();
      void closed.then(() => reject(new Error(`it has ended: ${output}`)));
    });
  await seen("/v1");
  const [, url = ""] = /listening on (\S+)/.exec(output) ?? [];
  const body = JSON.stringify({ model: "slow", messages: [{ role: "user", content: "hello" }] });
  const ask = (): Promise<number> =>
    fetch(`${url}/chat/completions`, { method: "POST", headers: { "content-type": "application/json" }, body }).then(
      ({ status }) => status,
      () => 0,
    );
  return { child, ask, seen, closed, exited };
}

const WAITING = "waiting for requests at work";

describe("langchain-guardrails serve", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("ends its requests on %s, also if it comes twice", async (name) => {
    const { child, ask, seen, exited } = await start();
    const status = ask();
    await asked;
    child.kill(name);
    child.kill(name);
    await seen(WAITING);
    answer();
    expect([await status, await exited]).toEqual([200, [0, null]]);
  });

  it("ends at once on a signal that comes later", async () => {
    const { child, ask, exited } = await start();
    const status = ask();
    await asked;
    const repeated = setInterval(() => child.kill("SIGTERM"), 50);
    const ended = await exited;
    clearInterval(repeated);
    expect([await status, ended]).toEqual([0, [null, "SIGTERM"]]);
  });

  // As npm starts it: a signal to npm ends the shell alone.
  it("ends its requests when the shell of npm has ended", async () => {
    const shell = ["sh", "-c", '"$@"; true', "sh"];
    const { child, ask, seen, closed } = await start(shell, {
      npm_lifecycle_script: "langchain-guardrails serve slow",
    });
    const status = ask();
    await asked;
    child.kill("SIGTERM");
    await seen(WAITING);
    answer();
    expect(await status).toBe(200);
    await closed;
  });
});
