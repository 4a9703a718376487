import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { dispatch } from "../../src/actions/dispatcher.js";
import { ActionRegistryBuilder } from "../../src/actions/registry.js";
import { type ActionServerOptions, createActionServer, remoteActions } from "../../src/actions/remote.js";
import { Guardrails } from "../../src/index.js";
import type { StartTimer } from "../../src/engine/events.js";
import { logProblem } from "../../src/turn/problem-log.js";
import { actionContext, manualTimer, underSignal } from "./context.js";

interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly hang?: boolean;
}

interface Call {
  readonly url: string | undefined;
  readonly method: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

let server: Server;
let url: string;
let replies: Reply[] = [];
let calls: Call[] = [];

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { url: path, method, headers } = request;
    calls.push({ url: path, method, authorization: headers.authorization, body: await bodyOf(request) });
    const reply = replies.shift() ?? { status: 500 };
    if (reply.hang) return;
    response.writeHead(reply.status ?? 200, { "content-type": "application/json" });
    response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? null));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  replies = [];
  calls = [];
});

/** The wait before another attempt ends at once; the time limit of an attempt never fires. */
const skipWaits: StartTimer = (milliseconds, onTimeout) => {
  if (milliseconds < 1000) queueMicrotask(onTimeout);
  return () => undefined;
};

async function run(fields: Partial<ActionServerOptions> = {}, signal = new AbortController().signal) {
  const client = createActionServer({ url, timeoutMs: 5000, retries: 0, startTimer: skipWaits, ...fields });
  return dispatch({
    registry: new ActionRegistryBuilder().registerRemote(remoteActions(client, ["stock"])).build(),
    name: "stock",
    params: { item: "tube" },
    context: underSignal(actionContext()),
    timeoutMs: 0,
    signal,
  });
}

describe("an action on a server", () => {
  it("receives the parameters and the token, and returns any JSON", async () => {
    replies = [{ body: { status: "success", result: false } }];
    const outcome = await run({ token: "secret" });
    expect(outcome).toMatchObject({ ok: true, result: { returnValue: false, events: [], contextUpdates: {} } });
    expect(calls).toEqual([
      {
        url: "/v1/actions/run",
        method: "POST",
        authorization: "Bearer secret",
        body: '{"action_name":"stock","action_parameters":{"item":"tube"}}',
      },
    ]);
  });

  it("may return variables and events", async () => {
    const events = [{ type: "Bell" }];
    replies = [{ body: { status: "success", result: 1, context_updates: { bay: 7 }, events } }];
    expect(await run()).toMatchObject({ ok: true, result: { returnValue: 1, events, contextUpdates: { bay: 7 } } });
  });

  it.each<[string, Reply, string]>([
    ["failed", { body: { status: "failed" } }, "the action failed there"],
    ["an error", { status: 500 }, "it responded with status 500"],
    ["not JSON", { body: "<html>" }, "its response is not JSON"],
    ["no status", { body: { result: 1 } }, "its response has no status"],
    ["a list", { body: [] }, "its response is not a map"],
    ["odd events", { body: { status: "success", events: {} } }, "`events` of its response is not a list"],
    [
      "odd variables",
      { body: { status: "success", context_updates: [] } },
      "`context_updates` of its response is not a map",
    ],
    [
      "a polluting variable",
      { body: '{"status":"success","context_updates":{"__proto__":{"a":1}}}' },
      "the key `__proto__` is not allowed",
    ],
    ["still busy", { status: 503 }, "it responded with status 503"],
  ])("handles the response %s", async (_, reply, message) => {
    replies = [reply];
    const outcome = await run({ token: "secret" });
    expect(outcome).toMatchObject({ ok: false, kind: "failed", error: { action: "stock" } });
    expect(!outcome.ok && outcome.error.message).toContain(message);
    expect(!outcome.ok && outcome.error.message).not.toContain("secret");
  });

  it.each<[string, Reply, string]>([
    ["an action that failed", { body: { status: "failed" } }, "the log of the action server has the reason"],
    ["another error", { status: 500 }, "the log of the action server has the reason"],
    ["no key", { status: 401 }, "`actions.server.token_env_var`"],
    ["a wrong key", { status: 403 }, "`actions.server.token_env_var`"],
    ["another server", { status: 404 }, "`actions_server_url`"],
    ["a page", { body: "<html>" }, "`actions_server_url`"],
    ["a busy server", { status: 503 }, "`actions.server.retries`"],
  ])("logs advice for %s", async (_, reply, advice) => {
    replies = [reply];
    const outcome = await run();
    const lines: string[] = [];
    const logger = { warn: () => undefined, error: (line: string) => void lines.push(line) };
    logProblem({ logger }, { code: "RL-201", action: "stock", cause: outcome.ok ? undefined : outcome.error });
    expect(lines).toEqual([expect.stringMatching(/^error\[RL-201\]: action `stock` failed/)]);
    expect(lines[0]).toContain(advice);
  });

  it("is called again when the server was busy, but not when the action failed", async () => {
    replies = [{ status: 503 }, { status: 429 }, { body: { status: "success", result: 3 } }];
    expect(await run({ retries: 2 })).toMatchObject({ ok: true, result: { returnValue: 3 } });
    expect(calls).toHaveLength(3);
    replies = [{ body: { status: "failed" } }, { body: { status: "success", result: 3 } }];
    expect((await run({ retries: 2 })).ok).toBe(false);
    expect(calls).toHaveLength(4);
  });

  it("fails with a clear error when the server cannot be reached", async () => {
    const outcome = await run({ url: "http://127.0.0.1:1" });
    expect(!outcome.ok && outcome.error.message).toContain("it cannot be reached");
  });

  it("is not called again when the connection broke, because the action may have run", async () => {
    let attempts = 0;
    const breaking = async (): Promise<Response> => {
      attempts += 1;
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
    };
    const outcome = await run({ retries: 2, fetch: breaking });
    expect(!outcome.ok && outcome.error.message).toContain("the connection broke");
    expect(attempts).toBe(1);
  });

  it("fails when the server does not respond in time", async () => {
    const timer = manualTimer();
    replies = [{ hang: true }];
    const pending = run({ startTimer: timer.start });
    while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    timer.fire();
    const outcome = await pending;
    expect(!outcome.ok && outcome.error.message).toContain("no response within 5000 ms");
  });

  it("is cancelled when the caller aborts", async () => {
    const controller = new AbortController();
    replies = [{ hang: true }];
    const pending = run({}, controller.signal);
    while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error("user left"));
    await expect(pending).rejects.toThrow("user left");
  });
});

describe("the list of actions", () => {
  const list = () =>
    createActionServer({ url, timeoutMs: 5000, retries: 0, startTimer: skipWaits }).list(new AbortController().signal);

  it("returns the names of the actions", async () => {
    replies = [{ body: ["stock", "price"] }];
    expect(await list()).toEqual(["stock", "price"]);
    expect(calls).toMatchObject([{ url: "/v1/actions/list", method: "GET" }]);
  });

  it("must contain names", async () => {
    replies = [{ body: { stock: 1 } }];
    await expect(list()).rejects.toThrow("the action server: expected a list of action names");
  });

  it.each<[string, string, readonly Reply[], Record<string, unknown>]>([
    [
      "without a server",
      "actions_server_url: http://127.0.0.1:1",
      [],
      {
        code: "CF-122",
        path: "actions_server_url",
        hint: expect.stringContaining("langchain-guardrails actions-server"),
      },
    ],
    [
      "with another server",
      "actions_server_url: URL",
      [{ body: "<html>" }],
      { code: "CF-122", path: "actions_server_url", hint: expect.stringContaining("base URL of an action server") },
    ],
    [
      "without its key",
      "actions_server_url: URL",
      [{ status: 401 }],
      { code: "CF-122", path: "actions_server_url", hint: expect.stringContaining("token_env_var") },
    ],
    [
      "with a key that is not set",
      "actions_server_url: URL\nactions: {server: {token_env_var: NO_SUCH_TOKEN}}",
      [],
      { code: "CF-113", path: "actions.server.token_env_var", hint: expect.stringContaining("set it") },
    ],
  ])("is an error of the configuration %s", async (_, yaml, given, diagnostic) => {
    replies = [...given];
    const settings = yaml.includes("\nactions:") ? yaml : `${yaml}\nactions: {server: {retries: 0}}`;
    const loading = Guardrails.fromConfig({ yaml: settings.replace("URL", url) }, { logger: false });
    await expect(loading).rejects.toMatchObject({
      name: "ConfigError",
      diagnostics: [{ ...diagnostic, span: expect.anything() }],
    });
  });
});
