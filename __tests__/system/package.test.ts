// The package as its users load it: `package.json` as it is published, over the sources without their types.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { transformSync } from "@swc/core";

const run = promisify(execFile);
const ROOT = process.cwd();
const CACHE = join(ROOT, ".cache");
let folder = "";

/** Inside the project, so that its dependencies are found, and by name, so that `exports` counts. */
function installPackage(into: string): void {
  const target = join(into, "node_modules", "langchain-guardrails");
  mkdirSync(target, { recursive: true });
  cpSync(join(ROOT, "package.json"), join(target, "package.json"));
  const source = join(ROOT, "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  for (const file of files) {
    const { code } = transformSync(readFileSync(join(source, file), "utf8"), {
      jsc: { parser: { syntax: "typescript" }, target: "es2022" },
      module: { type: "es6" },
    });
    const path = join(target, "dist", relative(source, join(source, file)).replace(/\.ts$/, ".js"));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
}

async function runProgram(name: string, text: string): Promise<unknown> {
  const path = join(folder, name);
  writeFileSync(path, text);
  const { stdout, stderr } = await run(process.execPath, ["--no-warnings", path], { cwd: folder });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

const ENTRIES = Object.entries(
  (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { exports: Record<string, unknown> }).exports,
).flatMap(([entry, target]) => (typeof target === "object" ? [`langchain-guardrails${entry.slice(1)}`] : []));

const USE = `
  const guardrails = await Guardrails.fromConfig({ config: { rails: { output: { flows: ["check"] } } }, colang:
    'define bot refuse\\n  "NO"\\n\\ndefine flow check\\n  $ok = execute check_text(text=$bot_message)\\n' +
    '  if not $ok\\n    bot refuse\\n    stop\\n' }, { actions: { check_text: ({ text }) => text !== "bad" } });
  const model = guardrails.wrap(scriptedModel(["fine", "bad"]));
  const answers = [(await model.invoke("a")).text, (await model.invoke("b")).text];`;

beforeAll(() => {
  mkdirSync(CACHE, { recursive: true });
  folder = mkdtempSync(join(CACHE, "package-"));
  // A project of its own; without a name it would be part of this one, whose own `dist` is then loaded.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));
  installPackage(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("C9 the package", () => {
  it("has entries", () =>
    expect(ENTRIES).toEqual(expect.arrayContaining(["langchain-guardrails", "langchain-guardrails/testing"])));

  it("is imported by ES modules", async () => {
    const program = `
      import { Guardrails } from "langchain-guardrails";
      import { scriptedModel } from "langchain-guardrails/testing";
      ${USE}
      console.log(JSON.stringify(answers));`;
    expect(await runProgram("use.mjs", program)).toEqual(["fine", "NO"]);
  });

  // Node loads ES modules by `require` since 20.19, the oldest version that the package names, unless they await at the top.
  it("is required by CommonJS, and both ways give the same classes", async () => {
    const program = `
      const { Guardrails } = require("langchain-guardrails");
      const { scriptedModel } = require("langchain-guardrails/testing");
      (async () => {
        ${USE}
        const imported = await import("langchain-guardrails");
        console.log(JSON.stringify([...answers, imported.Guardrails === Guardrails]));
      })();`;
    expect(await runProgram("use.cjs", program)).toEqual(["fine", "NO", true]);
  });

  it("loads by each of its entries, both ways", async () => {
    const names = JSON.stringify(ENTRIES);
    const required = `console.log(JSON.stringify(${names}.map((name) => Object.keys(require(name)).length > 0)))`;
    const imported = `console.log(JSON.stringify(await Promise.all(${names}.map(async (name) => Object.keys(await import(name)).length > 0))))`;
    expect(await runProgram("all.cjs", required)).toEqual(ENTRIES.map(() => true));
    expect(await runProgram("all.mjs", imported)).toEqual(ENTRIES.map(() => true));
  });
});
