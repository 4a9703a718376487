import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "langchain-guardrails";
import { scriptedModel } from "langchain-guardrails/testing";
import { type Block, readBlocks, readRegions } from "./read-blocks.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");

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

  const regions = readRegions(join(ROOT, "examples"));
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
