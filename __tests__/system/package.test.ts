// Loads the package like its users.
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createProject } from "./install-package.js";

const run = promisify(execFile);
const ROOT = process.cwd();
let folder = "";

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
  folder = createProject("package");
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

  it("trains on many examples in a thread, which ends", async () => {
    const program = `
      import { createIntentMatcher } from "langchain-guardrails/matcher";
      let [threads, ended, turns] = [0, 0, 0];
      process.on("worker", (worker) => {
        threads += 1;
        worker.once("exit", () => (ended += 1));
      });
      const count = setInterval(() => (turns += 1), 1);
      const examples = Array.from({ length: 600 }, (_, row) =>
        ({ text: "w" + row % 90 + " x" + row % 7 + " y" + row, intent: "topic " + row % 90 }));
      const [aside, now] = [createIntentMatcher({ examples }), createIntentMatcher({ examples })];
      await aside.prepare();
      clearInterval(count);
      const same = JSON.stringify(aside.rank("w4 x2")) === JSON.stringify(now.rank("w4 x2"));
      console.log(JSON.stringify([threads, ended, turns > 3, same]));`;
    expect(await runProgram("learn.mjs", program)).toEqual([1, 1, true, true]);
  });
});
