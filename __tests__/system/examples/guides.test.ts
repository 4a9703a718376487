// The guides in docs/: their programs are parts of examples that run, their configurations load, their links lead somewhere.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "langchain-guardrails";
import { scriptedModel } from "langchain-guardrails/testing";
import { type Block, readBlocks, readRegions } from "./read-blocks.js";

const ROOT = process.cwd();
const pages = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
/** Pages whose blocks a test of their own plays. */
const PLAYED = new Set(["docs/colang-2.md", "docs/colang-2-with-langchain.md", "docs/evaluation.md"]);
const GUIDES = pages("docs").filter((page) => !PLAYED.has(page));

interface Content {
  readonly yaml?: string;
  readonly colang?: string;
}

const read = (page: string): string => readFileSync(join(ROOT, page), "utf8");
const isConfiguration = ({ language }: Block): boolean => language === "yaml" || language === "colang";

/** The YAML and the Colang of a section are one configuration. */
function configurationsOf(page: string): (readonly [string, Content])[] {
  const bySection = new Map<string, Content>();
  for (const block of readBlocks(read(page)).filter((candidate) => isConfiguration(candidate) && !candidate.mark)) {
    const title = `${page}: ${block.section}`;
    bySection.set(title, { ...bySection.get(title), [block.language]: block.text });
  }
  return [...bySection];
}

/** Blocks that show a mistake, each with the message below it. */
function mistakesOf(page: string): (readonly [string, Content, string])[] {
  const blocks = readBlocks(read(page));
  return blocks.flatMap((block, index) =>
    block.mark === "broken"
      ? [
          [
            `${page}: ${block.title}`,
            { [block.language]: block.text },
            blocks[index + 1]?.text.trimEnd() ?? "",
          ] as const,
        ]
      : [],
  );
}

describe("guides", () => {
  const regions = readRegions(join(ROOT, "examples"));
  const programs = GUIDES.flatMap((page) =>
    readBlocks(read(page))
      .filter(({ language, mark }) => language === "ts" && mark !== "excerpt")
      .map(({ title, text }) => [`${page}: ${title}`, text] as const),
  );
  it.each(programs)("%s is part of an example that runs", (_title, text) => {
    expect([...regions]).toContain(text);
  });

  it.each(GUIDES.flatMap(configurationsOf))("the configuration in %s loads", async (_title, content) => {
    const actions = { mentions_price: () => false };
    const guardrails = await Guardrails.fromConfig(content, { llm: scriptedModel([]), actions });
    expect(guardrails.warnings).toEqual([]);
  });

  it.each(GUIDES.flatMap(mistakesOf))(
    "the mistake in %s gives the message below it",
    async (_title, content, message) => {
      const loading = Guardrails.fromConfig(content, { llm: scriptedModel([]) });
      expect(await loading.catch((error: unknown) => (error as Error).message)).toBe(message);
    },
  );

  it.each([...pages("."), ...pages("docs"), ...pages("docs/decisions")])("the links of %s lead to files", (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });

  it("the pages made from the source are current: `npm run docs` changes nothing", () => {
    const made = [
      "README.md",
      "docs/options.md",
      "docs/configuration.md",
      "docs/rails.md",
      "docs/presets.md",
      "docs/decisions/README.md",
    ];
    const before = made.map(read);
    execFileSync(process.execPath, ["scripts/docs.mjs"], { cwd: ROOT });
    expect(made.map(read)).toEqual(before);
  });
});
