import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { connect, type AddressInfo } from "node:net";
import { once } from "node:events";
import type { RequestRecord } from "../../src/server/index.js";
import { propertyRuns } from "../support/property-runs.js";
import { chunk, chunks, type UpstreamReply } from "../support/server/guarded-server.js";
import { serverOfFile } from "../support/server/server-of-file.js";

const load = { running: 0 };
const finished: RequestRecord[] = [];
let onFinish = (): void => undefined;

const observer = {
  requestStarted: () => void (load.running += 1),
  requestFinished: (record: RequestRecord) => {
    load.running -= 1;
    finished.push(record);
    onFinish();
  },
};
const server = serverOfFile({ observer });

const TEXT = "one two 🚲 three four naïve five six seven eight nine ten";

function bytesOf(text: string): Buffer {
  const events = [...chunks(text), { ...chunk({}), choices: [] }].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return Buffer.from(`: hi\n\n${events.join("")}data: [DONE]\n\n`);
}

/** Writes these bytes in parts, and then ends the response or breaks the connection. */
const writing =
  (bytes: Buffer, sizes: readonly number[], breaks: boolean): UpstreamReply =>
  async (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    for (let at = 0, index = 0; at < bytes.length; index += 1) {
      const size = Math.max(1, sizes[index % sizes.length] ?? bytes.length);
      const part = bytes.subarray(at, at + size);
      at += size;
      await new Promise<void>((resolve) => response.write(part, () => resolve()));
    }
    if (breaks) response.destroy();
    else response.end();
  };

/** Joins the texts of a stream. */
function textOf(received: string): string {
  const texts = [...received.matchAll(/"delta":\{[^{}]*"content":("(?:[^"\\]|\\.)*")/g)];
  return texts.map(([, json]) => JSON.parse(json as string) as string).join("");
}

describe("an upstream stream", () => {
  it("that breaks off at any byte never ends as a complete one", async () => {
    const whole = bytesOf(TEXT);
    // From here on the response is complete: its last chunk has a finish reason.
    const complete = whole.indexOf('"finish_reason":"stop"') + Buffer.byteLength('"finish_reason":"stop"}]}\n\n');
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length),
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (cut, sizes, breaks) => {
          server.upstream.reply = writing(whole.subarray(0, cut), sizes, breaks);
          const response = await server.chat("hi", { stream: true });
          const received = await response.text().catch(() => "destroyed");
          if (received.includes("[DONE]")) expect(cut).toBeGreaterThanOrEqual(complete);
          else if (received !== "destroyed") expect(received).toContain('"error"');
          if (cut < complete) expect(received).not.toContain('"finish_reason":"stop"');
          expect(TEXT.startsWith(textOf(received))).toBe(true);
        },
      ),
      { numRuns: propertyRuns(25) },
    );
  });

  it("shows nothing of a blocked window, wherever its bytes are split", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(40),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (before, sizes, breaks) => {
          const words = Array.from({ length: before }, (_, index) => `word${String.fromCodePoint(97 + (index % 26))}`);
          server.upstream.reply = writing(bytesOf([...words, "bad", "secret", "end"].join(" ")), sizes, breaks);
          const received = await (await server.chat("hi", { stream: true })).text().catch(() => "");
          expect(received).not.toMatch(/\bbad\b|secret/);
          expect(received).toContain('"finish_reason":"content_filter"');
        },
      ),
      { numRuns: propertyRuns(12) },
    );
  });
});

describe("a caller who leaves at any byte of a stream", () => {
  it("leaves no request and no upstream call open", async () => {
    const { port } = server.running.server.address() as AddressInfo;
    const body = JSON.stringify({ model: "gpt-test", stream: true, messages: [{ role: "user", content: "hi" }] });
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const request = Buffer.from(head + body);
    // The upstream server sends some windows, and then waits.
    const events = chunks(TEXT).slice(0, -2);
    server.upstream.reply = (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    };
    await fc.assert(
      fc.asyncProperty(fc.nat(request.length), fc.nat(2500), fc.boolean(), async (sent, read, resets) => {
        finished.length = 0;
        const asked = server.upstream.requests.length;
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => undefined);
        await once(socket, "connect");
        socket.write(request.subarray(0, sent));
        let size = 0;
        if (sent === request.length) {
          while (size < read) {
            const [part] = (await once(socket, "data")) as [Buffer];
            size += part.length;
            if (part.includes("nine")) break;
            if (size > 2000) break;
          }
        }
        const closed = once(socket, "close");
        if (resets) socket.resetAndDestroy();
        else socket.destroy();
        await closed;
        while (load.running > 0) await new Promise<void>((resolve) => (onFinish = resolve));
        if (server.upstream.requests.length > asked) await server.upstream.aborted();
        expect(finished.every(({ status }) => status === 499 || status === 400)).toBe(true);
      }),
      {
        numRuns: propertyRuns(15),
        examples: [
          [request.length, 0, true],
          [request.length, 600, false],
          [request.length, 2500, true],
        ],
      },
    );
    expect(load.running).toBe(0);
  });
});
