import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { tool } from "@langchain/core/tools";
import { z } from "zod/v4";
import type { ActionContext } from "../../src/actions/action.js";
import { actionResult } from "../../src/actions/dispatcher.js";
import { createActionServer } from "../../src/actions/remote.js";
import { Guardrails } from "../../src/index.js";
import {
  type ActionsAppOptions,
  type ActionsServer,
  createActionsApp,
  type RunningServer,
  serve,
} from "../../src/server/index.js";
import { defineAction } from "../../src/langchain/rails.js";

const KEY = "a-key-of-the-tests";
const signal = new AbortController().signal;

const began: AbortSignal[] = [];
const log: string[] = [];

const ACTIONS: NonNullable<ActionsAppOptions["actions"]> = {
  add: ({ a, b }: { a: number; b: number }) => a + b,
  profile: ({ id }: { id: string }) => ({ id, tags: ["new"], address: { city: "Bath" }, age: null }),
  remember: () =>
    actionResult({ returnValue: "ok", contextUpdates: { bay: 7 }, events: [{ type: "BayChanged", bay: 7 }] }),
  fail: ({ text }: { text: string }) => {
    throw new TypeError(`cannot read ${text}`);
  },
  odd: () => ({ when: () => 1 }),
  large: () => "x".repeat(9_000_001),
  greet: (_params: object, { services }: ActionContext) => `Welcome to ${String(services["shop"])}`,
  hang: (_params: object, context: ActionContext) => {
    began.push(context.signal);
    return new Promise(() => undefined);
  },
  hidden: defineAction({ name: "hidden", system: true }, () => "secret"),
};

const lookUp = tool(({ q }: { q: string }) => `found ${q}`, {
  name: "look_up",
  description: "d",
  schema: z.object({ q: z.string() }),
});

async function open(options: Partial<ActionsAppOptions> = {}): Promise<RunningServer<ActionsServer>> {
  const app = await createActionsApp({
    actions: ACTIONS,
    tools: [lookUp],
    actionParams: { shop: "the bakery" },
    keys: [{ id: "tests", key: KEY }],
    logger: { warn: (line) => void log.push(line), error: (line) => void log.push(line) },
    ...options,
  });
  return serve(app, { port: 0, graceMs: 50 });
}

let running: RunningServer<ActionsServer>;
beforeAll(async () => (running = await open({ limits: { bodyBytes: 1_000 } })));
afterAll(() => running.close());

const client = (url = running.url, more: object = {}) =>
  createActionServer({ url, token: KEY, timeoutMs: 5_000, retries: 0, ...more });

const post = (body: unknown, headers: Readonly<Record<string, string>> = {}, path = "/v1/actions/run") =>
  fetch(`${running.url}${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", authorization: `Bearer ${KEY}`, ...headers },
  });

const call = (action_name: string, action_parameters: object = {}) => post({ action_name, action_parameters });

describe("a server of actions and its client", () => {
  it("lists the actions, without those of the system", async () => {
    const names = await client().list(signal);
    expect([...names].sort()).toEqual(
      ["add", "fail", "greet", "hang", "large", "look_up", "odd", "profile", "remember"].sort(),
    );
  });

  it.each<[string, object, unknown]>([
    ["add", { a: 1, b: 2 }, { returnValue: 3 }],
    [
      "profile",
      { id: "ä\u2028" },
      { returnValue: { id: "ä\u2028", tags: ["new"], address: { city: "Bath" }, age: null } },
    ],
    ["look_up", { q: "flour" }, { returnValue: "found flour" }],
    ["greet", {}, { returnValue: "Welcome to the bakery" }],
    ["remember", {}, { returnValue: "ok", contextUpdates: { bay: 7 }, events: [{ type: "BayChanged", bay: 7 }] }],
  ])("run `%s`", async (name, params, result) => {
    expect(await client().run(name, params as Record<string, unknown>, signal)).toMatchObject(result as object);
  });

  it.each(["fail", "odd", "large", "hidden", "unknown"])("fail for `%s`", async (name) => {
    const failing = client().run(name, { text: "a secret" }, signal);
    await expect(failing).rejects.toMatchObject({ name: "ActionError" });
    await expect(failing).rejects.not.toThrow("secret");
    expect(log.join("\n")).not.toContain("secret");
  });

  it("run actions of flows on another machine", async () => {
    process.env["ACTIONS_TOKEN"] = KEY;
    const colang = `
define user ask sum
  "what is one and two"
define flow
  user ask sum
  $sum = execute add(a=1, b=2)
  bot tell sum
define bot tell sum
  "It is $sum."
`;
    const config = { actions_server_url: running.url, actions: { server: { token_env_var: "ACTIONS_TOKEN" } } };
    const guardrails = await Guardrails.fromConfig({ colang, config }, { logger: false });
    expect((await guardrails.generate("what is one and two")).response).toBe("It is 3.");
  });

  it("end an action at its time limit, and do not repeat it", async () => {
    const before = began.length;
    await using own = await open({ limits: { actionMs: 20 } });
    const hanging = client(own.url, { retries: 3 }).run("hang", {}, signal);
    await expect(hanging).rejects.toThrow("the action failed there");
    expect(began.slice(before).map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("cancel an action whose caller has gone", async () => {
    const before = began.length;
    const leaving = new AbortController();
    const hanging = client().run("hang", {}, leaving.signal);
    while (began.length === before) await new Promise((resolve) => setImmediate(resolve));
    const own = began.at(-1) as AbortSignal;
    const cancelled = new Promise((resolve) => own.addEventListener("abort", resolve, { once: true }));
    leaving.abort(new Error("gone"));
    await expect(hanging).rejects.toThrow("gone");
    await cancelled;
  });

  it("cancel running actions when the server ends, without requesting a retry", async () => {
    const before = began.length;
    const own = await open();
    const hanging = client(own.url, { retries: 3 })
      .run("hang", {}, signal)
      .catch((error: unknown) => error);
    while (began.length === before) await new Promise((resolve) => setImmediate(resolve));
    await own.close();
    expect(await hanging).toMatchObject({ name: "ActionError" });
    expect(began.length).toBe(before + 1);
  });

  it("refuse calls that have no room, before their body is read", async () => {
    const before = began.length;
    await using own = await open({ limits: { concurrent: 1, queued: 0 } });
    const leaving = new AbortController();
    const first = client(own.url)
      .run("hang", {}, leaving.signal)
      .catch(() => undefined);
    while (began.length === before) await new Promise((resolve) => setImmediate(resolve));
    const refused = await fetch(`${own.url}/v1/actions/run`, {
      method: "POST",
      body: "not json",
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    leaving.abort();
    await first;
  });
});

describe("a request that is refused", () => {
  it.each<[string, () => Promise<Response>, number, string | null]>([
    ["without a key", () => post({ action_name: "add" }, { authorization: "" }), 401, "invalid_api_key"],
    ["with another key", () => post({}, { authorization: "Bearer other-key-of-tests" }), 401, "invalid_api_key"],
    ["that is not JSON", () => post("{"), 400, null],
    ["that is a list", () => post([]), 400, null],
    ["without a name", () => post({ action_parameters: {} }), 400, null],
    ["with a long name", () => call("a".repeat(201)), 400, null],
    ["with parameters that are not a map", () => post({ action_name: "add", action_parameters: [1] }), 400, null],
    ["that is too large", () => call("add", { a: "x".repeat(2_000) }), 413, "request_too_large"],
    ["in another format", () => post("add", { "content-type": "text/plain" }), 415, "unsupported_media_type"],
    ["for an action that does not exist", () => call("nothing"), 404, "unknown_action"],
    ["for a name of objects", () => call("__proto__"), 404, "unknown_action"],
    ["for another page", () => post({}, {}, "/v1/actions/../../etc/passwd"), 404, "unknown_url"],
    ["with another method", () => post({}, {}, "/v1/actions/list"), 405, "method_not_supported"],
  ])("%s has the status and an error object", async (_title, send, status, code) => {
    const response = await send();
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: { message: string; code: string | null } };
    expect(error).toMatchObject({ code, message: expect.any(String) });
    expect(error.message).not.toMatch(/passwd|other-key/);
  });

  it.each(["__proto__", "constructor"])("with the parameter `%s` changes no object", async (name) => {
    await (await post(`{"action_name":"profile","action_parameters":{"${name}":{"polluted":1},"id":"1"}}`)).text();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("needs no key for the health check", async () => {
    const response = await fetch(`${running.url}/healthz`);
    expect([response.status, await response.json()]).toEqual([200, { status: "pass" }]);
  });

  it("gets 400 if it is not HTTP", async () => {
    const { port } = new URL(running.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.end("no request\r\n\r\n");
    let received = "";
    for await (const part of socket) received += String(part);
    expect(received).toMatch(/^HTTP\/1\.1 400/);
  });
});

describe("createActionsApp", () => {
  it("runs the actions of a folder, whose code may register values for them", async () => {
    const path = await mkdtemp(join(tmpdir(), "actions-"));
    await writeFile(join(path, "config.yml"), "models: []\n");
    await writeFile(
      join(path, "actions.js"),
      "export const shout = ({ text }, { services }) => text.toUpperCase() + services.mark;\n",
    );
    await writeFile(join(path, "config.js"), 'export const init = (app) => app.registerActionParam("mark", "!");\n');
    await using own = await open({ path, actions: {}, tools: [] });
    expect(await client(own.url).list(signal)).toEqual(["shout"]);
    expect(await client(own.url).run("shout", { text: "hi" }, signal)).toMatchObject({ returnValue: "HI!" });
    await rm(path, { recursive: true });
  });

  it("does not listen beyond the loopback interface without keys", async () => {
    const app = await createActionsApp({ actions: ACTIONS });
    await expect(serve(app, { port: 0, host: "0.0.0.0" })).rejects.toMatchObject({ code: "CF-104" });
  });

  it.each<[string, object]>([
    ["a misspelt option", { action: {} }],
    ["a short key", { keys: [{ id: "a", key: "short" }] }],
    ["keys and a hook", { keys: [{ id: "a", key: KEY }], authenticate: () => undefined }],
    ["a logger without methods", { logger: {} }],
  ])("refuses %s", async (_title, options) => {
    await expect(createActionsApp(options as never)).rejects.toMatchObject({ name: "ConfigError" });
  });
});
