import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { ConfigError, Guardrails } from "langchain-guardrails";

const load = (content: unknown): Promise<Guardrails> => Guardrails.fromConfig(content as never, { logger: false });

const fail = (): never => {
  throw new RangeError("getter");
};
const nested = (depth: number, leaf: unknown): unknown =>
  Array.from({ length: depth }).reduce<unknown>((inner) => ({ inner }), leaf);
const cyclic = (): object => {
  const settings: Record<string, unknown> = {};
  settings["rails"] = { input: settings };
  return settings;
};
const throwing = (key: string): object => Object.defineProperty({}, key, { get: fail, enumerable: true });

const HOSTILE: readonly (readonly [string, unknown, string | undefined])[] = [
  ["nothing", null, undefined],
  ["a text", "models: []", undefined],
  ["a list", [], undefined],
  ["a number of files", { files: 5 }, "files"],
  ["a null as YAML", { yaml: null }, "config.yml"],
  ["a bigint as Colang", { colang: 1n }, "main.co"],
  ["a getter that fails", throwing("config"), "config"],
  ["a file whose getter fails", { files: throwing("a.co") }, "files.a.co"],
  ["a setting whose getter fails", { config: { rails: throwing("input") } }, "rails.input"],
  ["a deep getter that fails", { config: { rails: { input: { flows: [throwing("x")] } } } }, "rails.input.flows[0].x"],
  ["settings that contain themselves", { config: cyclic() }, "rails.input"],
  ["settings that nest without end", { config: nested(5_000, "x") }, undefined],
  [
    "lists that nest without end",
    { config: { models: Array.from({ length: 5_000 }).reduce<unknown>((inner) => [inner], 1) } },
    undefined,
  ],
  ["a bigint as a setting", { config: { lowest_temperature: 1n } }, "lowest_temperature"],
  ["a symbol as a setting", { config: { lowest_temperature: Symbol("x") } }, "lowest_temperature"],
  ["a function as a setting", { config: { models: fail } }, "models"],
  ["a date as a setting", { config: { rails: { input: { flows: new Date(0) } } } }, "rails.input.flows"],
  ["an unknown key", { colangs: "x" }, "colangs"],
  ["a proxy that fails as a whole", new Proxy({}, { ownKeys: fail, get: fail, getPrototypeOf: fail }), undefined],
  ["a proxy that fails", { config: new Proxy({}, { ownKeys: fail }) }, undefined],
  [
    "a list with a failing member",
    { config: { models: new Proxy([1], { get: (list, key) => (key === "0" ? fail() : Reflect.get(list, key)) }) } },
    "models[0]",
  ],
];

describe("a configuration given as data", () => {
  it.each(HOSTILE)("is refused with its place: %s", async (_name, content, path) => {
    const error: unknown = await load(content).catch((thrown: unknown) => thrown);
    expect(ConfigError.isInstance(error)).toBe(true);
    if (path !== undefined) {
      expect((error as ConfigError).diagnostics.map((diagnostic) => diagnostic.path)).toContain(path);
    }
  });

  it("suggests the name of a misspelt key", async () => {
    await expect(load({ colangs: "x" })).rejects.toThrow(/did you mean `colang`/);
  });

  it("loads or is refused with a typed error, whatever it holds", async () => {
    const value = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      maxDepth: 4,
    });
    const settings = fc.dictionary(
      fc.constantFrom("models", "rails", "prompts", "instructions", "core", "limits"),
      value,
    );
    await fc.assert(
      fc.asyncProperty(fc.record({ config: settings }), async (content) => {
        const error: unknown = await load(content).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error === undefined || ConfigError.isInstance(error)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a null in the settings of a program", () => {
  const yaml = "instructions:\n  - type: general\n    content: be brief\nlowest_temperature: 0.4\n";

  it.each([["instructions"], ["lowest_temperature"]])("takes `%s` of the YAML back", async (key) => {
    const unset = await load({ yaml, config: { [key]: null } });
    const never = await load({ yaml: "models: []" });
    const settings = (guardrails: Guardrails) => guardrails.config.settings as unknown as Record<string, unknown>;
    expect(settings(unset)[key]).toEqual(settings(never)[key]);
  });

  it("takes a setting of an imported file back", async () => {
    const files = { "config.yml": "import_paths: [other]\n", "other/config.yml": "lowest_temperature: 0.4\n" };
    const { config } = await load({ files, config: { lowest_temperature: null } });
    expect(config.settings.lowest_temperature).not.toBe(0.4);
  });
});
