// The commands in docs/cli.md: those with an output print it, and the others accept their options.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { readBlocks } from "../examples/read-blocks.js";
import { runCli } from "../../cli/run-cli.js";

const blocks = readBlocks(readFileSync("docs/cli.md", "utf8"));
const COMMANDS = blocks.flatMap(({ language, text }, index) => {
  const next = blocks[index + 1];
  const output = next?.language === "text" ? next.text : undefined;
  return language === "sh" ? [[text.trim(), output] as const] : [];
});

const argumentsOf = (line: string): readonly string[] =>
  Array.from(line.matchAll(/"([^"]*)"|\S+/g), ([whole, quoted]) => quoted ?? whole).slice(2);

const withoutTimes = (text: string): string => text.replace(/\b\d+(?:\.\d)? ms/g, "0 ms");

describe("the guide to the command line", () => {
  it.each(COMMANDS.filter(([, output]) => output !== undefined))(
    "`%s` prints the output in the guide",
    async (line, output = "") => {
      const { out } = await runCli(argumentsOf(line));
      expect(withoutTimes(out)).toBe(withoutTimes(output));
    },
  );

  it.each(COMMANDS)("`%s` has a command with such options", async (line) => {
    const [command = "", ...rest] = argumentsOf(line);
    const help = (await runCli([command, ...(command.startsWith("-") ? [] : ["--help"])])).out;
    for (const option of rest.filter((each) => each.startsWith("--"))) expect(help).toContain(option);
    expect(line).toMatch(/^npx langchain-guardrails /);
  });

  it("lists every command", async () => {
    const names = Array.from((await runCli(["--help"])).out.matchAll(/^ {2}([a-z][\w-]+) /gm), ([, name = ""]) => name);
    const table = blocks.length > 0 ? readFileSync("docs/cli.md", "utf8").split("\n## ")[0] : "";
    expect(names.filter((name) => name !== "help" && !table?.includes(`\`${name}`))).toEqual([]);
  });

  it("shows the tests of the demo", () => {
    const shown = blocks.find(({ language }) => language === "yaml")?.text;
    expect(shown).toBe(readFileSync("examples/demo/tests/talk.yml", "utf8"));
  });
});
