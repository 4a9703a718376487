import { beforeAll, describe, expect, it } from "@jest/globals";
import { parseFlowReference } from "../../src/engine/flow-reference.js";
import { Guardrails } from "../../src/index.js";
import { findLibraryFlow, LIBRARY_RAILS } from "../../src/library/manifest.js";
import { scriptedModel } from "../../src/testing/index.js";
import { EARLY_NEMO_RAILS, NEMO_FOLDERS, NEMO_RAILS } from "../support/nemo-rails.js";

const VERSIONS = ["1.0", "2.x"] as const;
const ADDRESS = "https://service.example.org";
const POLICY = "01234567-89ab-cdef-0123-456789abcdef";
const VALIDATORS = { validators: [{ name: "toxic" }] };

/** Settings without which rails do not load. */
const SETTINGS = {
  autoalign: {
    parameters: { endpoint: ADDRESS, fact_check_endpoint: ADDRESS, groundedness_check_endpoint: ADDRESS },
    input: { guardrails_config: { pii: {} } },
    output: { guardrails_config: { pii: {} } },
  },
  cel: { tool_output: { search: { expressions: ["true"] } }, tool_input: { search: { expressions: ["true"] } } },
  clavata: { input: { policy: POLICY }, output: { policy: POLICY } },
  fact_checking: { parameters: { endpoint: ADDRESS } },
  fiddler: { fiddler_endpoint: ADDRESS },
  gliner: { server_endpoint: ADDRESS },
  guardrails_ai: { ...VALIDATORS, server_endpoint: ADDRESS },
  hf_classifier: { toxic: { engine: "vllm", model: "toxic", base_url: ADDRESS, blocked_labels: ["toxic"] } },
  jailbreak_detection: { server_endpoint: ADDRESS, nim_base_url: ADDRESS },
  patronus: { output: { evaluate_config: { params: { evaluators: [{ evaluator: "lynx" }] } } } },
  polygraf: { server_endpoint: ADDRESS },
  trend_micro: { api_key_env_var: "V1_API_KEY" },
};

const KEYS = [...new Set(LIBRARY_RAILS.flatMap(({ needs }) => needs?.environment ?? [])), "V1_API_KEY"];
const URLS = /URL|ENDPOINT/;

describe("the catalogue of NeMo Guardrails", () => {
  beforeAll(() => {
    for (const name of KEYS)
      if (!/CREDENTIALS|CLOUD|FAIL_OPEN/.test(name)) process.env[name] = URLS.test(name) ? ADDRESS : "key";
  });

  const listed = Object.entries(NEMO_RAILS).flatMap(([stage, names]) =>
    names.map((name) => [stage, parseFlowReference(name).id] as const),
  );

  it("has 86 rails, and so 172 with the versions of Colang", () => {
    expect(new Set(listed.map(([stage, name]) => `${stage} ${name}`)).size).toBe(86);
  });

  it.each(listed)("%s rail `%s` is in the library", (stage, name) => {
    expect(findLibraryFlow(name)?.flow.stage).toBe(stage);
  });

  it("has the dialog flow of warnings", () => {
    expect(findLibraryFlow("hallucination warning")?.flow.stage).toBe("dialog");
  });

  const rows = [...Object.entries(NEMO_RAILS), ...Object.entries(EARLY_NEMO_RAILS)];
  const loads = VERSIONS.flatMap((version) => rows.map(([stage, names]) => [version, stage, names] as const));
  it.each(loads)("Colang %s: loads all its rails under rails.%s", async (version, stage, names) => {
    const rails = { [stage]: { flows: names }, config: SETTINGS };
    const models = { guard: scriptedModel([]), llama_guard: scriptedModel([]), patronus_lynx: scriptedModel([]) };
    const loading = Guardrails.fromConfig(
      { config: { colang_version: version, rails } },
      { llm: scriptedModel([]), models, logger: false },
    );
    await expect(loading).resolves.toBeDefined();
  });

  it.each(NEMO_FOLDERS)("Colang 2.x: imports nemoguardrails.library.%s", async (folder) => {
    const colang = `import core\nimport nemoguardrails.library.${folder}\n\nflow main\n  match Never()\n`;
    const guardrails = await Guardrails.fromConfig(
      { colang, config: { colang_version: "2.x" } },
      { llm: scriptedModel([]), logger: false },
    );
    expect(guardrails.warnings).toEqual([]);
  });
});
