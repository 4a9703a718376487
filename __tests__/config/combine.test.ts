import { describe, expect, it } from "@jest/globals";

import { combineConfigs } from "../../src/config/merge/combine.js";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import type { RailsConfig } from "../../src/config/rails-config.js";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { spanText } from "../../src/diagnostics/span.js";

const load = (yaml: string, colang?: string): Promise<RailsConfig> =>
  loadConfigFromContent({ yaml, ...(colang === undefined ? {} : { colang }) }, { env: {} });

describe("two configurations", () => {
  it("keep the rails of the first before those of the second, each once", async () => {
    const a = await load("rails: { input: { flows: [one, two] } }\nlowest_temperature: 0.1", "define bot a\n");
    const b = await load("rails: { input: { flows: [two, three], parallel: true } }", "define bot b\n");
    const both = await combineConfigs(a, b, { env: {} });
    expect(both.settings.rails.input).toEqual({ flows: ["one", "two", "three"], parallel: true, speculative: false });
    expect(both.settings.lowest_temperature).toBe(0.1);
    expect(both.colang.map(({ source }) => source.text)).toEqual(["define bot a\n", "define bot b\n"]);
    const span = both.spanOf(["rails", "input", "flows", 2]);
    expect(span && spanText(span)).toBe("three");
  });

  it("take what the second sets and not what it leaves at its default", async () => {
    const a = await load("lowest_temperature: 0.1\nprompting_mode: compact\ncustom_data: { a: 1, b: 1 }");
    const b = await load("lowest_temperature: 0.2\ncustom_data: { b: 2 }");
    const { settings } = await combineConfigs(a, b, { env: {} });
    expect(settings).toMatchObject({ lowest_temperature: 0.2, prompting_mode: "compact", custom_data: { a: 1, b: 2 } });
  });

  it("share a model of one type when it is the same", async () => {
    const main = "models: [{ type: main, engine: openai, model: m";
    const a = await load(`${main}, parameters: { temperature: 0 } }]`);
    const b = await load(`${main} }, { type: guard, engine: nim, model: g }]`);
    const { settings } = await combineConfigs(a, b, { env: {} });
    expect(settings.models.map(({ type, parameters }) => [type, parameters])).toEqual([
      ["main", { temperature: 0 }],
      ["guard", {}],
    ]);
  });

  it.each([
    [
      "models",
      "models: [{ type: main, engine: openai, model: a }]",
      "models: [{ type: main, engine: openai, model: b }]",
    ],
    ["action servers", "actions_server_url: http://a", "actions_server_url: http://b"],
  ])("with different %s cannot be joined", async (_, first, second) => {
    const error = await combineConfigs(await load(first), await load(second), { env: {} }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(ConfigError.isInstance(error) && error.diagnostics.map(({ code }) => code)).toEqual(["CF-117"]);
  });

  it("are checked again as a whole", async () => {
    const a = await load(
      "models: [{ type: main, engine: openai, model: m, parameters: { model: m } }]".replace(
        ", parameters: { model: m }",
        "",
      ),
    );
    const made: RailsConfig = { ...a, settings: { ...a.settings, prompts: [] } };
    const both = await combineConfigs(made, a, { env: {} });
    expect(both.settings.models).toHaveLength(1);
  });
});
