import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, afterAll } from "@jest/globals";
import { configJsonSchema } from "../../src/config/schema/json-schema.js";
import { RAIL_SETTING_KEYS } from "../../src/config/schema/rail-config.js";
// @ts-expect-error a script without types
import { formatConfigurationPage } from "../../scripts/docs/configuration-page.mjs";
import type { ParsedSettings } from "../../src/config/schema/settings-schema.js";
import type { RailsSettings } from "../../src/config/settings.js";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import { formatDiagnostics } from "../../src/diagnostics/code-frame.js";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { parseGolden, printGolden } from "../support/golden-runner.js";
import { engineLoadOptions } from "../../src/runtime/create/runtime-input.js";
import { parseFlowReference } from "../../src/engine/flow-reference.js";
import { combineConfigs } from "../../src/config/merge/combine.js";
import type { RailsConfig } from "../../src/config/rails-config.js";
import { spanText } from "../../src/diagnostics/source-file.js";

/** Every key of the specification's tables. INVARIANT: a key that is documented is in the schema, and so has a meaning. */
const KEYS = `
colang_version models user_messages bot_messages flows instructions[].type instructions[].content docs[].format
docs[].content actions_server_url sample_conversation prompts prompting_mode import_paths lowest_temperature
enable_multi_step_generation custom_data knowledge_base core rails streaming enable_rails_exceptions passthrough
event_source_uid tracing metrics.enabled raw_llm_call_action limits messages actions security history llm_flows

models[].type models[].engine models[].model models[].parameters models[].mode models[].api_key_env_var
models[].cache.enabled models[].cache.maxsize models[].cache.stats.enabled models[].cache.stats.log_interval

prompts[].task prompts[].content prompts[].messages prompts[].models prompts[].mode prompts[].output_parser
prompts[].max_length prompts[].stop prompts[].max_tokens

rails.input.flows rails.input.parallel rails.input.speculative rails.input.speculative_generation
rails.output.flows rails.output.parallel rails.output.streaming.enabled rails.output.streaming.mode
rails.output.streaming.chunk_size rails.output.streaming.context_size rails.output.streaming.stream_first
rails.output.apply_to_reasoning_traces rails.retrieval.flows rails.dialog.single_call.enabled
rails.dialog.single_call.fallback_to_multiple_calls rails.dialog.user_messages.embeddings_only
rails.dialog.user_messages.embeddings_only_similarity_threshold
rails.dialog.user_messages.embeddings_only_fallback_intent rails.dialog.user_messages.match_threshold
rails.actions.instant_actions rails.tool_output.flows rails.tool_output.parallel rails.tool_output.per_tool
rails.tool_input.flows rails.tool_input.parallel rails.tool_input.per_tool

rails.config.fact_checking.parameters.endpoint rails.config.fact_checking.fallback_to_self_check
rails.config.autoalign.parameters.endpoint rails.config.autoalign.parameters.fact_check_endpoint
rails.config.autoalign.parameters.groundedness_check_endpoint
rails.config.autoalign.input.guardrails_config rails.config.autoalign.output.guardrails_config
rails.config.patronus.input.evaluate_config.success_strategy rails.config.patronus.output.evaluate_config.params
rails.config.sensitive_data_detection.recognizers rails.config.sensitive_data_detection.input.entities
rails.config.sensitive_data_detection.output.mask_token
rails.config.sensitive_data_detection.retrieval.score_threshold
rails.config.jailbreak_detection.server_endpoint rails.config.jailbreak_detection.length_per_perplexity_threshold
rails.config.jailbreak_detection.prefix_suffix_perplexity_threshold rails.config.jailbreak_detection.nim_base_url
rails.config.jailbreak_detection.nim_server_endpoint rails.config.jailbreak_detection.api_key
rails.config.jailbreak_detection.api_key_env_var rails.config.jailbreak_detection.nim_url
rails.config.jailbreak_detection.nim_port rails.config.jailbreak_detection.embedding
rails.config.injection_detection.injections rails.config.injection_detection.action
rails.config.injection_detection.yara_path rails.config.injection_detection.yara_rules
rails.config.privateai.server_endpoint rails.config.privateai.input.entities rails.config.privateai.output.entities
rails.config.privateai.retrieval.entities rails.config.private_ai_detection
rails.config.fiddler.fiddler_endpoint rails.config.fiddler.safety_threshold
rails.config.fiddler.faithfulness_threshold
rails.config.clavata.server_endpoint rails.config.clavata.policies rails.config.clavata.label_match_logic
rails.config.clavata.input.policy rails.config.clavata.output.labels
rails.config.pangea.input.recipe rails.config.pangea.output.recipe rails.config.crowdstrike_aidr
rails.config.trend_micro.v1_url rails.config.trend_micro.api_key_env_var
rails.config.ai_defense.timeout rails.config.ai_defense.fail_open
rails.config.guardrails_ai.validators[].name rails.config.guardrails_ai.validators[].parameters
rails.config.guardrails_ai.validators[].metadata rails.config.guardrails_ai.input.validators
rails.config.guardrails_ai.output.validators
rails.config.content_safety.multilingual.enabled rails.config.content_safety.multilingual.refusal_messages
rails.config.regex_detection.input.patterns rails.config.regex_detection.output.case_insensitive
rails.config.regex_detection.retrieval.mask_token
rails.config.gliner.server_endpoint rails.config.gliner.threshold rails.config.gliner.chunk_length
rails.config.gliner.overlap rails.config.gliner.flat_ner rails.config.gliner.api_key
rails.config.gliner.input.entities rails.config.polygraf.server_endpoint rails.config.polygraf.output.entities
rails.config.hf_classifier.*.engine rails.config.hf_classifier.*.model rails.config.hf_classifier.*.task
rails.config.hf_classifier.*.threshold rails.config.hf_classifier.*.blocked_labels
rails.config.hf_classifier.*.base_url rails.config.hf_classifier.*.api_key_env_var
rails.config.hf_classifier.*.parameters.timeout rails.config.hf_classifier.*.parameters.verify_ssl
rails.config.hf_classifier.*.parameters.ca_cert rails.config.hf_classifier.*.parameters.client_cert
rails.config.hf_classifier.*.parameters.client_key
rails.config.context_bloat_detection.max_chars rails.config.context_bloat_detection.min_chars
rails.config.context_bloat_detection.min_entropy rails.config.context_bloat_detection.max_repetition_ratio
rails.config.context_bloat_detection.ngram_size rails.config.context_bloat_detection.max_run_ratio
rails.config.context_bloat_detection.action
rails.config.cel.tool_output.*.expressions rails.config.cel.tool_input.*.expressions
rails.config.tools.allowed rails.config.tools.forbidden_in_arguments rails.config.tools.forbidden_in_results
rails.config.tools.per_tool.*.arguments rails.config.tools.per_tool.*.result
rails.config.tools.per_tool.*.forbidden_in_arguments rails.config.tools.per_tool.*.forbidden_in_results

knowledge_base.folder knowledge_base.embedding_search_provider.name
core.embedding_search_provider.name core.embedding_search_provider.parameters
core.embedding_search_provider.cache.enabled core.embedding_search_provider.cache.key_generator
core.embedding_search_provider.cache.store core.embedding_search_provider.cache.store_config
embedding_search_provider sensitive_data_detection

limits.events_per_turn limits.llm_calls_per_turn limits.slide_steps messages.internal_error messages.action_missing
messages.no_answer actions.timeout_ms actions.ignore_errors security.check_all_user_messages
history.recover_intents llm_flows.allowed_actions
tracing.enabled tracing.adapters[].name tracing.span_format tracing.enable_content_capture
`
  .trim()
  .split(/\s+/);

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly default?: unknown;
  readonly deprecated?: boolean;
  readonly required?: readonly string[];
  readonly type?: string | readonly string[];
  readonly "x-unit"?: string;
}

function alternatives(schema: Schema): readonly Schema[] {
  return schema.anyOf ? schema.anyOf.flatMap(alternatives) : [schema];
}

function isSection(schema: Schema): boolean {
  return alternatives(schema).some(({ type }) => type === "object");
}

function find(root: Schema, key: string): Schema | undefined {
  let current: Schema | undefined = root;
  for (const part of key.replaceAll("[]", ".[]").split(".")) {
    current = alternatives(current ?? {})
      .map(({ properties, additionalProperties, items }): Schema | undefined => {
        if (part === "[]") return items;
        if (part === "*") return typeof additionalProperties === "object" ? additionalProperties : undefined;
        return properties && Object.hasOwn(properties, part) ? properties[part] : undefined;
      })
      .find((found) => found !== undefined);
  }
  return current;
}

describe("the JSON Schema", () => {
  const schema = configJsonSchema() as Schema;

  it.each(KEYS)("has %s", (key) => {
    expect(find(schema, key)).toBeDefined();
  });

  it("has a description of every key, a unit of every number and a default of every optional setting", () => {
    const missing: string[] = [];
    const visit = (current: Schema, path: string): void => {
      for (const option of alternatives(current)) {
        for (const [key, child] of Object.entries(option.properties ?? {})) {
          if (!child.description) missing.push(`${path}.${key}`);
          const isNumber = alternatives(child).some(({ type }) => type === "number" || type === "integer");
          if (isNumber && !alternatives(child).some((choice) => choice["x-unit"]))
            missing.push(`unit of ${path}.${key}`);
          if (
            !option.required?.includes(key) &&
            !isSection(child) &&
            !child.deprecated &&
            child.default === undefined
          ) {
            missing.push(`default of ${path}.${key}`);
          }
          visit(child, path === "" ? key : `${path}.${key}`);
        }
        if (option.items) visit(option.items, `${path}[]`);
        if (typeof option.additionalProperties === "object") visit(option.additionalProperties, `${path}.*`);
      }
    };
    visit(schema, "");
    expect(missing).toEqual([]);
  });

  it("is strict, names itself, and is plain JSON", () => {
    expect(schema).toMatchObject({ $id: "urn:langchain-guardrails:config", additionalProperties: false });
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    expect(RAIL_SETTING_KEYS).toEqual(expect.arrayContaining(["tools", "secrets_detection", "hf_classifier"]));
  });
});

describe("docs/configuration.md", () => {
  it("is current (npm run docs)", () => {
    const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    expect(page).toBe(formatConfigurationPage(configJsonSchema()));
  });
});

describe("types", () => {
  type Mutable<T> = T extends (infer E)[] | readonly (infer E)[]
    ? Mutable<E>[]
    : T extends object
      ? { -readonly [K in keyof T]: Mutable<T[K]> }
      : T;
  type Same<A, B> = [Mutable<A>] extends [Mutable<B>] ? ([Mutable<B>] extends [Mutable<A>] ? true : false) : false;

  it("of the schema's output are the settings", () => {
    const same: Same<Omit<ParsedSettings, "docs">, RailsSettings> = true;
    // @ts-expect-error the documents are not part of the settings
    const different: Same<ParsedSettings, RailsSettings> = true;
    expect([same, different]).toEqual([true, true]);
  });
});

describe("importing the loader", () => {
  it("loads neither zod nor js-yaml nor modules of the platform before a configuration is loaded", () => {
    const seen = new Set<string>();
    const heavy: string[] = [];
    const visit = (url: URL): void => {
      if (seen.has(url.href)) return;
      seen.add(url.href);
      const source = readFileSync(fileURLToPath(url), "utf8");
      for (const [, target = ""] of source.matchAll(/^(?:import|export) (?!type )[^;]*? from "([^"]+)"/gm)) {
        if (target.startsWith(".")) visit(new URL(target.replace(/\.js$/, ".ts"), url));
        else heavy.push(target);
      }
    };
    visit(new URL("../../src/config/load/load.ts", import.meta.url));
    expect(heavy).toEqual([]);
    expect(seen.size).toBeGreaterThan(20);
  });
});

/**
 * Configurations and their diagnostics. A line `=== path` begins a file; text before the first one is `config.yml`.
 * `UPDATE_GOLDEN=1` rewrites the files.
 */
const directory = fileURLToPath(new URL("../golden/config/", import.meta.url));
const update = process.env["UPDATE_GOLDEN"] === "1";

describe.each(readdirSync(directory).sort())("config/%s", (file) => {
  const path = `${directory}${file}`;
  const cases = parseGolden(readFileSync(path, "utf8"));
  const results = [...cases];
  it.each(cases.map((golden, index) => [golden.title, golden, index] as const))("%s", async (_, golden, index) => {
    const expected = await report(filesOf(golden.source));
    if (update) results[index] = { ...golden, expected };
    else expect(expected).toBe(golden.expected);
  });
  afterAll(() => {
    if (update) writeFileSync(path, printGolden(results));
  });
});

function filesOf(source: string): Record<string, string> {
  const files: Record<string, string> = {};
  let name = "config.yml";
  for (const line of source.split("\n")) {
    if (line.startsWith("=== ")) files[(name = line.slice(4).trim())] ??= "";
    else files[name] = `${files[name] ?? ""}${line}\n`;
  }
  return files;
}

async function report(files: Record<string, string>): Promise<string> {
  try {
    const config = await loadConfigFromContent(
      { files },
      { env: {}, builtInTasks: new Set(["self_check_input"]), allowCode: false },
    );
    return formatDiagnostics(config.warnings) || "fine";
  } catch (error) {
    if (!ConfigError.isInstance(error)) throw error;
    // The expected text leaves out the folder of the tests.
    return error.message.replaceAll(process.cwd(), "<here>");
  }
}

/** Loads settings with `«»` around the text that must be underlined. */
async function problemsOf(marked: string): Promise<unknown> {
  try {
    await loadConfigFromContent({ yaml: marked.replaceAll(/[«»]/g, "") }, engineLoadOptions());
    return "loaded";
  } catch (error) {
    if (!ConfigError.isInstance(error)) throw error;
    return error.diagnostics.map(({ code, span, hint }) => [
      code,
      span?.source.text.slice(span.start, span.end),
      span?.source.text.slice(0, span.start).split("\n").length,
      hint,
    ]);
  }
}

// cspell:ignore outptu intnet mesage gaurd
const prompts = (task: string): string => `models: []\nprompts:\n  - task: ${task}\n    content: "{{ user_input }}?"\n`;

describe("a prompt for a task", () => {
  it.each([
    ["«self_check_inptu»", "self_check_input"],
    ["«self_check_outptu»", "self_check_output"],
    ["«self_check_fact»", "self_check_facts"],
    ["«generate_user_intnet»", "generate_user_intent"],
    ["«generate_bot_mesage»", "generate_bot_message"],
    ["«tool_safety_check_inptu»", "tool_safety_check_input"],
  ])("that nothing uses is an error that suggests a similar name: %s", async (task, near) => {
    const name = task.slice(1, -1);
    expect(await problemsOf(prompts(task))).toEqual([["PR-108", name, 3, `did you mean \`${near}\`?`]]);
  });

  it.each(["self_check_input", "general", "my_own_classifier", "zebra"])("is accepted as it is: %s", async (task) => {
    expect(await problemsOf(prompts(task))).toBe("loaded");
  });

  it("is accepted if a rail names it as its variant", async () => {
    const rails = "rails: {input: {flows: [self check input $variant=self_check_inputs]}}\n";
    expect(await problemsOf(`${rails}${prompts("self_check_inputs")}`)).toBe("loaded");
  });
});

describe("a model that a rail names", () => {
  const models = "models: [{type: guard, engine: openai, model: m}]\n";

  it.each([
    "rails: {input: {flows: [«check it $model=gaurd»]}}",
    "rails: {output: {flows: [«check it $model=gaurd»]}}",
    "rails: {retrieval: {flows: [«check it $model=gaurd»]}}",
    "rails: {tool_output: {flows: [«check it $model=gaurd»]}}",
    "rails: {tool_input: {flows: [«check it $model=gaurd»]}}",
    "rails: {tool_output: {per_tool: {pay: [«check it $model=gaurd»]}}}",
    "rails: {tool_input: {per_tool: {pay: [«check it $model=gaurd»]}}}",
  ])("is one of the configuration: %s", async (rails) => {
    const found = await problemsOf(`${models}${rails}`);
    expect(found).toEqual([["CF-111", "check it $model=gaurd", 2, "did you mean `guard`?"]]);
    expect(await problemsOf(`${models}${rails.replace("gaurd", "guard")}`)).toBe("loaded");
  });

  it("needs a prompt for its variant on tools, too", async () => {
    const found = await problemsOf("rails: {tool_output: {flows: [«tool safety check tool output $variant=nope»]}}");
    expect(found).toMatchObject([["PR-105", "tool safety check tool output $variant=nope", 1, expect.anything()]]);
  });
});

describe("a reference to a rail", () => {
  it.each<[string, string, [string, string | null][]]>([
    ["self check input", "self check input", []],
    ["  self   check input ", "self check input", []],
    ["check $model=guard", "check", [["model", "guard"]]],
    ['check $model="my guard"', "check", [["model", "my guard"]]],
    [
      "check $a=1 $b=2",
      "check",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    [
      "check $a=1, $b=2",
      "check",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    ["check $flag", "check", [["flag", null]]],
    [
      'check(a=1, b="x, y")',
      "check",
      [
        ["a", "1"],
        ["b", "x, y"],
      ],
    ],
    ["check($a='1')", "check", [["a", "1"]]],
    ["check()", "check", []],
    ["check(a=b=c)", "check", [["a", "b=c"]]],
    ["check(a=1", "check", [["a", "1"]]],
    ['check $price="5 $ off"', "check", [["price", "5 $ off"]]],
    ["", "", []],
  ])("%j", (text, id, parameters) => {
    const reference = parseFlowReference(text);
    expect(reference.id).toBe(id);
    expect(reference.parameters.map(({ name, value }) => [name, value])).toEqual(parameters);
  });
});

const load = (yaml: string, colang?: string): Promise<RailsConfig> =>
  loadConfigFromContent({ yaml, ...(colang === undefined ? {} : { colang }) }, { env: {} });

describe("two configurations", () => {
  it("keep the rails of the first before those of the second, each once", async () => {
    const a = await load("rails: { input: { flows: [one, two] } }\nlowest_temperature: 0.1", "define bot a\n");
    const b = await load("rails: { input: { flows: [two, three], parallel: true } }", "define bot b\n");
    const both = await combineConfigs(a, b, { env: {} });
    expect(both.settings.rails.input).toEqual({
      flows: ["one", "two", "three"],
      shadow: [],
      parallel: true,
      speculative: false,
    });
    expect(both.settings.lowest_temperature).toBe(0.1);
    expect(both.colang.map(({ source }) => source.text)).toEqual(["define bot a\n", "define bot b\n"]);
    const span = both.spanOf(["rails", "input", "flows", 2]);
    expect(span && spanText(span)).toBe("three");
  });

  it("use what the second sets and not its defaults", async () => {
    const a = await load("lowest_temperature: 0.1\nprompting_mode: compact\ncustom_data: { a: 1, b: 1 }");
    const b = await load("lowest_temperature: 0.2\ncustom_data: { b: 2 }");
    const { settings } = await combineConfigs(a, b, { env: {} });
    expect(settings).toMatchObject({ lowest_temperature: 0.2, prompting_mode: "compact", custom_data: { a: 1, b: 2 } });
  });

  it("share an equal model of one type", async () => {
    const main = "models: [{ type: main, engine: openai, model: m";
    const a = await load(`${main}, parameters: { temperature: 0 } }]`);
    const b = await load(`${main} }, { type: guard, engine: nim, model: g }]`);
    const { settings } = await combineConfigs(a, b, { env: {} });
    expect(settings.models.map(({ type, parameters }) => [type, parameters])).toEqual([
      ["main", { temperature: 0 }],
      ["guard", {}],
    ]);
  });

  it("share a document that both hold", async () => {
    const load = (files: Record<string, string>) => loadConfigFromContent({ files }, { env: {} });
    const same = { "config.yml": "models: []", "kb/hours.md": "# Hours" };
    const a = await load({ ...same, "kb/prices.md": "# Prices" });
    const b = await load({ ...same, "kb/prices.md": "# Other prices" });
    const { documents } = await combineConfigs(a, b, { env: {} });
    expect(documents.map(({ content }) => content)).toEqual(["# Hours", "# Prices", "# Other prices"]);
  });

  it.each([
    [
      "models",
      "models: [{ type: main, engine: openai, model: a }]",
      "models: [{ type: main, engine: openai, model: b }]",
    ],
    ["action servers", "actions_server_url: http://a", "actions_server_url: http://b"],
  ])("with different %s cannot be merged", async (_, first, second) => {
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
