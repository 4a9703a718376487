import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { Guardrails } from "../../../src/index.js";
import { LIBRARY_RAILS } from "../../../src/library/manifest.js";
import { scriptedModel } from "../../../src/testing/index.js";

const FOLDER = fileURLToPath(new URL("../../../src/library", import.meta.url));

/** The configurations in the README of each rail. */
const CONFIGURATIONS = LIBRARY_RAILS.flatMap(({ name }) => {
  const text = readFileSync(join(FOLDER, name, "README.md"), "utf8");
  return Array.from(text.matchAll(/```yaml\n([^]*?)```/g), ([, yaml = ""], index) => [name, index + 1, yaml] as const);
});

/** Types of models that the configurations name. */
const MODELS = ["content_safety", "llama_guard", "topic_control", "patronus_lynx", "llm_judge", "guard"];

describe.each(["1.0", "2.x"])("the READMEs of rails in Colang %s", (version) => {
  beforeAll(() => {
    const environment = LIBRARY_RAILS.flatMap(({ needs }) => needs?.environment ?? []);
    const named = CONFIGURATIONS.flatMap(([, , yaml]) =>
      Array.from(yaml.matchAll(/_env_var: (\w+)/g), ([, variable = ""]) => variable),
    );
    for (const variable of [...environment, ...named]) {
      process.env[variable] ??= /URL|ENDPOINT/.test(variable) ? "http://127.0.0.1:9" : "0123456789";
    }
  });

  it("have at least one configuration for each rail", () => {
    expect(new Set(CONFIGURATIONS.map(([name]) => name))).toEqual(new Set(LIBRARY_RAILS.map(({ name }) => name)));
  });

  it.each(CONFIGURATIONS)("%s: configuration %s loads", async (_name, _index, yaml) => {
    const stated = yaml.includes("colang_version") ? yaml : `colang_version: "${version}"\n${yaml}`;
    const models = Object.fromEntries(MODELS.map((type) => [type, scriptedModel([])]));
    const guardrails = await Guardrails.fromConfig({ yaml: stated }, { llm: scriptedModel([]), models, logger: false });
    // A part of a configuration may list no rail.
    expect(guardrails.warnings.filter(({ code }) => code !== "CF-201")).toEqual([]);
  });
});
