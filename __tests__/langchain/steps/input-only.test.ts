import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { DEFAULT_REFUSAL } from "../../../src/engine/default-refusal.js";
import { Guardrails } from "../../../src/index.js";

const FLOWS = {
  "1.0": 'define subflow block\n  if "bad" in $user_message\n    bot refuse to respond\n    stop\n',
  "2.x":
    'import core\n\nflow block\n  global $user_message\n  if search("bad", $user_message)\n    bot refuse to respond\n    abort\n',
} as const;

const VERSIONS = ["1.0", "2.x"] as const;

function open(version: keyof typeof FLOWS): Promise<Guardrails> {
  const yaml = `colang_version: "${version}"\nrails: {input: {flows: [block]}}\n`;
  return Guardrails.fromConfig({ yaml, files: { "rails.co": FLOWS[version] } });
}

describe.each(VERSIONS)("a turn of input rails alone, Colang %s", (version) => {
  it.each([
    ["a good thing", "a good thing", false],
    ["a bad thing", DEFAULT_REFUSAL, true],
  ])("logs the rails and no generation: %s", async (text, response, stop) => {
    const guardrails = await open(version);
    const options = { rails: ["input"], log: { activatedRails: true, llmCalls: true } } as const;
    const result = await guardrails.generate([{ role: "user", content: text }], options);
    expect(result.response).toEqual([{ role: "assistant", content: response }]);
    expect(result.log?.activatedRails?.map((row) => [row.type, row.name, row.stop])).toEqual([
      ["input", "block", stop],
    ]);
    expect(result.log?.llmCalls).toEqual([]);
  });
});

describe("the default refusal", () => {
  it.each(["library/messages.v1.co", "colang2/stdlib/core.co"])("is that of %s", (path) => {
    const text = readFileSync(new URL(`../../../src/${path}`, import.meta.url), "utf8");
    expect(text).toContain(`bot refuse to respond\n  ${path.endsWith("v1.co") ? "" : "bot say "}"${DEFAULT_REFUSAL}"`);
  });
});
