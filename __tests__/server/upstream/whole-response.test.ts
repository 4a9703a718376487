import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { Pool } from "undici";
import { requestWhole, type WholeResponse } from "../../../src/server/upstream/whole-response.js";

let server: Server;
let pool: Pool;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  server = createServer((request, response) => answer(request.resume(), response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 });
});

afterEach(async () => {
  await pool.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function post(signal?: AbortSignal, maxBytes = 100): Promise<WholeResponse> {
  return requestWhole(pool, { path: "/", headers: {}, body: "{}" }, signal, () => maxBytes);
}

/** Resolves once the server has a request, with the promise of its end without a response. */
function arrival(): Promise<{ readonly cancelled: Promise<unknown> }> {
  return new Promise((resolve) => {
    answer = (_request, response) => resolve({ cancelled: once(response, "close") });
  });
}

describe("a whole response", () => {
  it("has the text of all parts, split within a character", async () => {
    const bytes = Buffer.from("a Käse €");
    answer = (_request, response) => {
      response.writeHead(201, { "x-own": "1" });
      response.write(bytes.subarray(0, 4), () => response.end(bytes.subarray(4)));
    };
    expect(await post()).toMatchObject({ status: 201, text: "a Käse €", headers: { "x-own": "1" } });
  });

  it("is empty where the body is", async () => {
    answer = (_request, response) => void response.writeHead(204).end();
    expect(await post()).toMatchObject({ status: 204, text: "" });
  });

  it("follows informational responses", async () => {
    answer = (_request, response) => {
      response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.end("fine");
    };
    expect(await post()).toMatchObject({ status: 200, text: "fine" });
  });

  it("has no text if its body is too large, and the connection ends", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    answer = (_request, response) => {
      closed = once(response, "close");
      response.writeHead(500).write("x".repeat(200));
    };
    expect(await post(undefined, 100)).toMatchObject({ status: 500, text: undefined });
    await closed;
  });

  it("has no text if its body breaks off", async () => {
    answer = (_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    };
    expect(await post()).toMatchObject({ status: 200, text: undefined });
  });

  it("is missing if the server hangs up before it", async () => {
    answer = (_request, response) => response.destroy();
    await expect(post()).rejects.toMatchObject({ code: "UND_ERR_SOCKET" });
  });
});

describe("a request that is cancelled", () => {
  it("is not sent if that was before", async () => {
    let requests = 0;
    answer = (_request, response) => {
      requests += 1;
      response.end("fine");
    };
    await expect(post(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect(await post()).toMatchObject({ text: "fine" });
    expect(requests).toBe(1);
  });

  it("rejects with the reason, and the server learns of it", async () => {
    const controller = new AbortController();
    const arrived = arrival();
    const response = post(controller.signal);
    const { cancelled } = await arrived;
    controller.abort(new Error("gone"));
    await expect(response).rejects.toThrow("gone");
    await cancelled;
  });

  it("rejects in the middle of a body", async () => {
    const controller = new AbortController();
    const closed = new Promise<unknown>((resolve) => {
      answer = (_request, response) => {
        once(response, "close").then(resolve, resolve);
        response.write("half", () => controller.abort(new Error("gone")));
      };
    });
    await expect(post(controller.signal)).rejects.toThrow("gone");
    await closed;
  });

  it("rejects while it waits for a connection, and is never sent", async () => {
    const controller = new AbortController();
    const paths: (string | undefined)[] = [];
    let first: ServerResponse | undefined;
    const arrived = new Promise<void>((resolve) => {
      answer = (request, response) => {
        paths.push(request.headers["x-name"] as string);
        first = response;
        resolve();
      };
    });
    const named = (name: string, signal?: AbortSignal): Promise<WholeResponse> =>
      requestWhole(pool, { path: "/", headers: { "x-name": name }, body: "{}" }, signal, () => 100);
    const working = named("first");
    await arrived;
    const waiting = named("second", controller.signal);
    controller.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    answer = (request, response) => {
      paths.push(request.headers["x-name"] as string);
      response.end("fine");
    };
    first?.end("fine");
    expect((await working).text).toBe("fine");
    expect((await named("third")).text).toBe("fine");
    expect(paths).toEqual(["first", "third"]);
  });

  it("leaves no listener at the signal after its end", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...given);
    };
    answer = (_request, response) => void response.end("fine");
    await post(signal);
    expect(listeners).toBe(0);
  });
});
