import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { Guardrails } from "langchain-guardrails";
import { keySpanAt, nodeAt, type RawMap, toPlain, rawFromValue } from "../../src/config/yaml/raw-node.js";
import { readYaml } from "../../src/config/yaml/read-yaml.js";
import { createSourceFile, spanText } from "../../src/diagnostics/source-file.js";
import { unmark } from "../support/golden-runner.js";
import { propertyRuns } from "../support/property-runs.js";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { checkShape } from "../../src/config/check/shape.js";
import { configJsonSchema } from "../../src/config/schema/json-schema.js";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.js";

const read = (text: string): ReturnType<typeof readYaml> => readYaml(createSourceFile("config.yml", text));

async function rootOf(text: string): Promise<RawMap> {
  const { root, diagnostics } = await read(text);
  expect(diagnostics).toEqual([]);
  if (!root) throw new Error("no root");
  return root;
}

describe("places of values", () => {
  it.each<[string, (string | number)[], string]>([
    ["a plain value", ["a"], "a: «one»\n"],
    ["a quoted value", ["a"], 'a: «"one"» # «not this»\n'.replace("«not this»", "")],
    ["a key with blanks", ["a b", "c"], "a b:\n  c: «1»\n"],
    ["an entry of a list", ["a", 1], "a:\n  - one\n  - «two»\n"],
    ["an entry of a list in brackets", ["a", 1, 0], "a: [one, [«two»]]\n"],
    ["a map in a list", ["a", 0, "b"], "a:\n  - b: «1»\n    c: 2\n"],
    ["a value with an anchor", ["a"], "a: &x «one»\nb: *x\n"],
    ["a value of an alias", ["b", "c"], "a: &x { c: «1» }\nb: *x\n"],
    ["a value that was merged in", ["b", "c"], "a: &x { c: «1», d: 2 }\nb:\n  <<: *x\n  d: 3\n"],
    ["a value that overrides a merged one", ["b", "d"], "a: &x { c: 1, d: 2 }\nb:\n  <<: *x\n  d: «3»\n"],
    ["a value merged from a list of maps", ["c", "y"], "a: &a { x: 1 }\nb: &b { y: «2» }\nc:\n  <<: [*a, *b]\n"],
    ["a value after windows line ends", ["b"], "a: 1\r\nb: «two»\r\n"],
    ["a value after a byte-order mark", ["a"], "\uFEFFa: «one»\n"],
    ["a value after astral characters", ["b"], "a: 😀\nb: «two»\n"],
    ["a value below a number as key", ["1", "a"], "1:\n  a: «x»\n"],
  ])("finds %s", async (_, path, marked) => {
    const { text, ranges } = unmark(marked);
    const root = await rootOf(text);
    const span = nodeAt(root, path)?.span;
    const shift = text.startsWith("\uFEFF") ? 1 : 0;
    expect(span && [span.start + shift, span.end + shift]).toEqual([ranges[0]?.start, ranges[0]?.end]);
  });

  it.each<[string, (string | number)[], string]>([
    ["a key", ["a", "b"], "a:\n  «b»: 1\n"],
    ["a quoted key", ["a b"], "«'a b'»: 1\n"],
    ["a key without a value", ["a"], "«a»:\nb: 1\n"],
    ["a key that was merged in", ["b", "c"], "a: &x { «c»: 1 }\nb: { <<: *x }\n"],
  ])("finds %s", async (_, path, marked) => {
    const { text, ranges } = unmark(marked);
    const span = keySpanAt(await rootOf(text), path);
    expect(span && [span.start, span.end]).toEqual([ranges[0]?.start, ranges[0]?.end]);
  });
});

describe("YAML 1.2", () => {
  it.each<[string, unknown]>([
    ["a: yes\nb: off\nc: true", { a: "yes", b: "off", c: true }],
    ["a: 010\nb: 0x10\nc: 1e3\nd: .5", { a: 10, b: 16, c: 1000, d: 0.5 }],
    ["a: 2026-11-21", { a: "2026-11-21" }],
    ["a: ~\nb: null\nc:", { a: null, b: null, c: null }],
    ["a: |\n  one\n  two\nb: >-\n  one\n  two", { a: "one\ntwo\n", b: "one two" }],
    ["", {}],
    ["# nothing\n", {}],
    ["---\n", {}],
    ["---\na: 1\n...\n", { a: 1 }],
  ])("reads %j", async (text, expected) => {
    expect(toPlain(await rootOf(text))).toEqual(expected);
  });
});

describe("bad input", () => {
  const bomb = [
    "a0: &a0 [x, x, x, x, x, x, x, x, x]",
    ...Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(", ")}]`),
  ].join("\n");
  const chain = [
    "v0: &v0 [x]",
    ...Array.from({ length: 5000 }, (_, i) => `v${i + 1}: &v${i + 1} [*v${i}]`),
    "1: *v5000",
  ];

  it.each<[string, string, string]>([
    ["an alias bomb", bomb, "CF-118"],
    ["a chain of aliases met from its end", chain.join("\n"), "CF-118"],
    ["a chain of aliases without an end to begin at", chain.slice(0, -1).join("\n"), "CF-118"],
    ["brackets without end", "a: " + "[".repeat(100_000), "CF-118"],
    ["braces without end", "{a: ".repeat(100_000), "CF-118"],
    ["dashes without end", "- ".repeat(100_000), "CF-118"],
    ["1 MB of null bytes", "\0".repeat(1_000_000), "CF-102"],
    ["1 MB of control characters", "\u0007\u0001".repeat(500_000), "CF-102"],
    ["1 MB on one line", "a".repeat(1_000_000), "CF-104"],
    [
      "too many merge keys",
      `a: &a { ${Array.from({ length: 200 }, (_, i) => `k${i}: 1`).join(", ")} }\n${Array.from({ length: 100 }, (_, i) => `m${i}: { <<: *a }`).join("\n")}`,
      "CF-102",
    ],
    ["merges in a circle", "a: &a\n  <<: &b\n    <<: *a\n  0x10: 1\n", ""],
    ["a map as key", "? [1, 2]\n: 3", "CF-102"],
  ])("handles %s", async (_, text, code) => {
    const { diagnostics } = await read(text);
    expect(diagnostics[0]?.code ?? "").toBe(code);
  });

  it("reports every key that is written twice", async () => {
    const { text } = unmark("a: 1\nb:\n  c: 1\n  «c»: 2\n«a»: 2\n");
    const { diagnostics } = await read(text);
    expect(diagnostics.map(({ span }) => span && [span.start, spanText(span)])).toEqual([
      [17, "c"],
      [22, "a"],
    ]);
    expect(diagnostics.every(({ labels }) => labels?.length === 1)).toBe(true);
  });

  it("ends on any text, with a tree or with diagnostics whose places lie inside the text", async () => {
    const yamlish = fc.array(
      fc.constantFrom(
        "a:",
        " ",
        "  ",
        "\n",
        "- ",
        "[",
        "]",
        "{",
        "}",
        "&x ",
        "*x",
        "<<: ",
        '"',
        "'",
        "|\n",
        "# ",
        "b",
        ": ",
        "? ",
        "!t ",
        "---\n",
        "\t",
        "\r",
        "😀",
      ),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          yamlish.map((parts) => parts.join("")),
          fc.string({ maxLength: 60 }),
        ),
        async (text) => {
          const source = createSourceFile("config.yml", text);
          const { root, diagnostics } = await readYaml(source);
          expect(root !== undefined || diagnostics.length > 0).toBe(true);
          for (const { span, message } of diagnostics) {
            expect(message).not.toBe("");
            if (span) expect(span.end).toBeLessThanOrEqual(source.text.length);
          }
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });
});

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

  it("loads or is refused with a typed error, whatever its content", async () => {
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
      { numRuns: propertyRuns(10) },
    );
  });
});

describe("a null in the settings of a program", () => {
  const yaml = "instructions:\n  - type: general\n    content: be brief\nlowest_temperature: 0.4\n";

  it.each([["instructions"], ["lowest_temperature"]])("resets `%s` of the YAML", async (key) => {
    const unset = await load({ yaml, config: { [key]: null } });
    const never = await load({ yaml: "models: []" });
    const settings = (guardrails: Guardrails) => guardrails.config.settings as unknown as Record<string, unknown>;
    expect(settings(unset)[key]).toEqual(settings(never)[key]);
  });

  it("resets a setting of an imported file", async () => {
    const files = { "config.yml": "import_paths: [other]\n", "other/config.yml": "lowest_temperature: 0.4\n" };
    const { config } = await load({ files, config: { lowest_temperature: null } });
    expect(config.settings.lowest_temperature).not.toBe(0.4);
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Every position of the schema, with the required values around it. */
function wraps(schema: Schema, wrap: (value: unknown) => unknown = (value) => value): ((value: unknown) => unknown)[] {
  if (schema.anyOf) return [wrap, ...schema.anyOf.flatMap((option) => wraps(option, wrap).slice(1))];
  const found = [wrap];
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    found.push(...wraps(child, (value) => wrap({ [key]: value })));
  }
  if (schema.items) found.push(...wraps(schema.items, (value) => wrap([value])));
  if (typeof schema.additionalProperties === "object") {
    found.push(...wraps(schema.additionalProperties, (value) => wrap({ any: value })));
  }
  return found;
}

const VALUES = [null, 7, true, "text", [7], {}, { deep: { er: 1 } }, Number.NaN, () => 1];

/** Messages that mention internals of the package. */
function unclear(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter(
    ({ message, path }) => path === "" || /undefined|\[object|Invalid input|NaN expected/.test(message),
  );
}

describe("a value of any type at any place", () => {
  const places = wraps(configJsonSchema() as Schema);
  const named = VALUES.map((value) => [
    typeof value === "function" ? "a function" : String(JSON.stringify(value)),
    value,
  ]);

  it("covers every setting", () => expect(places.length).toBeGreaterThan(300));

  it.each(named)("matches the schema or gives a message: %s", (_, value) => {
    const problems: Diagnostic[] = [];
    for (const place of places) {
      const root = rawFromValue(place(value), problems);
      if (root.kind === "map") problems.push(...checkShape(root).diagnostics);
    }
    expect(unclear(problems)).toEqual([]);
  });

  it.each(named)("is accepted or refused when loading: %s", async (_, value) => {
    for (const place of places.filter((_place, index) => index % 30 === 0)) {
      try {
        const { settings } = await loadConfigFromContent({ config: place(value) }, { env: {} });
        expect(Object.isFrozen(settings)).toBe(true);
      } catch (error) {
        if (!ConfigError.isInstance(error)) throw error;
        expect(unclear(error.diagnostics)).toEqual([]);
      }
    }
  });
});
