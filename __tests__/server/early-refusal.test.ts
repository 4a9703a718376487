import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { setImmediate } from "node:timers/promises";
import type { GuardrailsAppOptions, RequestRecord, ServerLoad } from "../../src/server/index.js";
import { completion, type GuardedServer, guardedServer } from "../support/server/guarded-server.js";

let server: GuardedServer;
let records: RequestRecord[];
let load: () => ServerLoad;
/** Ends the request that has the only place. */
let free: () => void;
let atWork: Promise<Response>;
const sockets: Socket[] = [];

/** A server whose only place is taken. */
async function fullServer(options: Omit<GuardrailsAppOptions, "configs"> = {}): Promise<void> {
  records = [];
  const requestFinished = (record: RequestRecord): void => void records.push(record);
  let arrived = (): void => undefined;
  const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
  const isFree = new Promise<void>((resolve) => (free = resolve));
  server = await guardedServer({
    ...options,
    limits: { concurrent: 1, queued: 0, ...options.limits },
    observer: { requestFinished, serverStarted: (read) => void (load = read) },
    reply: async () => {
      arrived();
      await isFree;
      return completion("Hello!");
    },
  });
  const { keys: [key] = [] } = options;
  atWork = server.chat("hi", {}, key === undefined ? {} : { authorization: `Bearer ${key.key}` });
  await hasArrived;
}

beforeEach(() => {
  sockets.length = 0;
});

afterEach(async () => {
  free();
  await atWork;
  for (const socket of sockets) socket.destroy();
  await server[Symbol.asyncDispose]();
});

function open(): Socket {
  const socket = connect(Number(new URL(server.running.url).port), "127.0.0.1").setEncoding("utf8");
  sockets.push(socket.on("error", () => undefined));
  return socket;
}

/** Reads as many responses as the socket gets. */
async function responses(socket: Socket, count: number): Promise<string[]> {
  let text = "";
  const found = (): string[] => text.split(/(?=HTTP\/1\.1 \d{3} )/).filter((each) => /\r\n\r\n[^]*\}$/.test(each));
  while (found().length < count) text += String((await once(socket, "data"))[0]);
  return found();
}

const BODY = JSON.stringify({ model: "gpt-test", messages: [{ role: "user", content: "hi" }] });
const head = (more: string, path = "/v1/chat/completions"): string =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${more}\r\n\r\n`;
const REQUEST = head(`content-length: ${BODY.length}`) + BODY;

describe("a refusal of a full server", () => {
  it("is an error object of OpenAI with the id of the request", async () => {
    await fullServer();
    const refused = await server.chat("hi", {}, { "x-request-id": "mine-1" });
    expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("x-request-id")]).toEqual([
      503,
      "1",
      "mine-1",
    ]);
    expect(refused.headers.get("content-type")).toBe("application/json");
    expect(await refused.json()).toEqual({
      error: {
        message: "The server has too many requests at the moment; try again after the time in `Retry-After`",
        type: "service_unavailable_error",
        param: null,
        code: "server_overloaded",
      },
    });
  });

  it("creates an id for a request whose id could forge a log line", async () => {
    await fullServer();
    const refused = await server.chat("hi", {}, { "x-request-id": "a b" });
    expect(refused.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
  });

  it("is reported to observers", async () => {
    await fullServer();
    await server.send("/v1/checks?a=b", { json: {} });
    expect(records).toMatchObject([
      { route: "/v1/checks", method: "POST", status: 503, errorCode: "server_overloaded", isStream: false },
    ]);
  });

  it("keeps the connection for later requests, in their order", async () => {
    await fullServer();
    const socket = open();
    socket.write(REQUEST + REQUEST);
    const refused = await responses(socket, 2);
    expect(refused.map((each) => each.slice(9, 12))).toEqual(["503", "503"]);
    free();
    await atWork;
    socket.write(REQUEST);
    expect((await responses(socket, 1))[0]).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("reads the rest of a body that comes later", async () => {
    await fullServer();
    const socket = open();
    socket.write(head(`content-length: ${BODY.length}`) + BODY.slice(0, 5));
    expect((await responses(socket, 1))[0]).toMatch(/^HTTP\/1\.1 503 /);
    free();
    await atWork;
    socket.write(BODY.slice(5) + REQUEST);
    expect((await responses(socket, 1))[0]).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    ["is larger than the limit", { bodyBytes: 1000 }, `content-length: 100000000`, "x".repeat(2000)],
    ["has chunks beyond the limit", { bodyBytes: 1000 }, "transfer-encoding: chunked", `fff\r\n${"x".repeat(2000)}`],
    ["does not end in time", { bodyMs: 1 }, "content-length: 100", "{"],
  ])("ends the connection of a request with a body that %s", async (_name, limits, length, body) => {
    await fullServer({ limits });
    const socket = open();
    const closed = once(socket, "close");
    socket.write(head(length) + body);
    expect((await responses(socket, 1))[0]).toMatch(/^HTTP\/1\.1 503 /);
    await closed;
  });

  it("is sent to callers without a key too, and reveals nothing about keys", async () => {
    await fullServer({ keys: [{ id: "shop", key: "a-key-of-the-shop" }] });
    expect((await server.chat("hi")).status).toBe(503);
  });

  it("has the headers for pages of other origins", async () => {
    await fullServer({ corsOrigins: ["https://shop.example"] });
    const refused = await server.chat("hi", {}, { origin: "https://shop.example" });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([503, "https://shop.example"]);
  });

  it("is not sent to a request that needs no place", async () => {
    await fullServer();
    const statuses = await Promise.all([server.send("/healthz"), server.send("/readyz"), server.send("/openapi.json")]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it.each([
    ["before its body", head("content-length: 100")],
    ["in its body", `${head("content-length: 100")}{`],
    ["after its body", REQUEST],
  ])("releases everything if the caller goes away %s", async (_name, sent) => {
    await fullServer();
    const gone = open();
    await new Promise<void>((resolve) => gone.write(sent, () => resolve()));
    gone.destroy();
    expect((await server.chat("hi")).status).toBe(503);
    free();
    await atWork;
    expect((await server.chat("hi")).status).toBe(200);
    expect(records.filter(({ status }) => status === 200)).toHaveLength(2);
  });

  it("is sent to a caller who closes only its side of the connection", async () => {
    await fullServer();
    const socket = open();
    const closed = once(socket, "close");
    socket.end(REQUEST);
    expect((await responses(socket, 1))[0]).toMatch(/^HTTP\/1\.1 503 /);
    await closed;
  });
});

describe("a caller in the queue of a full server", () => {
  it.each([
    ["before its body", head("content-length: 100")],
    ["in its body", `${head("content-length: 100")}{`],
    ["after its body", REQUEST],
  ])("leaves its place to the next one if it goes away %s", async (_name, sent) => {
    await fullServer({ limits: { queued: 1, queueMs: 60_000 } });
    const socket = open();
    socket.write(sent);
    while (load().queued === 0) await setImmediate();
    expect((await server.chat("hi")).status).toBe(503);
    socket.destroy();
    while (load().queued > 0) await setImmediate();
    const next = server.chat("hi");
    free();
    expect((await next).status).toBe(200);
    expect(records.map(({ status }) => status).sort()).toEqual([200, 200, 499, 503]);
    expect(load()).toEqual({ active: 0, queued: 0 });
  });
});
