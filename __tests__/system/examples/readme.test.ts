// README's blocks, pasted into an empty project: they compile, run against a scripted server, and print the block below them.
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Guardrails } from "langchain-guardrails";
import { scriptedModel, scriptedServer } from "langchain-guardrails/testing";
import ts from "typescript";
import { createProject, stripTypes } from "../install-package.js";
import { type Block, readBlocks } from "./read-blocks.js";

const run = promisify(execFile);
const ROOT = process.cwd();
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const blocks = readBlocks(README);
const programs = blocks.filter(({ language }) => language === "ts");

/** Completions of the models, in the order of the calls, by the section and number of the program. */
const COMPLETIONS: Readonly<Record<string, readonly string[]>> = {
  "Guard a chat model 1": ["No", "Soda bread: it needs no yeast and no kneading.", "No"],
  "Protect a chain without an API key 1": [],
  "Write your own policy 1": ["Yes"],
  "Write a rail in TypeScript 1": ["A loaf is 4 euros."],
  "Stream safely 1": ["Flour, water, salt and time.", "No"],
};

const nameOf = (block: Block): string =>
  `${block.section} ${programs.filter(({ section }) => section === block.section).indexOf(block) + 1}`;

let folder = "";
beforeAll(() => {
  folder = createProject("readme");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function execute(args: readonly string[], env: Record<string, string>): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, ["--no-warnings", ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...env },
  });
  return stdout + stderr;
}

describe("README.md", () => {
  it("has at most 300 lines and blocks of known languages", () => {
    expect(README.split("\n").length).toBeLessThanOrEqual(301);
    expect(README.split("\n").filter((line) => line.startsWith("```")).length).toBe(blocks.length * 2);
    expect(blocks.map(({ language }) => language).filter((name) => !["ts", "sh", "text"].includes(name))).toEqual([]);
  });

  it("compiles, with the options of this project", () => {
    const { config } = ts.readConfigFile("tsconfig.json", (path) => ts.sys.readFile(path));
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
    const sources = new Map(programs.map(({ text }, index) => [join(ROOT, `readme-block-${index}.ts`), text]));
    const host = ts.createCompilerHost(options);
    const { readFile, fileExists } = host;
    host.readFile = (path) => sources.get(path) ?? readFile(path);
    host.fileExists = (path) => sources.has(path) || fileExists(path);
    const { getSourceFile } = host;
    host.getSourceFile = (path, target) => {
      const text = sources.get(path);
      return text === undefined ? getSourceFile(path, target) : ts.createSourceFile(path, text, target);
    };
    const program = ts.createProgram([...sources.keys()], options, host);
    const problems = [...sources.keys()].flatMap((path) => {
      const file = program.getSourceFile(path);
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    });
    expect(ts.formatDiagnostics(problems, host)).toBe("");
  });

  const scripted = programs.filter((block) => !block.text.includes("@jest/globals"));
  it.each(scripted.map((block) => [nameOf(block), block] as const))("%s runs as pasted", async (name, block) => {
    const expected = blocks[blocks.indexOf(block) + 1];
    const path = join(folder, `block-${programs.indexOf(block)}.js`);
    writeFileSync(path, stripTypes(block.text));
    await using server = await scriptedServer(COMPLETIONS[name] ?? []);
    const printed = await execute([path], { OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url });
    expect(printed).toBe(expected?.text);
    server.assertDone();
  });

  it("shows a test that passes in jest", async () => {
    const block = programs.find(({ text }) => text.includes("@jest/globals"));
    writeFileSync(join(folder, "rails.test.js"), stripTypes(block?.text ?? ""));
    writeFileSync(join(folder, "jest.config.json"), JSON.stringify({ rootDir: folder, transform: {} }));
    const jest = join(ROOT, "node_modules", "jest", "bin", "jest.js");
    const args = ["--experimental-vm-modules", jest, "--config", join(folder, "jest.config.json"), "--ci"];
    expect(await execute(args, {})).toMatch(/Tests: +1 passed, 1 total/);
  });

  it("shows the error that a mistake in a configuration gives", async () => {
    const yaml = "rails:\n  output:\n    flows:\n      - self check outptu\n";
    const loading = Guardrails.fromConfig({ yaml }, { llm: scriptedModel([]) });
    const message = await loading.catch((error: unknown) => (error as Error).message);
    expect(blocks.map(({ text }) => text.trimEnd())).toContain(message);
  });

  it("begins with lines of the demo", () => {
    const demo = readFileSync(join(ROOT, "__tests__/golden/examples/demo.txt"), "utf8");
    expect(demo).toContain(blocks[0]?.text.trimEnd());
  });

  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const commands = blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.trim().split(/\n| && /))
    .map((command) => [command.replace(/\s*#.*$/, "")]);
  it.each(commands)("`%s` is a command of npm or of package.json", (command) => {
    const script = /^npm (?:run )?([\w-]+)/.exec(command)?.[1] ?? "";
    expect(["ci", "install", ...Object.keys(scripts)]).toContain(script);
  });
});
