import { describe, expect, it } from "@jest/globals";

import { type ConfigContent, type LoadOptions } from "../../src/config/load/load-options.js";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import type { RailsConfig } from "../../src/config/rails-config.js";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { spanText } from "../../src/diagnostics/source-file.js";

const load = (content: ConfigContent, options: LoadOptions = {}): Promise<RailsConfig> =>
  loadConfigFromContent(content, { env: {}, ...options });

async function failure(content: ConfigContent, options: LoadOptions = {}): Promise<ConfigError> {
  try {
    await load(content, options);
  } catch (error) {
    if (ConfigError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("loaded without an error");
}

const codes = (error: ConfigError): string[] => error.diagnostics.map(({ code }) => code);

describe("values that are not content", () => {
  it.each<[string, unknown, string, string]>([
    [
      "settings without `config`",
      { rails: {} },
      "got the key `rails`",
      "settings belong under `config`: `{ config: { rails: … } }`",
    ],
    ["a mistyped key", { colnag: "" }, "got the key `colnag`", "did you mean `colang`?"],
    [
      "an empty object",
      {},
      "expected a configuration, got an empty object",
      "pass `{ yaml, colang }`, `{ files }` or `{ config }`",
    ],
    ["text", "models: []", "expected a configuration as an object, got a string", "pass `{ yaml, colang }`"],
    ["a list", [], "expected a configuration as an object, got an array", "pass `{ yaml, colang }`"],
  ])("is refused: %s", async (_, content, message, hint) => {
    const { diagnostics } = await failure(content as ConfigContent);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]?.message).toContain(message);
    expect(diagnostics[0]?.hint).toContain(hint);
  });
});

describe("defaults", () => {
  it("fills every section of an empty configuration", async () => {
    const { settings } = await load({ yaml: "" });
    expect(settings).toMatchObject({
      colang_version: "1.0",
      models: [],
      lowest_temperature: 0,
      passthrough: null,
      prompting_mode: "standard",
      raw_llm_call_action: "raw llm call",
      rails: {
        input: { flows: [], parallel: null, speculative: false },
        output: {
          streaming: { enabled: null, mode: "window", chunk_size: 64, context_size: 32, stream_first: false },
        },
        dialog: { single_call: { enabled: null, fallback_to_multiple_calls: true } },
        config: {},
      },
      knowledge_base: { folder: "kb" },
      limits: { events_per_turn: 1000, llm_calls_per_turn: 50, slide_steps: 10_000, call_depth: 64 },
      actions: { timeout_ms: 60_000, ignore_errors: false },
      security: { check_all_user_messages: true },
      history: { recover_intents: false },
      llm_flows: { allowed_actions: [] },
    });
  });

  it("writes the sample conversation as five turns of user, intent, bot, message", async () => {
    const { settings } = await load({ yaml: "" });
    const lines = settings.sample_conversation.trimEnd().split("\n");
    const turn = [/^user ".+"$/, /^ {2}[a-z ]+$/, /^bot [a-z ]+$/, /^ {2}".+"$/];
    expect(lines).toHaveLength(20);
    for (const [index, line] of lines.entries()) expect(line).toMatch(turn[index % 4] ?? /^$/);
    expect(settings.instructions[0]?.type).toBe("general");
  });

  it.each(["instructions: []", "instructions:", 'sample_conversation: ""', "sample_conversation: |\n  \n", "{}"])(
    "takes the default for a setting that is empty: %j",
    async (yaml) => {
      const { settings } = await load({ yaml });
      const { instructions, sample_conversation } = (await load({ yaml: "" })).settings;
      expect(settings).toMatchObject({ instructions, sample_conversation });
    },
  );

  it("completes models and prompts", async () => {
    const { settings } = await load({
      yaml: `
models:
  - type: main
    engine: openai
    parameters: { model: gpt-4o-mini, temperature: 0.2 }
prompts:
  - task: fact_checking
    messages:
      - { type: system, content: Judge. }
      - { type: bot, content: Yes. }
      - "{{ history | to_chat_messages }}"
`,
    });
    expect(settings.models).toEqual([
      {
        type: "main",
        engine: "openai",
        model: "gpt-4o-mini",
        parameters: { temperature: 0.2 },
        mode: "chat",
        images: null,
        api_key_env_var: null,
        cache: { enabled: false, maxsize: 50_000, stats: { enabled: false, log_interval: null } },
      },
    ]);
    expect(settings.prompts).toEqual([
      {
        task: "self_check_facts",
        content: null,
        messages: [
          { type: "system", content: "Judge." },
          { type: "assistant", content: "Yes." },
          "{{ history | to_chat_messages }}",
        ],
        models: null,
        mode: "standard",
        output_parser: null,
        max_length: 16_000,
        max_prompt_tokens: null,
        stop: null,
        max_tokens: null,
      },
    ]);
  });

  it("freezes the settings deeply", async () => {
    const { settings } = await load({
      yaml: "models: [{ type: main, engine: openai, model: m, parameters: { a: { b: 1 } } }]",
    });
    const deep = settings.models[0]?.parameters["a"] as { b: number };
    expect(() => {
      deep.b = 2;
    }).toThrow(TypeError);
    expect(Object.isFrozen(settings.rails.input.flows)).toBe(true);
  });
});

describe("data with user-defined keys", () => {
  it.each(["user_messages", "bot_messages", "custom_data"] as const)("keeps %s without a prototype", async (key) => {
    const { settings } = await load({ yaml: `${key}:\n  constructor: [x]\n` });
    expect(Object.getPrototypeOf(settings[key])).toBeNull();
    expect(Object.keys(settings[key])).toEqual(["constructor"]);
    expect((settings[key] as Record<string, unknown>)["toString"]).toBeUndefined();
  });

  it("refuses `__proto__` in data too", async () => {
    const error = await failure({
      config: JSON.parse('{"custom_data": {"__proto__": {"polluted": true}}}') as unknown,
    });
    expect(error.message).toContain("`__proto__` is not allowed");
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("accepts one text for several", async () => {
    const { settings } = await load({ yaml: "bot_messages:\n  express greeting: Hi!\n" });
    expect(settings.bot_messages).toEqual({ "express greeting": ["Hi!"] });
  });
});

describe("settings as data", () => {
  it("override the YAML and keep instances of classes", async () => {
    const instance = new URL("http://localhost:1");
    const { settings } = await load({
      yaml: "lowest_temperature: 0.1\nrails: { input: { flows: [a] } }",
      config: {
        lowest_temperature: 0.2,
        rails: { input: { flows: ["b"] } },
        models: [{ type: "main", engine: "openai", model: "m", parameters: { client: instance } }],
      },
    });
    expect(settings.lowest_temperature).toBe(0.2);
    expect(settings.rails.input.flows).toEqual(["a", "b"]);
    expect(settings.models[0]?.parameters["client"]).toBe(instance);
    expect(Object.isFrozen(instance)).toBe(false);
  });

  it.each<[string, unknown, string]>([
    ["no object", 7, "CF-104"],
    ["a list", [], "CF-104"],
    // cspell:ignore modles
    ["an unknown key", { modles: [] }, "CF-103"],
    ["a function", { sample_conversation: () => "hi" }, "CF-104"],
  ])("refuse %s", async (_, config, code) => {
    expect(codes(await failure({ config }))).toEqual([code]);
  });

  it("refuse data that contains itself or nests endlessly", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["custom_data"] = { again: cyclic };
    expect((await failure({ config: cyclic })).message).toContain("settings must not contain themselves");
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level += 1) deep = [deep];
    expect((await failure({ config: { custom_data: { deep } } })).message).toContain("deeper than 100 levels");
  });

  it.each([
    ["tool_call", "calls", "tool_output"],
    ["tool_result", "results", "tool_input"],
  ])("suggest the section that `rails.%s` means", async (key, what, section) => {
    const error = await failure({ config: { rails: { [key]: { flows: [] } } } });
    expect(error.message).toContain(`hint: rails on tool ${what} belong under \`${section}\``);
  });

  it("name a path if no text can be underlined", async () => {
    const error = await failure({ config: { rails: { inptu: {} } } });
    expect(error.message).toBe(
      "error[CF-103]: unknown key `inptu` in `rails`\n  at rails.inptu\n  hint: did you mean `input`?",
    );
  });
});

describe("files in memory", () => {
  it("are sorted into settings, flows and documents", async () => {
    const config = await load({
      files: {
        "rails/b.co": 'define bot b\n  "b"',
        "./rails/a.co": 'define bot a\n  "a"',
        "config.yml": "models: []",
        "prompts.yaml": "prompts: [{ task: general, content: x }]",
        "kb/shop/prices.md": "# Prices",
        "kb/notes.yml": "anything: goes",
        "kbs/other.md": "# not a document of the knowledge base",
        "node_modules/pkg/config.yml": "no: settings",
        ".hidden/config.yml": "no: settings",
      },
    });
    expect(config.colang.map(({ source, origin }) => [source.name, origin])).toEqual([
      ["rails/a.co", "root"],
      ["rails/b.co", "root"],
    ]);
    expect(config.documents).toEqual([{ path: "kb/shop/prices.md", format: "md", content: "# Prices" }]);
    expect(config.settings.prompts).toHaveLength(1);
    expect(config.path).toBeUndefined();
  });

  it("support another folder of documents, and documents in the settings", async () => {
    const config = await load({
      files: {
        "config.yml": "knowledge_base: { folder: docs/ }\ndocs: [{ format: md, content: inline }]",
        "docs/a.md": "a",
        "kb/b.md": "b",
      },
    });
    expect(config.documents.map(({ content }) => content)).toEqual(["a", "inline"]);
  });

  it("leave out what `.railsignore` names", async () => {
    const config = await load({
      files: {
        ".railsignore": "# drafts\n*.draft.co\n\nold/\n",
        "main.co": "",
        "new.draft.co": "",
        "old/main.co": "",
        "old/deep/main.co": "",
      },
    });
    expect(config.colang.map(({ source }) => source.name)).toEqual(["main.co"]);
  });

  it("must not leave their folder, occur twice, or be anything but text", async () => {
    const files = { "../config.yml": "", "config.yml": "", "a.co": 1 as unknown as string };
    const error = await failure({ yaml: "models: []", files });
    expect(codes(error).sort()).toEqual(["CF-101", "CF-104", "CF-106"]);
  });

  it("are bounded in number and size", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}.co`, ""]));
    expect(codes(await failure({ files: many }, { maxFiles: 20 }))).toEqual(["CF-118"]);
    expect(codes(await failure({ yaml: "#".repeat(5 * 1024 * 1024) }))).toEqual(["CF-118"]);
  });

  it("never run code", async () => {
    const error = await failure({ files: { "config.js": "export const init = () => {};" } });
    expect(codes(error)).toEqual(["CF-116"]);
  });
});

describe("merging files", () => {
  it("joins maps and lists; of scalars the later file wins with a warning", async () => {
    const config = await load({
      files: {
        "a.yml": "rails: { input: { flows: [one, two], parallel: true } }\nbot_messages: { hi: [a], bye: [a] }",
        "b.yml": "rails: { input: { flows: [two, three], parallel: false } }\nbot_messages: { hi: [b] }",
      },
    });
    expect(config.settings.rails.input).toMatchObject({ flows: ["one", "two", "three"], parallel: false });
    expect(config.settings.bot_messages).toEqual({ hi: ["b"], bye: ["a"] });
    expect(config.warnings.map(({ code }) => code)).toEqual(["CF-203", "CF-203"]);
    expect(config.warnings.map(({ span }) => span?.source.name)).toEqual(["a.yml", "a.yml"]);
  });

  it("keeps the first action server", async () => {
    const config = await load({
      files: { "a.yml": "actions_server_url: http://a", "b.yml": "actions_server_url: http://b" },
    });
    expect(config.settings.actions_server_url).toBe("http://a");
  });

  it("merges free data deeply and keeps equal values without a warning", async () => {
    const config = await load({
      files: {
        "a.yml": "custom_data: { shop: { city: Bonn } }",
        "b.yml": "custom_data: { shop: { city: Bonn, zip: 1 } }",
      },
    });
    expect(config.settings.custom_data).toEqual({ shop: { city: "Bonn", zip: 1 } });
    expect(config.warnings).toEqual([]);
  });
});

describe("imports in memory", () => {
  const colangImports: LoadOptions["colangImports"] = (source) => {
    const match = /^import (\S+)/m.exec(source.text);
    if (!match) return [];
    const start = match.index + "import ".length;
    return [{ path: match[1] ?? "", span: { source, start, end: start + (match[1] ?? "").length } }];
  };

  it("follow YAML and Colang, each once and in cycles", async () => {
    const config = await load(
      {
        files: {
          "main/config.yml": "import_paths: [../base]",
          "base/config.yml": "import_paths: [../main]\nlowest_temperature: 0.5",
        },
        yaml: "import_paths: [base]\nlowest_temperature: 0.1",
      },
      { colangImports },
    );
    expect(config.settings.lowest_temperature).toBe(0.1);
  });

  it("report a missing Colang import at its path", async () => {
    const error = await failure({ colang: "import shared/greetings\n" }, { colangImports });
    expect(codes(error)).toEqual(["CO-102"]);
    const span = error.diagnostics[0]?.span;
    expect(span && spanText(span)).toBe("shared/greetings");
    expect(error.diagnostics[0]?.hint).toContain("looked for `shared/greetings`");
  });
});

describe("models that the caller passes", () => {
  it("need neither name nor key, and rails may refer to them", async () => {
    const { settings } = await load(
      {
        yaml: `
models:
  - { type: main, engine: openai, api_key_env_var: MISSING }
rails: { input: { flows: ["content safety check input $model=guard"] } }`,
      },
      { suppliedModels: ["main", "guard"] },
    );
    expect(settings.models[0]?.model).toBeNull();
  });

  it("are otherwise configured by the environment", async () => {
    const yaml = "models: [{ type: main, engine: openai, model: m, api_key_env_var: KEY }]";
    await expect(load({ yaml }, { env: { KEY: "secret" } })).resolves.toBeDefined();
    expect(codes(await failure({ yaml }, { env: { KEY: "" } }))).toEqual(["CF-113"]);
    const inherited = "models: [{ type: main, engine: openai, model: m, api_key_env_var: toString }]";
    expect(codes(await failure({ yaml: inherited }))).toEqual(["CF-113"]);
  });
});

describe("places", () => {
  it("are kept for later stages, also after renaming", async () => {
    const config = await load({
      yaml: `
models:
  - type: main
    engine: openai
    parameters: { model_name: gpt-4o-mini }
rails:
  input:
    speculative_generation: no
    flows:
      - self check input
  output: *out
`.replace("*out", "{ flows: &out [self check output] }"),
    });
    const textAt = (...path: (string | number)[]): string | undefined => {
      const span = config.spanOf(path);
      return span && spanText(span);
    };
    expect(textAt("rails", "input", "flows", 0)).toBe("self check input");
    expect(textAt("rails", "input", "speculative")).toBe("no");
    expect(textAt("rails", "output", "flows", 0)).toBe("self check output");
    expect(textAt("models", 0, "model")).toBe("gpt-4o-mini");
    expect(textAt("limits", "events_per_turn")).toBeUndefined();
  });
});

describe("very many problems", () => {
  it("are reported up to a number, and the rest is counted (CF-000)", async () => {
    const keys = Array.from({ length: 150 }, (_, index) => `unknown_${index}: 1`);
    const error = await failure({ yaml: keys.join("\n") });
    expect(error.diagnostics).toHaveLength(101);
    expect(error.diagnostics.at(-1)).toMatchObject({ code: "CF-000", message: "50 more problems like these" });
  });
});
