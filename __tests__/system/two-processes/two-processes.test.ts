import { afterEach, describe, expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { StoredThread } from "../../../src/langchain/threads.js";

const LOADER = new URL("../../../scripts/typescript-loader.mjs", import.meta.url).href;
const TALKER = fileURLToPath(new URL("talker.ts", import.meta.url));
const CACHE_LOADER = fileURLToPath(new URL("loader.ts", import.meta.url));
const COLANG2_TALKER = fileURLToPath(new URL("colang2-talker.ts", import.meta.url));

/**
 * A store that compares and sets: a write with another `if-match` than the stored version gets 412. The first reads are
 * held back until `readers` of them have come, so that they all see the same conversation.
 */
async function openStore(
  readers: number,
): Promise<{ server: Server; url: string; threads: Map<string, StoredThread> }> {
  const threads = new Map<string, StoredThread>();
  let held: (() => void)[] | undefined = [];
  const answer = (id: string, response: ServerResponse): void => {
    const found = threads.get(id);
    response.writeHead(found === undefined ? 404 : 200).end(JSON.stringify(found ?? null));
  };
  const server = createServer((request, response) => {
    const id = (request.url ?? "").slice(1);
    if (request.method === "GET") {
      if (held === undefined) return answer(id, response);
      held.push(() => answer(id, response));
      if (held.length < readers) return;
      const waiting = held;
      held = undefined;
      for (const go of waiting) go();
      return;
    }
    void bodyOf(request).then((body) => {
      const fits = (threads.get(id)?.version ?? 0) === Number(request.headers["if-match"]);
      if (fits) threads.set(id, JSON.parse(body) as StoredThread);
      response.writeHead(fits ? 204 : 412).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, threads };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

function talk(url: string, turns: number): Promise<{ said: string[]; refused: number }> {
  return runProcess(TALKER, url, String(turns));
}

/** The output of a process, parsed as JSON. */
function runProcess<Printed>(file: string, ...given: readonly string[]): Promise<Printed> {
  const child = spawn(process.execPath, ["--import", LOADER, file, ...given]);
  let output = "";
  let problems = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (problems += String(chunk)));
  return new Promise((resolve, reject) => {
    child.on("close", (code) => (code === 0 ? resolve(JSON.parse(output) as Printed) : reject(new Error(problems))));
  });
}

describe("two processes on one conversation", () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  it("lose no turn with a store that compares and sets", async () => {
    const store = await openStore(2);
    ({ server } = store);
    const turns = 10;
    const talkers = await Promise.all([talk(store.url, turns), talk(store.url, turns)]);
    const said = talkers.flatMap((talker) => talker.said).toSorted((a, b) => Number(a) - Number(b));
    // Each turn saw the state of all earlier turns, in any process.
    expect(said).toEqual(Array.from({ length: 2 * turns }, (_, index) => String(index + 1)));
    // Both read the empty conversation first, so one of them must have been refused.
    expect(talkers[0].refused + talkers[1].refused).toBeGreaterThan(0);
  }, 60_000);
});

describe("two processes with one cache on disk", () => {
  const folder = mkdtempSync(join(tmpdir(), "guardrails-cache-"));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("load the same flows at once, and leave one complete file", async () => {
    const both = await Promise.all([1, 2].map(() => runProcess<readonly string[]>(CACHE_LOADER, folder)));
    const third = await runProcess<readonly string[]>(CACHE_LOADER, folder);
    for (const said of [...both, third])
      expect(said).toEqual(Array.from({ length: 5 }, () => ["You said: good", "No."]).flat());
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.colang1$/)]);
  }, 60_000);
});

describe("a Colang 2.x dialogue that is interrupted in one process", () => {
  const FOLDER = fileURLToPath(new URL("../../../examples/colang2-interruption/config", import.meta.url));
  const SAYS = ["I would like a bouquet", "tulips", "where do I find you?"];
  const SAYS_LATER = ["yes", "12", "no"];

  it("continues in another process as in the same", async () => {
    type Printed = { readonly said: readonly string[]; readonly state: unknown };
    const says = (texts: readonly string[]): string => JSON.stringify(texts);
    const [first, whole] = await Promise.all([
      runProcess<Printed>(COLANG2_TALKER, FOLDER, "{}", says(SAYS)),
      runProcess<Printed>(COLANG2_TALKER, FOLDER, "{}", says([...SAYS, ...SAYS_LATER])),
    ]);
    const later = await runProcess<Printed>(COLANG2_TALKER, FOLDER, JSON.stringify(first.state), says(SAYS_LATER));
    expect([...first.said, ...later.said]).toEqual(whole.said);
    expect(later.said).toEqual([
      "Line 3, to the Old Mill.\nNow to your flowers. How many?",
      "Shall we deliver them?",
      "Thank you: 12 tulips. They are ready for you at six.",
    ]);
  }, 60_000);
});
