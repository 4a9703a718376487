import { afterEach, describe, expect, it } from "@jest/globals";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { Pool } from "undici";
import { EventParser } from "../../../src/server/upstream/event-parser.js";
import { UpstreamError } from "../../../src/server/upstream/errors.js";
import { EventStream } from "../../../src/server/upstream/event-stream.js";

describe("an event parser", () => {
  const text = ': hi\r\n\r\nevent: note\r\ndata: {"a":"é😀"}\r\n\r\ndata:one\ndata: two\n\ndata: open\n';
  const bytes = Buffer.from(text);

  it.each([1, 2, 3, 7, bytes.length])("reads events from parts of %d bytes", (size) => {
    const parser = new EventParser();
    const events: string[] = [];
    for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size), events);
    expect(events).toEqual(['{"a":"é😀"}', "one\ntwo"]);
  });

  it("refuses an event that does not end", () => {
    const parser = new EventParser();
    const part = Buffer.alloc(1_048_576, "a");
    const push = (): void => {
      for (let count = 0; count < 9; count += 1) parser.push(part, []);
    };
    expect(push).toThrow(UpstreamError);
  });
});

describe("a stream of events", () => {
  let server: Server | undefined;
  let pool: Pool | undefined;

  afterEach(async () => {
    await pool?.destroy();
    server?.closeAllConnections();
    server?.close();
  });

  async function open(
    respond: (response: ServerResponse, socket: Socket) => void,
    signal?: AbortSignal,
  ): Promise<EventStream> {
    if (server?.listening !== true) {
      server = createServer((request, response) => respond(response, request.socket)).listen(0, "127.0.0.1");
      await once(server, "listening");
      pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 });
    }
    return EventStream.open(pool as Pool, { path: "/", method: "POST", body: "{}" }, signal);
  }

  /** The next event; undefined at the end of the response. */
  async function next(stream: EventStream): Promise<string | undefined> {
    for (;;) {
      const event = stream.take();
      if (event !== undefined || stream.isOver) return event;
      await new Promise<void>((resolve) => (stream.onChange = resolve));
    }
  }

  async function readAll(stream: EventStream): Promise<string[]> {
    const events: string[] = [];
    for (let event = await next(stream); event !== undefined; event = await next(stream)) events.push(event);
    return events;
  }

  it("may have more events than the buffer for its reader", async () => {
    const sent = Array.from({ length: 5000 }, (_, index) => `${index} ${"x".repeat(500)}`);
    const stream = await open((response) => {
      response.writeHead(200);
      for (const data of sent) response.write(`data: ${data}\n\n`);
      response.end();
    });
    expect((await readAll(stream)).join() === sent.join()).toBe(true);
  });

  it("does not read further while its events wait", async () => {
    let written = 0;
    const stream = await open((response) => {
      response.writeHead(200);
      const write = (): void => {
        let hasRoom = true;
        for (; hasRoom && written < 20_000; written += 1) hasRoom = response.write(`data: ${"x".repeat(2000)}\n\n`);
        if (written < 20_000) response.once("drain", write);
        else response.end();
      };
      write();
    });
    expect(await next(stream)).toHaveLength(2000);
    // The server can write no more once the buffers of the connection are full.
    for (let before = -1; before !== written;) {
      before = written;
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    }
    expect(written).toBeLessThan(20_000);
    expect((await readAll(stream)).length).toBe(19_999);
  });

  it("returns the events before the connection broke, and then the error", async () => {
    const stream = await open((response, socket) => {
      response.writeHead(200);
      response.write("data: one\n\ndata: tw", () => socket.destroy());
    });
    expect(await next(stream)).toBe("one");
    await expect(next(stream)).rejects.toThrow("other side closed");
  });

  it("cancels the request when its signal fires", async () => {
    const controller = new AbortController();
    let closed: Promise<unknown> | undefined;
    const stream = await open((response) => {
      closed = once(response, "close");
      response.writeHead(200).write("data: one\n\n");
    }, controller.signal);
    controller.abort(new Error("the reader has gone"));
    await closed;
    expect(() => stream.isOver).toThrow("the reader has gone");
    expect(stream.take()).toBeUndefined();
  });

  it("cancels a request that waits for a connection", async () => {
    await open((response) => void response.writeHead(200).write(": hi\n\n"));
    const controller = new AbortController();
    const waiting = open(() => undefined, controller.signal);
    controller.abort(new Error("the reader has gone"));
    await expect(waiting).rejects.toThrow("the reader has gone");
  });

  it("returns its connection for the next call when it is finished", async () => {
    const sockets = new Set<Socket>();
    let end = (): void => undefined;
    const respond = (response: ServerResponse, socket: Socket): void => {
      sockets.add(socket);
      response.writeHead(200).write("data: [DONE]\n\n");
      end = () => void response.end("data: late\n\n");
    };
    const first = await open(respond);
    expect(await next(first)).toBe("[DONE]");
    first.finish();
    end();
    const second = await open(respond);
    expect(sockets.size).toBe(1);
    expect(first.take()).toBeUndefined();
    second.close();
  });

  it("is refused with the error object of the response", async () => {
    const failed = open((response) => {
      response.writeHead(429, { "retry-after": "3" }).end(JSON.stringify({ error: { code: "busy" } }));
    });
    await expect(failed).rejects.toMatchObject({
      status: 429,
      headers: { "retry-after": "3" },
      body: { code: "busy" },
    });
  });

  it("is refused without an error object that is too large", async () => {
    const failed = open((response) => {
      response.writeHead(500).end(JSON.stringify({ error: { code: "busy", message: "x".repeat(100_000) } }));
    });
    await expect(failed).rejects.toMatchObject({ status: 500, body: undefined });
  });
});
