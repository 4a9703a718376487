import { gzipSync } from "node:zlib";
import { describe, expect, it } from "@jest/globals";
import type { ActionError } from "../../../src/diagnostics/errors.js";
import type { StartTimer } from "../../../src/engine/events.js";
import { type Connection, sendRequest } from "../../../src/library/http/send-request.js";
import { scriptedService, type ScriptedResponse } from "../../support/scripted-service.js";

const KEY = "key-1234567890";
const OK = { json: { ok: true } };

/** A clock that advances with timers, which fire at once. */
function fastTime() {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const pauses: number[] = [];
  const startTimer: StartTimer = (milliseconds, onTimeout) => {
    if (milliseconds === 5_000) return () => undefined;
    pauses.push(milliseconds);
    now += milliseconds;
    queueMicrotask(onTimeout);
    return () => undefined;
  };
  return { pauses, platform: { clock: { now: () => now }, startTimer } };
}

function connection(more: Partial<Connection> = {}): Connection {
  return { service: "Acme", action: "ask", headers: { "x-api-key": KEY }, timeoutMs: 5_000, retries: 2, ...more };
}

async function ask(responses: readonly ScriptedResponse[], more: Partial<Connection> = {}, format?: "ndjson") {
  await using service = await scriptedService();
  service.respond(...responses);
  const { pauses, platform } = fastTime();
  const request = { url: `${service.url}/check`, body: { text: "hi" }, ...(format === undefined ? {} : { format }) };
  const sent = sendRequest(connection(more), request, new AbortController().signal, platform);
  const result = await sent.then(
    (value) => ({ value }),
    (error: ActionError) => ({ error }),
  );
  return { ...result, pauses, requests: [...service.requests] };
}

describe("sendRequest", () => {
  it("posts JSON with the key and returns the parsed response", async () => {
    const { requests, ...result } = await ask([OK]);
    expect(result).toMatchObject({ value: { ok: true } });
    expect(requests).toMatchObject([
      {
        method: "POST",
        path: "/check",
        body: { text: "hi" },
        headers: { "x-api-key": KEY, accept: "application/json" },
      },
    ]);
  });

  it.each<[string, readonly ScriptedResponse[], readonly number[]]>([
    ["status 429", [{ status: 429 }, OK], [200]],
    ["status 500 twice", [{ status: 500 }, { status: 503 }, OK], [200, 400]],
    ["status 429 with seconds", [{ status: 429, headers: { "retry-after": "3" } }, OK], [3_000]],
    ["status 429 with no wait", [{ status: 429, headers: { "retry-after": "0" } }, OK], []],
    [
      "status 503 with a date",
      [{ status: 503, headers: { "retry-after": "Thu, 01 Jan 2026 00:00:02 GMT" } }, OK],
      [2_000],
    ],
    ["a broken connection", [{ breaks: true, text: '{"ok"', headers: { "content-length": "999" } }, OK], [200]],
  ])("retries after %s", async (_, responses, expected) => {
    const { pauses, requests, ...result } = await ask(responses);
    expect(result).toMatchObject({ value: { ok: true } });
    expect([pauses, requests.length]).toEqual([expected, responses.length]);
  });

  it.each<[string, readonly ScriptedResponse[], Partial<Connection>, string, number]>([
    ["no attempts left", [{ status: 502 }], { retries: 1 }, "it responded with status 502", 2],
    ["a longer wait than the time limit", [{ status: 429, headers: { "retry-after": "60" } }], {}, "status 429", 1],
    ["a wrong key", [{ status: 401, text: KEY }], {}, "it responded with status 401", 1],
    [
      "a redirect",
      [{ status: 302, headers: { location: "http://127.0.0.1:9/" } }],
      { retries: 0 },
      "cannot be reached",
      1,
    ],
    ["HTML", [{ text: "<html>Acme</html>" }], {}, "its response is not JSON", 1],
    ["half a JSON", [{ text: '{"ok": tr' }], {}, "its response is not JSON", 1],
    ["an empty response", [{ text: "" }], {}, "its response is not JSON", 1],
    ["megabytes", [{ text: `"${"x".repeat(2_000_001)}"` }], {}, "its response is longer than 2000000 bytes", 1],
    [
      "megabytes in a few bytes",
      [{ headers: { "content-encoding": "gzip" }, bytes: gzipSync(Buffer.alloc(9_000_000, " ")) }],
      {},
      "its response is longer than 2000000 bytes",
      1,
    ],
    ["bytes of another format", [{ headers: { "content-encoding": "gzip" }, text: KEY }], { retries: 0 }, "reached", 1],
    ["another charset", [{ bytes: Buffer.from('{"ok": true}', "utf16le") }], {}, "its response is not JSON", 1],
    ["a key twice", [{ text: '{"ok": false, "ok": true}' }], {}, "its response is not JSON", 1],
    ["a key twice, far from its colon", [{ text: '{"ok": false, "ok"\n\n:true}' }], {}, "its response is not JSON", 1],
    ["a key twice inside", [{ text: '[{"a": {"ok":1, "b": [], "\\u006fk" : 2}}]' }], {}, "its response is not JSON", 1],
    ["more than its own limit", [{ text: '"0123456789"' }], { maxBytes: 8 }, "longer than 8 bytes", 1],
  ])("fails with %s", async (_, responses, more, message, requests) => {
    const result = await ask(responses, { ...more, onError: "allow" });
    const error = "error" in result ? result.error : undefined;
    expect(error).toMatchObject({ code: "RL-202", action: "ask", onError: "allow" });
    expect(error?.message).toMatch(/^Acme: /);
    expect(error?.message).toContain(message);
    expect(error?.message).not.toContain(KEY);
    expect(error?.cause).toBeUndefined();
    expect(result.requests).toHaveLength(requests);
  });

  it.each([
    { ok: '"ok": false, "ok": true' },
    { list: [{ ok: 1 }, { ok: 2, 'a": b': { ok: ":" } }] },
    { "": { "": "" } },
    '"ok":',
  ])("accepts keys that occur once: %j", async (value) => {
    expect(await ask([{ json: value }])).toMatchObject({ value });
  });

  it("does not use the value of a key `__proto__` as a prototype", async () => {
    const result = await ask([{ text: '{"__proto__": {"ok": true}, "a": 1}' }]);
    expect(JSON.stringify("value" in result ? result.value : undefined)).toBe('{"__proto__":{"ok":true},"a":1}');
  });

  it("reports only the code of a failed connection", async () => {
    const { platform } = fastTime();
    const none = connection({ retries: 0, headers: { "x-api-key": `${KEY}\n` } });
    const signal = new AbortController().signal;
    const failed = sendRequest(none, { url: "http://127.0.0.1:9/", body: {} }, signal, platform);
    await expect(failed).rejects.toThrow(/^Acme: it cannot be reached$/);
    const refused = sendRequest({ ...none, headers: {} }, { url: "http://127.0.0.1:9/" }, signal, platform);
    await expect(refused).rejects.toThrow(/^Acme: it cannot be reached(?: \([A-Z_]+\))?$/);
  });

  it("ends at the time limit, and with the signal of the caller", async () => {
    await using service = await scriptedService();
    service.respond({ hangs: true });
    const request = { url: service.url };
    const { platform } = fastTime();
    const late = sendRequest(connection({ timeoutMs: 40 }), request, new AbortController().signal, platform);
    await expect(late).rejects.toMatchObject({
      code: "RL-202",
      timeoutMs: 40,
      message: "Acme: no response within 40 ms",
    });
    const controller = new AbortController();
    const cancelled = sendRequest(connection(), request, controller.signal, platform);
    controller.abort(new Error("enough"));
    await expect(cancelled).rejects.toThrow("enough");
  });

  it("reuses connections, also after errors", async () => {
    await using service = await scriptedService();
    service.respond({ status: 400, text: "no" });
    const signal = new AbortController().signal;
    for (let count = 0; count < 6; count += 1) {
      await expect(sendRequest(connection(), { url: service.url }, signal)).rejects.toThrow("status 400");
    }
    // A connection becomes free after a moment, so the platform may open a second one.
    expect(Math.max(...service.requests.map((request) => request.connection))).toBeLessThanOrEqual(2);
  });

  it.each([
    ["", []],
    ['{"a":1}\n\n{"a":2}\r\n', [{ a: 1 }, { a: 2 }]],
    ["{}\nhalf", undefined],
  ])("reads lines of JSON: %j", async (text, expected) => {
    const result = await ask([{ text }], {}, "ndjson");
    if (expected === undefined) expect("error" in result && result.error.message).toContain("not JSON in lines");
    else expect(result).toMatchObject({ value: expected });
  });

  it("fetches headers for each attempt", async () => {
    let fetched = 0;
    const headers = () => ({ authorization: `Bearer ${(fetched += 1)}` });
    const { requests } = await ask([{ status: 500 }, OK], { headers });
    expect(requests.map((request) => request.headers.authorization)).toEqual(["Bearer 1", "Bearer 2"]);
  });
});
