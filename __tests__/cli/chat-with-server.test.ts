import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "@jest/globals";
import { answering, chunk } from "../support/server/guarded-server.js";
import { serverOfFile } from "../support/server/server-of-file.js";
import { runCli } from "./run-cli.js";

const KEY = "key-of-the-tests-0123";

const folder = mkdtempSync(join(tmpdir(), "chat-with-server-"));
const server = serverOfFile({ keys: [{ id: "tests", key: KEY }], reply: answering("one two three") });

afterAll(() => rmSync(folder, { recursive: true }));

const talk = (lines: readonly string[], more: readonly string[] = [], key = KEY) =>
  runCli(["chat", "--server-url", server.running.url, ...more], {
    stdin: `${lines.join("\n")}\n`,
    env: { LANGCHAIN_GUARDRAILS_API_KEY: key },
  });

const without = (text: string): string => text.replace(/ in \d+\.\d ms/g, "");

describe("a chat with a server", () => {
  it("prints replies with the decisions of the server below them", async () => {
    const { code, out } = await talk(["hi", "bad"]);
    expect(code).toBe(0);
    expect(without(out).split("\n").slice(0, 4)).toEqual([
      "> hi",
      "one two three",
      '  input rail "check words": passed',
      '  input rail "hide digits": passed',
    ]);
    expect(without(out)).toContain('> bad\nREFUSED\n  input rail "check words": blocked\n');
  });

  it("continues with the conversation that the server keeps", async () => {
    const session = join(folder, "talk.json");
    await talk(["first"], ["--session", session, "--config-id", "demo"]);
    const before = server.upstream.requests.length;
    const { out } = await talk(["second"], ["--session", session]);
    expect(out).toContain(`going on with ${session}`);
    const sent = server.upstream.requests[before]?.body["messages"] as { content: string }[];
    expect(sent.map(({ content }) => content)).toEqual(["first", "one two three", "second"]);
  });

  it("reports a response that breaks off or a turn that fails, and continues", async () => {
    server.upstream.reply = ({ body }, response) => {
      const { content } = (body["messages"] as { content: string }[]).at(-1) ?? { content: "" };
      if (content === "fail") return void response.writeHead(500).end();
      if (content !== "break") return [chunk({ content: "fine" }), chunk({}, "stop")];
      return [chunk({ content: "one two" })];
    };
    const { code, out } = await talk(["fail", "break", "again"]);
    expect(code).toBe(0);
    expect(out).toContain("error: The upstream model failed (status 500)");
    expect(out).toContain("error: The upstream model cannot be reached, or its response broke off");
    expect(out).toContain("> again\nfine\n");
  });

  it.each<[string, readonly string[], string | undefined, number, string]>([
    ["a wrong key", [], "wrong", 1, "Incorrect API key provided."],
    ["an unknown configuration", ["--config-id", "nothing"], KEY, 64, "it has demo"],
  ])("does not start with %s", async (_title, more, key, expected, message) => {
    const { code, err } = await talk(["hi"], more, key);
    expect(code).toBe(expected);
    expect(err).toContain(message);
  });

  it.each([
    ["neither a configuration nor a server", ["chat"], "name a configuration, or a server"],
    ["both", ["chat", "config", "--server-url", "http://127.0.0.1:1"], "a server with --server-url, not both"],
    ["a configuration of no server", ["chat", "config", "--config-id", "x"], "--config-id needs --server-url"],
    ["an address without a host", ["chat", "--server-url", "localhost:8000"], "is not the address of a server"],
  ])("is refused for %s", async (_title, argv, message) => {
    const { code, err } = await runCli(argv);
    expect([code, err]).toEqual([64, expect.stringContaining(message)]);
  });

  it("reports that no server listens", async () => {
    const { code, err } = await runCli(["chat", "--server-url", "http://127.0.0.1:1"]);
    expect([code, err]).toEqual([1, expect.stringContaining("no server responds at http://127.0.0.1:1/v1")]);
  });
});
