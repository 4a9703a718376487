import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "langchain-guardrails";
import { eventChat, scriptedModel } from "langchain-guardrails/testing";
import { readBlocks, readRegions } from "./read-blocks.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const GUIDE = readFileSync(join(ROOT, "docs/colang-2.md"), "utf8");
const blocks = readBlocks(GUIDE);

/** The actions of the guide's programs. */
const actions = {
  check_stock: ({ question }: { question: string }) => (question.includes("rolls") ? 12 : 0),
  pay: () => Promise.reject(new Error("the till is closed")),
  hide_numbers: ({ text }: { text: string }) => text.replaceAll(/\d{4,}/g, "****"),
};

interface Program {
  readonly colang: string;
  readonly yaml: string;
  readonly dialogue: readonly string[];
}

/** Every program with the settings right above it and the dialogue right below it. */
const programs = blocks.flatMap(({ language, text, section }, at): [string, Program][] => {
  if (language !== "colang") return [];
  const [above, below] = [blocks[at - 1], blocks[at + 1]];
  const yaml = above?.language === "yaml" && above.section === section ? above.text : 'colang_version: "2.x"';
  const dialogue = below?.language === "text" ? below.text.trimEnd().split("\n") : [];
  return [[`${section}: ${dialogue.find((line) => line.startsWith(">")) ?? ""}`, { colang: text, yaml, dialogue }]];
});

describe("docs/colang-2.md", () => {
  it("has programs with dialogues", () => {
    expect(programs.length).toBeGreaterThan(10);
    for (const [, { dialogue }] of programs) expect(dialogue.length).toBeGreaterThan(1);
  });

  it.each(programs)("%s", async (_, { colang, yaml, dialogue }) => {
    const replies = dialogue
      .filter((line) => line.startsWith("~ "))
      .map((line) => line.slice(2).replaceAll("\\n", "\n"));
    const llm = scriptedModel(replies);
    const guardrails = await Guardrails.fromConfig({ colang, yaml }, { llm, actions });
    expect(guardrails.warnings).toEqual([]);
    const talk = await eventChat(guardrails);
    for (const line of dialogue) {
      if (line.startsWith("> ")) await talk.user(line.slice(2));
      else if (line.startsWith("! a timer rings")) await talk.ring();
    }
    talk.close();
    expect(talk.transcript.split("\n")).toEqual(dialogue.filter((line) => !line.startsWith("~ ")));
    llm.assertDone();
  });

  const regions = [...readRegions(join(ROOT, "examples"))];
  it.each(blocks.filter(({ language }) => language === "ts").map(({ title, text }) => [title, text]))(
    "%s is part of an example that runs",
    (_, text) => {
      expect(regions).toContain(text);
    },
  );
});
