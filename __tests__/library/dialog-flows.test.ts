import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

describe("`hallucination warning` under rails.output", () => {
  const COLANG = {
    "1.0": `define user ask
  "go"
define flow
  user ask
  $hallucination_warning = True
  bot guess
`,
    "2.x": `import core
flow main
  global $hallucination_warning
  user said "go"
  $hallucination_warning = True
  bot say "42."
`,
  } as const;

  it.each(["1.0", "2.x"] as const)("warns about a doubtful message in Colang %s", async (version) => {
    const config = { colang_version: version, rails: { output: { flows: ["hallucination warning"] } } };
    // The message of Colang 1.0 is generated, because a predefined one needs no check.
    const llm = scriptedModel([...(version === "1.0" ? ['"42."'] : []), "1", "2", "No"]);
    const guardrails = await Guardrails.fromConfig({ config, colang: COLANG[version] }, { llm, logger: false });
    const { response } = await guardrails.generate([{ role: "user", content: "go" }]);
    expect(JSON.stringify(response)).toContain("42.");
    expect(JSON.stringify(response)).toContain("Please double-check this answer");
    llm.assertDone();
  });
});
