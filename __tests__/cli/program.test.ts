import { join } from "node:path";
import { afterAll, describe, expect, it } from "@jest/globals";
import { Printer, printable, untilInterruption } from "../../src/cli/command-line.js";
import { createFolder, runCli } from "./run-cli.js";

describe("the command line", () => {
  it("prints its version", async () => {
    expect(await runCli(["--version"])).toEqual({ code: 0, out: "1.2.3\n", err: "" });
  });

  it("exits with 0 for a requested help text, whatever exit code the process has so far", async () => {
    const before = process.exitCode;
    process.exitCode = 1;
    const { code } = await runCli(["help", "ask"]);
    process.exitCode = before;
    expect(code).toBe(0);
  });

  it("waits for an interruption", async () => {
    const controller = new AbortController();
    const interrupted = untilInterruption(controller.signal);
    controller.abort();
    expect(await interrupted).toBeUndefined();
  });

  it.each([[["check", "--help"]], [["ask", "--help"]], [["help", "ask"]]])("%j shows examples", async (argv) => {
    const { code, out } = await runCli(argv);
    expect(code).toBe(0);
    expect(out).toContain("$ langchain-guardrails");
  });

  it.each([
    [[], "Usage:"],
    [["chekc"], "unknown command 'chekc'"],
    [["check"], "missing required argument 'config'"],
    [["check", "a", "b"], "too many arguments"],
    [["check", "a", "--jsno"], "Did you mean --json?"],
    [["help", "chekc"], "unknown command 'chekc'"],
    [["trace", import.meta.dirname], "cannot be read: it is a folder"],
  ])("%j is a usage error", async (argv, message) => {
    const { code, err } = await runCli(argv);
    expect(code).toBe(64);
    expect(err).toContain(message);
  });

  it("wraps its help to a narrow terminal", async () => {
    const { out } = await runCli(["check", "--help"], { columns: 40 });
    const lines = out.split("\n").filter((line) => !line.includes("$"));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});

describe("failures of files and servers", () => {
  it.each([
    ["a server that does not respond", ["chat", "--server-url", "http://127.0.0.1:1"], "no server responds"],
    ["a folder as the file of results", ["test", "examples/demo", "examples/demo/tests", "--junit", "/"], "EISDIR"],
  ])("are printed without a stack: %s", async (_title, argv, message) => {
    const { code, err } = await runCli(argv);
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(err).not.toMatch(/^\s+at /m);
  });
});

describe("--json", () => {
  const folder = createFolder({
    "bad/config.yml": "railz: 1\n",
    "good/config.yml": "models: []\n",
    "tests/a.yml": "conversations:\n  - user: hi\n",
    "wrong/a.yml": "talks: []\n",
  });
  afterAll(() => folder.remove());
  const at = (...names: readonly string[]): readonly string[] => names.map((name) => join(folder.path, name));
  const [bad = "", good = "", nowhere = "", tests = "", wrong = ""] = at("bad", "good", "nowhere", "tests", "wrong");

  it.each([
    ["ask, a broken configuration", ["ask", bad, "hi"], 1, ["CF-103"]],
    ["ask, no configuration", ["ask", nowhere, "hi"], 1, ["CF-101"]],
    ["debug, a broken configuration", ["debug", bad, "hi"], 1, ["CF-103"]],
    ["test, a broken configuration", ["test", bad, tests], 1, ["CF-103"]],
    ["test, broken expectations", ["test", good, wrong], 1, ["EV-102"]],
    ["test, no expectations", ["test", good, nowhere], 64, []],
    ["test, results that cannot be written", ["test", good, tests, "--junit", folder.path], 1, []],
    ["rails, an unknown name", ["rails", "nothing"], 64, []],
    ["batch, no rows", ["batch", nowhere, "out.jsonl", "--config", good], 1, ["CF-104"]],
  ])("prints a failure as one JSON document: %s", async (_title, argv, expected, codes) => {
    const { code, out, err } = await runCli([...argv, "--json"]);
    const failure = JSON.parse(out) as { ok: boolean; error: string; diagnostics: { code: string }[] };
    expect(code).toBe(expected);
    expect(failure).toMatchObject({ ok: false, error: expect.stringMatching(/\w/) });
    expect(failure.diagnostics.map((each) => each.code)).toEqual(codes);
    expect(err).toContain(failure.error.split("\n")[0]);
  });
});

describe("serve", () => {
  const folder = createFolder({
    "one/config.yml": "railz: 1\n",
    "two/config.yml": "rails:\n  input:\n    flows: [check wrods]\n",
    "good/config.yml": "models: []\n",
  });
  afterAll(() => folder.remove());
  const shown = async (names: readonly string[]): Promise<string> => {
    const { code, err } = await runCli(["serve", ...names.map((name) => join(folder.path, name)), "--port", "0"]);
    expect(code).toBe(1);
    return err;
  };

  it("reports the mistakes of all configurations, each with its own", async () => {
    const err = await shown(["one", "good", "two"]);
    expect(err).toContain("one/config.yml:1:1");
    expect(err).toContain("two/config.yml:3:13");
  });

  it("reports those of the only configuration with the names of its files", async () => {
    expect(await shown(["one"])).toContain("┌ config.yml:1:1");
  });
});

describe("a printer", () => {
  const written = (output: { isTTY?: boolean }, env: Readonly<Record<string, string>>): string => {
    let text = "";
    new Printer({ ...output, write: (more) => (text += more) }, env).line("a\nb", "red");
    return text;
  };

  it.each([
    ["a terminal", { isTTY: true }, {}, "\u001b[31ma\u001b[39m\n\u001b[31mb\u001b[39m\n"],
    ["a pipe", {}, {}, "a\nb\n"],
    ["a terminal with NO_COLOR", { isTTY: true }, { NO_COLOR: "1" }, "a\nb\n"],
    ["a dumb terminal", { isTTY: true }, { TERM: "dumb" }, "a\nb\n"],
    ["a pipe with FORCE_COLOR", {}, { FORCE_COLOR: "1" }, "\u001b[31ma\u001b[39m\n\u001b[31mb\u001b[39m\n"],
    ["FORCE_COLOR=0", { isTTY: true }, { FORCE_COLOR: "0" }, "a\nb\n"],
  ])("colours text on %s as asked", (_title, output, env, expected) => {
    expect(written(output, env)).toBe(expected);
  });

  it.each([
    ["an escape sequence", "\u001b[2Ja", "\uFFFD[2Ja"],
    ["a control sequence of one character", "\u009b2J", "\uFFFD2J"],
    ["a return to the start of the line", "good\rbad ", "good\uFFFDbad "],
    ["a change of direction", "a\u202eb", "a\uFFFDb"],
    ["lines and tabs", "a\r\n\tb\n", "a\n\tb\n"],
  ])("never lets %s control the terminal", (_title, text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});
