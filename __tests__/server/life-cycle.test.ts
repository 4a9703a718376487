import { createServer, type ServerResponse } from "node:http";
import { connect, type Socket, type AddressInfo } from "node:net";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it } from "@jest/globals";
import {
  createGuardrailsApp,
  nodeListener,
  type RequestRecord,
  serve,
  type ServerLoad,
} from "../../src/server/index.js";
import { Guardrails } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import {
  answering,
  chunks,
  completion,
  type GuardedServer,
  guardedServer,
  type UpstreamReply,
} from "../support/server/guarded-server.js";

let server: GuardedServer;

afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

/** A promise that a test resolves. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Records of finished requests, and the next of them. */
function recorder() {
  const records: RequestRecord[] = [];
  const waiting: ((record: RequestRecord) => void)[] = [];
  const requestFinished = (record: RequestRecord): void => {
    records.push(record);
    waiting.shift()?.(record);
  };
  return {
    records,
    observer: { requestFinished },
    next: () => new Promise<RequestRecord>((resolve) => waiting.push(resolve)),
  };
}

const begin = (response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of chunks("one two three four five six seven eight").slice(0, -1))
    response.write(`data: ${JSON.stringify(event)}\n\n`);
};

describe("a server that is full", () => {
  it("writes one line about all requests that it refuses", async () => {
    const lines: string[] = [];
    const note = (line: unknown): void => void lines.push(String(line));
    const all = gate();
    const arrived = gate();
    server = await guardedServer({
      limits: { concurrent: 1, queued: 0 },
      logger: { warn: note, error: note },
      reply: async () => {
        arrived.open();
        await all.opened;
        return completion("fine");
      },
    });
    const first = server.chat("hello");
    await arrived.opened;
    const refused = await Promise.all(Array.from({ length: 20 }, async () => (await server.chat("hello")).status));
    all.open();
    expect((await first).status).toBe(200);
    expect(new Set(refused)).toEqual(new Set([503]));
    expect(lines).toEqual([
      "the server is at its limit of concurrent requests; it refuses further ones with status 503",
    ]);
  });
});

describe("many requests at once", () => {
  it("leave no warning of the platform", async () => {
    const warnings: string[] = [];
    const note = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
    process.on("warning", note);
    const all = gate();
    let arrived = 0;
    server = await guardedServer({
      reply: async () => {
        arrived += 1;
        if (arrived === 20) all.open();
        await all.opened;
        return completion("fine");
      },
    });
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await server.chat("hello")).status));
    await setImmediate();
    process.off("warning", note);
    expect({ statuses: new Set(statuses), warnings }).toEqual({ statuses: new Set([200]), warnings: [] });
  });
});

describe("a caller who goes away", () => {
  const phases: readonly (readonly [string, boolean, (arrived: () => void) => UpstreamReply])[] = [
    ["while a completion is made", false, (arrived) => () => arrived()],
    ["before the first byte of a stream", true, (arrived) => () => arrived()],
    [
      "in the middle of a stream",
      true,
      (arrived) => (_request, response) => {
        begin(response);
        arrived();
      },
    ],
  ];

  it.each(phases)("%s ends the upstream call", async (_name, stream, replying) => {
    const { observer, records, next } = recorder();
    server = await guardedServer({ observer });
    const arrived = gate();
    server.upstream.reply = replying(arrived.open);
    const controller = new AbortController();
    const finished = next();
    const body = JSON.stringify({ model: "gpt-test", messages: [{ role: "user", content: "hi" }], stream });
    const sending = server.send("/v1/chat/completions", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
      signal: controller.signal,
    });
    const reading = sending.then(async (response) => {
      const reader = response.body?.getReader();
      await reader?.read();
      controller.abort();
      await reader?.read();
    });
    await arrived.opened;
    if (_name !== "in the middle of a stream") controller.abort();
    await expect(reading).rejects.toThrow();
    await server.upstream.aborted();
    expect((await finished).status).toBe(499);
    expect(records).toHaveLength(1);
  });
});

describe("a full server", () => {
  it("refuses before it reads the body, and continues when a place is free", async () => {
    let load = (): ServerLoad => ({ active: 0, queued: 0 });
    const serverStarted = (read: () => ServerLoad): void => void (load = read);
    server = await guardedServer({
      limits: { concurrent: 1, queued: 1, queueMs: 60_000 },
      observer: { serverStarted },
    });
    const arrived = gate();
    const release = gate();
    server.upstream.reply = async () => {
      arrived.open();
      await release.opened;
      return completion("Hello!");
    };
    const first = server.chat("hi");
    await arrived.opened;
    const second = server.chat("hi");
    const socket = connect(Number(new URL(server.running.url).port), "127.0.0.1");
    while (load().queued === 0) await setImmediate();
    socket.write(
      "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n{",
    );
    const head = await readHead(socket);
    expect(head).toMatch(/^HTTP\/1\.1 503 /);
    expect(head).toMatch(/\r\nretry-after: [1-5]\r\n/i);
    socket.destroy();
    release.open();
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(200);
    expect((await server.chat("hi")).status).toBe(200);
  });

  it("refuses requests that wait too long", async () => {
    server = await guardedServer({ limits: { concurrent: 1, queued: 8, queueMs: 1 } });
    const arrived = gate();
    const release = gate();
    server.upstream.reply = async () => {
      arrived.open();
      await release.opened;
      return completion("Hello!");
    };
    const first = server.chat("hi");
    await arrived.opened;
    const late = await server.chat("hi");
    expect([late.status, late.headers.get("retry-after")]).toEqual([503, "1"]);
    release.open();
    expect((await first).status).toBe(200);
  });
});

describe("a key", () => {
  it("has separate limits", async () => {
    const keys = [
      { id: "ann", key: "key-of-ann-0123456789", perMinute: 2 },
      { id: "bob", key: "key-of-bob-0123456789" },
    ];
    server = await guardedServer({ keys });
    const statuses: number[] = [];
    for (const key of ["ann", "ann", "ann", "bob"]) {
      const response = await server.chat("hi", {}, { authorization: `Bearer key-of-${key}-0123456789` });
      statuses.push(response.status);
      if (response.status === 429) {
        expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
        expect(await response.json()).toMatchObject({ error: { code: "rate_limit_exceeded" } });
      }
    }
    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  it("comes from a hook", async () => {
    server = await guardedServer({
      authenticate: ({ headers }) => (headers.get("x-session") === "ann" ? { id: "ann" } : undefined),
    });
    expect((await server.chat("hi", {}, { "x-session": "ann" })).status).toBe(200);
    expect((await server.chat("hi", {}, { "x-session": "eve" })).status).toBe(401);
  });
});

describe("slow and broken connections", () => {
  const open = (): Socket => connect(Number(new URL(server.running.url).port), "127.0.0.1");

  it("get 408 for a body that does not arrive", async () => {
    server = await guardedServer({ limits: { bodyMs: 20 } });
    const socket = open();
    socket.write(
      "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    );
    const head = await readHead(socket);
    expect(head).toMatch(/^HTTP\/1\.1 408 /);
    expect(head).toMatch(/connection: close/i);
    socket.destroy();
  });

  it("take a probe in HTTP/1.0 that names no host", async () => {
    server = await guardedServer();
    const socket = open();
    socket.write("GET /healthz HTTP/1.0\r\n\r\n");
    expect(await readHead(socket)).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  it("stay open for longer than proxies keep them", async () => {
    server = await guardedServer();
    const response = await server.send("/healthz");
    const [, seconds] = /timeout=(\d+)/.exec(response.headers.get("keep-alive") ?? "") ?? [];
    expect(Number(seconds)).toBeGreaterThan(60);
  });

  it("get 413 for a body that grows beyond the limit", async () => {
    server = await guardedServer({ limits: { bodyBytes: 1_000 } });
    const socket = open();
    socket.on("error", () => undefined);
    socket.write(
      "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
    );
    socket.write(`800\r\n${"x".repeat(0x800)}\r\n`);
    expect(await readHead(socket)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it("get 413 for a complete body without a length that exceeds the limit", async () => {
    server = await guardedServer({ limits: { bodyBytes: 1_000 } });
    const socket = open();
    socket.on("error", () => undefined);
    const head = "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json";
    socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n800\r\n${"x".repeat(0x800)}\r\n0\r\n\r\n`);
    expect(await readHead(socket)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it.each<[string, string, number?]>([
    ["no host", "POST /v1/chat/completions HTTP/1.1\r\n\r\n"],
    ["a broken request line", "HELLO\r\n\r\n"],
    ["a header with a line break", "GET / HTTP/1.1\r\nhost: a\r\nx: a\rb\r\n\r\n"],
    ["two lengths", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a host that is not one", "GET / HTTP/1.1\r\nhost: a b\r\n\r\n"],
    ["another expectation", "GET / HTTP/1.1\r\nhost: a\r\nexpect: 200-maybe\r\n\r\n", 417],
  ])("get an error object for %s", async (_name, bytes, status = 400) => {
    server = await guardedServer();
    const socket = open();
    socket.write(bytes);
    let received = "";
    for await (const data of socket) {
      received += String(data);
      if (received.endsWith("}}")) break;
    }
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(received).toContain('"type":"invalid_request_error"');
  });

  it("end without a trace if they break in the middle of a body", async () => {
    const { observer, next } = recorder();
    server = await guardedServer({ observer });
    const finished = next();
    const socket = open();
    socket.write(
      "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
      () => socket.destroy(),
    );
    expect((await finished).status).toBe(499);
    expect(server.upstream.requests).toHaveLength(0);
  });
});

describe("time", () => {
  it("ends a request, streamed or not, and its upstream call", async () => {
    server = await guardedServer({ limits: { requestMs: 400, heartbeatMs: 60_000 } });
    for (const stream of [false, true]) {
      server.upstream.reply = () => undefined;
      const response = await server.chat("hi", { stream });
      expect([response.status, await response.json()]).toMatchObject([504, { error: { code: "request_timeout" } }]);
      await server.upstream.aborted();
    }
  });

  it("is kept alive by comments", async () => {
    server = await guardedServer({ limits: { heartbeatMs: 5 } });
    const release = gate();
    server.upstream.reply = async () => {
      await release.opened;
      return chunks("one");
    };
    const response = await server.chat("hi", { stream: true });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toMatch(/^: keep-alive\n\n/);
    release.open();
    let text = "";
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      text += new TextDecoder().decode(next.value);
    expect(text).toContain("[DONE]");
  });
});

describe("the end of a server", () => {
  it("lets requests end, and accepts no new ones", async () => {
    server = await guardedServer();
    const arrived = gate();
    const release = gate();
    server.upstream.reply = async () => {
      arrived.open();
      await release.opened;
      return completion("Hello!");
    };
    const sending = server.chat("hi");
    await arrived.opened;
    const closing = server.running.close();
    await expect(server.chat("late")).rejects.toThrow();
    release.open();
    expect(await (await sending).json()).toMatchObject({ choices: [{ message: { content: "Hello!" } }] });
    await closing;
  });

  it("cancels what does not end in time", async () => {
    server = await guardedServer();
    const arrived = gate();
    server.upstream.reply = () => arrived.open();
    const sending = server.chat("hi");
    await arrived.opened;
    await Promise.all([server.running.close(), server.upstream.aborted()]);
    expect((await sending).status).toBe(503);
  });

  it("is a reason not to be ready", async () => {
    server = await guardedServer();
    const guardrails = await Guardrails.fromConfig(
      { yaml: "models: []" },
      { llm: scriptedModel("Hello!"), logger: false },
    );
    const app = await createGuardrailsApp({ configs: { demo: guardrails }, logger: false });
    const ask = () => app.fetch(new Request("http://localhost/readyz"));
    expect((await ask()).status).toBe(200);
    await app.close(0);
    expect((await ask()).status).toBe(503);
    const response = await app.fetch(new Request("http://localhost/v1/models"));
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  });
});

describe("serve", () => {
  it("refuses addresses that others reach unless callers need a key", async () => {
    server = await guardedServer();
    const guardrails = await Guardrails.fromConfig(
      { yaml: "models: []" },
      { llm: scriptedModel("Hello!"), logger: false },
    );
    const app = await createGuardrailsApp({ configs: { demo: guardrails }, logger: false });
    for (const host of ["0.0.0.0", "::", "example.com", "127.0.0.1.example.com"]) {
      await expect(serve(app, { host, port: 0 })).rejects.toMatchObject({ name: "ConfigError" });
    }
    expect(typeof nodeListener(app)).toBe("function");
    await app.close(0);
  });

  it("works as a listener of Express, which passes an additional function", async () => {
    server = await guardedServer({ reply: answering("Hello!") });
    const listener = nodeListener(server.running.app);
    const passed: string[] = [];
    const express = createServer((incoming, outgoing) =>
      (listener as (...exchange: unknown[]) => void)(incoming, outgoing, () => passed.push(incoming.url ?? "")),
    );
    await new Promise<void>((resolve) => express.listen(0, "127.0.0.1", resolve));
    const { port } = express.address() as AddressInfo;
    const json = { model: "gpt-test", messages: [{ role: "user", content: "hi" }] };
    const headers = { "content-type": "application/json" };
    const url = `http://127.0.0.1:${port}/v1/chat/completions`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify(json), headers });
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: "Hello!" } }] });
    expect(passed).toEqual([]);
    express.closeAllConnections();
    express.close();
  });

  it.each<[string, (text: string) => unknown]>([
    ["JSON", (text) => JSON.parse(text) as unknown],
    ["texts", (text) => text],
    ["bytes", (text) => Buffer.from(text)],
  ])("accepts a body that a parser of Express for %s has already read", async (_name, read) => {
    server = await guardedServer({ reply: answering("Hello!") });
    const listener = nodeListener(server.running.app);
    const express = createServer((incoming, outgoing) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (part: string) => (text += part));
      incoming.on("end", () => listener(Object.assign(incoming, { body: read(text) }), outgoing));
    });
    await new Promise<void>((resolve) => express.listen(0, "127.0.0.1", resolve));
    const { port } = express.address() as AddressInfo;
    const json = { model: "gpt-test", messages: [{ role: "user", content: "hi" }] };
    const headers = { "content-type": "application/json" };
    const url = `http://127.0.0.1:${port}/v1/chat/completions`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify(json), headers });
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: "Hello!" } }] });
    express.closeAllConnections();
    express.close();
  });

  it.each<[string, (port: number) => { readonly host?: string; readonly port: number }, string, string]>([
    ["a port in use", (port) => ({ port }), "another program listens there", "at options.port"],
    [
      "an address of another machine",
      () => ({ host: "192.0.2.1", port: 0 }),
      "does not have the address",
      "at options.host",
    ],
  ])("reports why it cannot listen: %s", async (_name, where, reason, option) => {
    server = await guardedServer({ keys: [{ id: "tests", key: "key-of-the-tests-0123" }] });
    const { port } = server.running.server.address() as AddressInfo;
    const failing = serve(server.running.app, where(port));
    await expect(failing).rejects.toMatchObject({ name: "ConfigError", message: expect.stringContaining(reason) });
    await expect(failing).rejects.toThrow(option);
  });

  it("replaces a configuration while requests are in progress", async () => {
    server = await guardedServer({ reply: answering("Hello!") });
    expect(server.running.app.configs).toEqual(["demo"]);
    const arrived = gate();
    const release = gate();
    server.upstream.reply = async () => {
      arrived.open();
      await release.opened;
      return completion("Hello!");
    };
    const sending = server.chat("hi");
    await arrived.opened;
    await server.running.app.reload();
    release.open();
    expect((await sending).status).toBe(200);
    expect((await server.chat("hi")).status).toBe(200);
  });
});

async function readHead(socket: Socket): Promise<string> {
  let text = "";
  while (!text.includes("\r\n\r\n")) text += String((await once(socket, "data"))[0]);
  return text;
}
