import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "langchain-guardrails";
import { scriptedModel } from "langchain-guardrails/testing";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");

interface Block {
  readonly language: string;
  readonly text: string;
  readonly section: string;
  /** The comment right above the block: `excerpt` is not run, `broken` shows a mistake. */
  readonly mark: string | undefined;
  readonly title: string;
}

function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let section = "";
  const pattern = /^#{1,3} (.+)$|^(?:<!-- (\w+) -->\n+)?```(\w+)\n([\s\S]*?)^```$/gm;
  for (const [, heading, mark, language = "", text = ""] of markdown.matchAll(pattern)) {
    if (heading !== undefined) section = heading;
    else blocks.push({ language, text, section, mark, title: `${section}: ${text.split("\n", 1)[0] ?? ""}` });
  }
  return blocks;
}

/** The texts between `// #region` and `// #endregion` in the examples, which examples.test.ts runs. */
function readRegions(): Set<string> {
  const files = readdirSync(join(ROOT, "examples"), { recursive: true, encoding: "utf8" });
  const sources = files.filter((name) => name.endsWith(".ts")).map((name) => join(ROOT, "examples", name));
  return new Set(
    sources.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/^ *\/\/ #region .*\n([\s\S]*?)^ *\/\/ #endregion$/gm)].map(
        ([, text = ""]) => dedent(text),
      ),
    ),
  );
}

function dedent(text: string): string {
  const lines = text.split("\n");
  const depths = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const depth = Math.min(...depths);
  return lines.map((line) => line.slice(depth)).join("\n");
}

interface Content {
  readonly yaml?: string;
  readonly colang?: string;
}

const isConfiguration = ({ language }: Block): boolean => language === "yaml" || language === "colang";

/** The YAML and the Colang of a section are one configuration. */
function readConfigurations(all: readonly Block[]): (readonly [string, Content])[] {
  const bySection = new Map<string, Content>();
  for (const block of all.filter((candidate) => isConfiguration(candidate) && candidate.mark === undefined)) {
    bySection.set(block.section, { ...bySection.get(block.section), [block.language]: block.text });
  }
  return [...bySection];
}

/** A block that shows a mistake, with the message below it. */
function readMistakes(all: readonly Block[]): (readonly [string, Content, string])[] {
  return all.flatMap((block, index) => {
    if (block.mark !== "broken") return [];
    return [[block.title, { [block.language]: block.text }, all[index + 1]?.text.trimEnd() ?? ""] as const];
  });
}

const blocks = readBlocks(README);
const ofLanguage = (...languages: readonly string[]) =>
  blocks
    .filter(({ language, mark }) => languages.includes(language) && mark !== "excerpt")
    .map((block) => [block.title, block] as const);

describe("README.md", () => {
  it("holds blocks of known languages only", () => {
    const known = new Set(["ts", "yaml", "colang", "sh", "text"]);
    expect(blocks.filter(({ language }) => !known.has(language))).toEqual([]);
    expect(README.split("\n").filter((line) => line.startsWith("```")).length).toBe(blocks.length * 2);
  });

  const regions = readRegions();
  it.each(ofLanguage("ts"))("%s is part of an example that runs", (_, { text }) => {
    expect([...regions]).toContain(text);
  });

  it("shows a newcomer five ways in five short blocks", () => {
    const ways = blocks.filter(({ section, language }) => section === "Five ways to use it" && language === "ts");
    expect(ways).toHaveLength(5);
    for (const { text } of ways) expect(text.trim().split("\n").length).toBeLessThanOrEqual(3);
  });

  it.each(readConfigurations(blocks))("the configuration under `%s` loads", async (_, content) => {
    // The one action that README's flows name.
    const actions = { mentions_price: () => false };
    const guardrails = await Guardrails.fromConfig(content, { llm: scriptedModel([]), actions });
    expect(guardrails.warnings).toEqual([]);
  });

  it.each(readMistakes(blocks))("the mistake in %s is told as shown", async (_, content, message) => {
    const loading = Guardrails.fromConfig(content, { llm: scriptedModel([]) });
    expect(await loading.catch((error: unknown) => (error as Error).message)).toBe(message);
  });

  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const commands = blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.trim().split(/\n| && /))
    .map((command) => [command.replace(/\s*#.*$/, "")]);
  it.each(commands)("`%s` is a command there is", (command) => {
    const script = /^npm (?:run )?([\w-]+)/.exec(command)?.[1] ?? "";
    expect(["ci", "install", ...Object.keys(scripts)]).toContain(script);
  });
});
