import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { openBench } from "./bench.js";

const COLANG = `
define user ask price
  "how much is a tube"
  "what does a saddle cost"
  "tell me the price of a helmet"
define user ask hours
  "when do you open"
  "until when are you open today"
  "what are your opening hours"

define bot tell price
  "Ten euros."
define bot tell hours
  "From nine to six."
define bot admit ignorance
  "I know bicycles only."

define flow
  user ask price
  bot tell price
define flow
  user ask hours
  bot tell hours
define flow
  user ask anything else
  bot admit ignorance
`;

const settings = (more: string) => `
rails:
  dialog:
    user_messages: {embeddings_only: true, embeddings_only_fallback_intent: ask anything else${more}}
`;

async function answer(text: string, yaml: string) {
  const { runtime } = await openBench({ colang: COLANG, yaml, bare: true });
  return (await runtime.turn([{ role: "user", content: text }])).text;
}

describe("a dialog without a model and without embeddings", () => {
  it.each([
    ["what is the price of a saddle?", "Ten euros."],
    ["are you open now", "From nine to six."],
    ["explain quantum entanglement", "I know bicycles only."],
    ["🦑", "I know bicycles only."],
  ])("lets the matcher decide by what it has learnt: %s", async (text, expected) => {
    expect(await answer(text, settings(""))).toBe(expected);
  });

  it.each([
    ["high", 0.999, "I know bicycles only."],
    ["low", 0.05, "Ten euros."],
  ])("holds a %s threshold of the configuration against the calibrated score", async (_, threshold, expected) => {
    const yaml = settings(`, embeddings_only_similarity_threshold: ${threshold}`);
    expect(await answer("what is the price of a saddle?", yaml)).toBe(expected);
  });

  it.each(["explain quantum entanglement", "🦑", "bicycle soup for nine"])(
    "takes the nearest intent where there is neither a threshold nor a fallback: %s",
    async (text) => {
      const yaml = "rails: {dialog: {user_messages: {embeddings_only: true}}}\n";
      expect(["Ten euros.", "From nine to six.", "I know bicycles only."]).toContain(await answer(text, yaml));
    },
  );

  it("keeps what the matcher learnt where the configuration asks for it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "matcher-"));
    const cache = `{enabled: true, store: filesystem, store_config: {cache_dir: ${JSON.stringify(folder)}}}`;
    const yaml = `${settings("")}\ncore: {embedding_search_provider: {cache: ${cache}}}\n`;
    const answers = [await answer("price of a tube", yaml), await answer("price of a tube", yaml)];
    expect(answers).toEqual(["Ten euros.", "Ten euros."]);
    expect(readdirSync(folder)).toHaveLength(1);
    rmSync(folder, { recursive: true });
  });
});
