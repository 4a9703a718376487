import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, it } from "@jest/globals";
import { createFolder, runCli } from "./run-cli.js";

const folder = createFolder({});
afterAll(() => folder.remove());

let made = 0;
const newFolder = (): string => join(folder.path, `config-${(made += 1)}`);

const CASES = ["1.0", "2.x"].flatMap((colang) =>
  ["local", "balanced", "strict", "none"].flatMap((preset) =>
    ["none", "openai/gpt-4o-mini"].map((model) => [colang, preset, model] as const),
  ),
);

describe("init", () => {
  it.each(CASES)("writes a configuration that runs: Colang %s, preset %s, model %s", async (colang, preset, model) => {
    const path = newFolder();
    const init = await runCli(["init", path, "--colang", colang, "--preset", preset, "--model", model]);
    expect(init).toMatchObject({ code: 0, err: "" });
    const comments = readFileSync(join(path, "config.yml"), "utf8").match(/^# {3}npx.*? {2,}(?=\S)/gm) ?? [];
    expect(new Set(comments.map(({ length }) => length)).size).toBe(1);
    const checked = await runCli(["check", path]);
    // Judges of a preset have no model if the program provides it, and no key belongs to the tests.
    expect(checked.out.match(/^(?:error|warning)\[(?!CF-204|CF-113).*/gm) ?? []).toEqual([]);
    const tested = await runCli(["test", path, join(path, "tests"), "--offline"]);
    expect(tested.out).toContain("1 passed, 0 failed");
  });

  it("replaces no file unless asked", async () => {
    const path = newFolder();
    await runCli(["init", path]);
    writeFileSync(join(path, "config.yml"), "models: []\n");
    const refused = await runCli(["init", path]);
    expect(refused.code).toBe(64);
    expect(refused.err).toContain("config.yml` exists; name another folder, or replace it with --force");
    expect(readFileSync(join(path, "config.yml"), "utf8")).toBe("models: []\n");
    expect((await runCli(["init", path, "--force"])).code).toBe(0);
    expect(readFileSync(join(path, "config.yml"), "utf8")).toContain("extends: preset:local");
  });

  it("writes nothing if one of its files exists", async () => {
    const path = newFolder();
    mkdirSync(join(path, "tests"), { recursive: true });
    writeFileSync(join(path, "tests", "greeting.yml"), "mine");
    expect((await runCli(["init", path])).code).toBe(64);
    expect(readdirSync(path, { recursive: true }).sort()).toEqual(["tests", join("tests", "greeting.yml")]);
  });

  it("removes what it has written if a file cannot be written", async () => {
    const path = newFolder();
    mkdirSync(path);
    // The folder of the last file.
    writeFileSync(join(path, "tests"), "mine");
    const { code, out } = await runCli(["init", path]);
    expect([code, out, readdirSync(path)]).toEqual([64, "", ["tests"]]);
  });

  it.each(["", "a\nb", "a\u001bb"])("refuses the folder %j", async (name) => {
    expect((await runCli(["init", name])).code).toBe(64);
  });

  it.each([
    ["my config", "'my config'"],
    ["it's", "'it'\\''s'"],
    ["$(x)", "'$(x)'"],
    ["-x", "./-x"],
  ])("shows commands that a shell can run for the folder %j", async (name, shown) => {
    const before = process.cwd();
    process.chdir(folder.path);
    try {
      const { out } = await runCli(["init", "--", name]);
      expect(out).toContain(`langchain-guardrails chat ${shown}\n`);
      expect(readFileSync(join(name, "config.yml"), "utf8")).toContain(`langchain-guardrails check ${shown} `);
    } finally {
      process.chdir(before);
    }
  });

  it.each([
    ["Ctrl+C", (keys: PassThrough) => keys.write("\u0003")],
    ["Ctrl+D", (keys: PassThrough) => keys.write("\u0004")],
    ["the end of the input", (keys: PassThrough) => keys.end()],
  ])("writes nothing after %s at a prompt", async (_title, end) => {
    const path = newFolder();
    const keys = new PassThrough();
    const terminal = new PassThrough();
    terminal.on("data", (data: Buffer) => data.toString().includes("◆  Language") && setImmediate(() => end(keys)));
    const { code } = await runCli(["init", path], { keys, terminal });
    expect([code, existsSync(path)]).toEqual([130, false]);
  });

  it.each(["a b", "x: y", "openai/", "gpt-4o-mini"])("refuses the model %j", async (model) => {
    expect((await runCli(["init", newFolder(), "--model", model])).code).toBe(64);
  });

  it("asks at a terminal for missing options", async () => {
    const path = newFolder();
    const keys = new PassThrough();
    const terminal = new PassThrough();
    let shown = "";
    terminal.on("data", (data: Buffer) => {
      const text = data.toString();
      shown += text;
      // A prompt reads keys once it has been shown.
      if (text.includes("◆  Language")) setImmediate(() => keys.write("\u001b[B\r"));
      else if (text.includes("◆  Model")) setImmediate(() => keys.write("\r"));
    });
    const { code } = await runCli(["init", path, "--preset", "none"], { keys, terminal });
    expect(code).toBe(0);
    expect(readFileSync(join(path, "config.yml"), "utf8")).toContain('colang_version: "2.x"');
    expect(shown).not.toContain("Rails to start with");
  });
});
