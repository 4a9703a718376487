import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { HuggingFaceTransformersEmbeddings } from "@langchain/community/embeddings/huggingface_transformers";
import { ChatOpenAI, OpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { Guardrails } from "../../../src/index.js";
import type { ConfigContent } from "../../../src/config/load/load-options.js";
import type { RailsConfig } from "../../../src/config/rails-config.js";
import type { ModelSettings } from "../../../src/config/settings.js";
import { ConfigError } from "../../../src/diagnostics/errors.js";
import { ENGINES, UNIVERSAL_ENGINES, toConstructorFields } from "../../../src/langchain/models/engine-table.js";
import {
  buildEmbeddings,
  buildModels,
  type ImportModule,
  type ModelSources,
} from "../../../src/langchain/models/model-providers.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { scriptedServer } from "../../../src/testing/scripted-server.js";

const entry = (settings: Partial<ModelSettings>): ModelSettings => ({
  type: "main",
  engine: "openai",
  model: "gpt-4o-mini",
  parameters: {},
  mode: "chat",
  images: null,
  api_key_env_var: null,
  cache: { enabled: false, maxsize: 1, stats: { enabled: false, log_interval: null } },
  ...settings,
});

const provider = (parameters: object): object => ({ embedding_search_provider: { parameters } });

const configOf = (...models: Partial<ModelSettings>[]): RailsConfig => searching({}, ...models);

const searching = (parameters: object, ...models: Partial<ModelSettings>[]): RailsConfig =>
  ({
    settings: { models: models.map(entry), core: provider(parameters), knowledge_base: provider({}) },
    spanOf: () => undefined,
  }) as unknown as RailsConfig;

const key = { parameters: { api_key: "k" } };

async function problemsOf(
  config: RailsConfig,
  sources?: ModelSources,
  load?: ImportModule,
): Promise<readonly (string | undefined)[][]> {
  const error = await buildModels(config, sources, load).catch((thrown: unknown) => thrown);
  if (!ConfigError.isInstance(error)) throw error;
  return error.diagnostics.map(({ code, message, hint, path }) => [code, message, hint, path]);
}

describe("buildModels", () => {
  it("creates a working client with the parameters of the configuration", async () => {
    await using server = await scriptedServer(["ok"]);
    const parameters = { temperature: 0.2, max_tokens: 9, base_url: server.url, api_key: "k", max_retries: 0 };
    const { main } = await buildModels(configOf({ parameters }));
    expect(main).toMatchObject({ engine: "openai", name: "gpt-4o-mini", family: "chat" });
    expect((await main?.generate({ kind: "text", text: "hi" }, {}, {}))?.text).toBe("ok");
    expect(server.requests[0]?.body).toMatchObject({ model: "gpt-4o-mini", temperature: 0.2, max_tokens: 9 });
    expect(server.requests[0]?.headers["authorization"]).toBe("Bearer k");
  });

  it.each<[string, Partial<ModelSettings>, string]>([
    ["nim", {}, "https://integrate.api.nvidia.com/v1"],
    ["nvidia_ai_endpoints", {}, "https://integrate.api.nvidia.com/v1"],
    ["lm_studio", {}, "http://localhost:1234/v1"],
    ["vllm_openai", { parameters: { base_url: "http://gpu:8000/v1" } }, "http://gpu:8000/v1"],
    ["nim", { parameters: { base_url: "http://own:1/v1" } }, "http://own:1/v1"],
  ])("speaks OpenAI's protocol to %s", async (engine, settings, expected) => {
    const { main } = await buildModels(configOf({ engine, ...settings }));
    const native = main?.native as ChatOpenAI & { clientConfig: { baseURL: string } };
    expect(native).toBeInstanceOf(ChatOpenAI);
    expect(native.clientConfig.baseURL).toBe(expected);
    expect(native.useResponsesApi).toBe(false);
  });

  it("creates text models", async () => {
    const { main } = await buildModels(configOf({ mode: "text", model: "gpt-3.5-turbo-instruct", ...key }));
    expect(main?.native).toBeInstanceOf(OpenAI);
    expect(main?.family).toBe("text");
  });

  it.each([
    "gpt-3.5-turbo-instruct",
    "gpt-3.5-turbo-instruct-0914",
    "davinci-002",
    "babbage-002",
    "openai/davinci-002",
    "ft:babbage-002:org::id",
    "text-davinci-003",
  ])("refuses %s as a chat model, with a hint how to use it", async (model) => {
    expect(await problemsOf(configOf({ model, ...key }))).toEqual([
      ["CF-104", expect.stringContaining(model), expect.stringContaining("`mode: text`"), "models[0].model"],
    ]);
    expect((await buildModels(configOf({ model, mode: "text", ...key }))).main?.family).toBe("text");
  });

  it.each(["gpt-3.5-turbo", "my-davinci-002-chat", "gpt-4o-mini"])("accepts %s as a chat model", async (model) => {
    expect((await buildModels(configOf({ model, ...key }))).main?.family).toBe("chat");
  });

  const packages = [
    ...Object.entries(ENGINES).map(([engine, entry]) => [engine, entry.package] as const),
    ...Object.entries(UNIVERSAL_ENGINES),
  ].filter(([, name]) => name !== "@langchain/openai");

  it.each(packages)("names the package that the engine %s needs, and how to install it", async (engine, name) => {
    const load: ImportModule = async (path) => {
      throw Object.assign(new Error(`Cannot find package '${path}'`), { code: "ERR_MODULE_NOT_FOUND" });
    };
    const [problem] = await problemsOf(configOf({ engine, ...key }), {}, load);
    expect(problem).toEqual(["CF-114", expect.any(String), expect.any(String), "models[0].engine"]);
    expect(problem?.[1]).toContain(`engine \`${engine}\` needs`);
    expect(problem?.[1]).toContain(`\`${name}\``);
    expect(problem?.[2]).toMatch(new RegExp(`^npm install (?:.* )?${name}$`));
  });

  it("needs no `model` only for engines of the caller", async () => {
    const yaml = "models: [{ type: main, engine: mine }]";
    const native = scriptedModel(["hello"]);
    const guardrails = await Guardrails.fromConfig({ yaml }, { engines: { mine: () => native }, logger: false });
    await guardrails.generate("hi");
    expect(native.calls).toHaveLength(1);
    const replaced = { yaml: "models: [{ type: main, engine: openai }]" };
    await Guardrails.fromConfig(replaced, { engines: { openai: () => scriptedModel([]) }, logger: false });
    const problem = (config: ConfigContent) =>
      Guardrails.fromConfig(config, { logger: false }).catch((thrown: unknown) => thrown);
    expect(await problem(replaced)).toMatchObject({ diagnostics: [{ code: "CF-105" }] });
    expect(await problem({ yaml: "models: [{ type: main, engine: opnai }]" })).toMatchObject({
      diagnostics: [{ code: "CF-112", hint: "did you mean `openai`?" }],
    });
  });

  it("prefers given models; `llm` replaces only main", async () => {
    const [llm, guard] = [scriptedModel([]), scriptedModel([])];
    const config = configOf(
      { engine: "nonsense" },
      { type: "self_check_input", ...key },
      { type: "guard", engine: "nonsense" },
    );
    const { main, byType } = await buildModels(config, { llm, models: { guard } });
    expect(main?.native).toBe(llm);
    expect(byType["guard"]?.native).toBe(guard);
    expect(byType["self_check_input"]?.native).toBeInstanceOf(ChatOpenAI);
  });

  it("prefers custom engines to built-in ones", async () => {
    const native = scriptedModel([]);
    const seen: unknown[] = [];
    const engines = { mine: (request: unknown) => (seen.push(request), native) };
    const { main } = await buildModels(configOf({ engine: "mine", parameters: { a_b: 1 } }), { engines });
    expect(main?.native).toBe(native);
    expect(seen[0]).toMatchObject({ engine: "mine", model: "gpt-4o-mini", parameters: { a_b: 1 }, apiKey: undefined });
  });

  it("ignores embeddings", async () => {
    const config = configOf({ type: "embeddings", model: "text-embedding-3-small", ...key });
    expect((await buildModels(config)).byType).toEqual({});
    expect(await buildEmbeddings(config, "core")).toBeInstanceOf(OpenAIEmbeddings);
    expect(await buildEmbeddings(configOf(), "core")).toBeUndefined();
  });

  it("reports all problems at once, each with its position and hint", async () => {
    const problems = await problemsOf(
      configOf(
        { engine: "opnai" },
        { type: "a", engine: "anthropic" },
        { type: "b", api_key_env_var: "LANGCHAIN_GUARDRAILS_TEST_UNSET" },
        { type: "c", engine: "zzz-provider" },
        { type: "d", engine: "anthropic", mode: "text" },
      ),
    );
    expect(problems).toEqual([
      ["CF-112", "unknown engine `opnai`", "did you mean `openai`?", "models[0].engine"],
      [
        "CF-114",
        "engine `anthropic` needs `@langchain/anthropic`",
        "npm install @langchain/anthropic",
        "models[1].engine",
      ],
      [
        "CF-113",
        expect.stringContaining("LANGCHAIN_GUARDRAILS_TEST_UNSET"),
        expect.any(String),
        "models[2].api_key_env_var",
      ],
      ["CF-112", "unknown engine `zzz-provider`", expect.stringContaining("`llm`"), "models[3].engine"],
      ["CF-112", "engine `anthropic` has no text models", expect.any(String), "models[4].engine"],
    ]);
  });

  const local = { type: "embeddings", model: "all-MiniLM-L6-v2" };

  it.each<[string, RailsConfig, string]>([
    ["FastEmbed", configOf({ ...local, engine: "FastEmbed" }), "models[0].engine"],
    ["SentenceTransformers", configOf({ ...local, engine: "SentenceTransformers" }), "models[0].engine"],
    [
      "SentenceTransformers",
      searching({ embedding_engine: "SentenceTransformers" }),
      "core.embedding_search_provider.parameters.embedding_engine",
    ],
    [
      "FastEmbed",
      searching({ embedding_model: "all-MiniLM-L6-v2" }),
      "core.embedding_search_provider.parameters.embedding_model",
    ],
  ])("names what %s needs, and where it was requested", async (engine, config, path) => {
    const missing = (path: string) => import(`${path}-that-is-not-installed`);
    const error = await buildEmbeddings(config, "core", missing).catch((thrown: unknown) => thrown);
    if (!ConfigError.isInstance(error)) throw error;
    expect(error.diagnostics).toMatchObject([
      {
        code: "CF-114",
        message: `engine \`${engine}\` needs \`@langchain/community\` and \`@huggingface/transformers\``,
        hint: "npm install @langchain/community @huggingface/transformers; or leave it out, and words and letters are compared",
        path,
      },
    ]);
  });

  it("maps SentenceTransformers to the class of @langchain/community", async () => {
    const model = "sentence-transformers/all-mpnet-base-v2";
    const config = configOf({ ...local, engine: "SentenceTransformers", model, parameters: { batch_size: 8 } });
    const embeddings = await buildEmbeddings(config, "core");
    expect(embeddings).toBeInstanceOf(HuggingFaceTransformersEmbeddings);
    expect(embeddings).toMatchObject({ model: "Xenova/all-mpnet-base-v2" });
  });

  /** A package as it would be installed: it is imported from a folder, and makes no request. */
  async function withPackage(source: string, use: (load: ImportModule) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "package-"));
    const file = join(folder, "huggingface_transformers.mjs");
    await writeFile(file, source);
    const asked: string[] = [];
    try {
      await use((path) => (asked.push(path), import(pathToFileURL(file).href)));
      expect(asked).toEqual(["@langchain/community/embeddings/huggingface_transformers"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  const LOCAL_PACKAGE = `
    export class HuggingFaceTransformersEmbeddings {
      constructor(fields) { this.fields = fields; this.model = fields.model; }
      async embedQuery(text) { return [text.length]; }
      async embedDocuments(texts) { return texts.map((text) => [text.length]); }
    }`;

  it.each<[string, RailsConfig, object]>([
    ["FastEmbed", configOf({ ...local, engine: "FastEmbed" }), { model: "Xenova/all-MiniLM-L6-v2" }],
    ["no model", configOf({ ...local, engine: "FastEmbed", model: null }), { model: "Xenova/all-MiniLM-L6-v2" }],
    [
      "SentenceTransformers",
      configOf({ ...local, engine: "SentenceTransformers", model: "sentence-transformers/all-mpnet-base-v2" }),
      { model: "Xenova/all-mpnet-base-v2" },
    ],
    [
      "a model of another package, with parameters",
      configOf({ ...local, engine: "FastEmbed", model: "org/own-model", parameters: { batch_size: 8 } }),
      { model: "org/own-model", batchSize: 8 },
    ],
    ["only a model", searching({ embedding_model: "bge-small" }), { model: "Xenova/bge-small" }],
    ["only an engine", searching({ embedding_engine: "FastEmbed" }), { model: "Xenova/all-MiniLM-L6-v2" }],
  ])("creates local embeddings of the community package: %s", async (_title, config, fields) => {
    await withPackage(LOCAL_PACKAGE, async (load) => {
      const embeddings = await buildEmbeddings(config, "core", load);
      expect(embeddings).toMatchObject({ fields });
      expect(await embeddings?.embedDocuments(["abc"])).toEqual([[3]]);
    });
  });

  it.each([
    ["is too old", "export class Other {}", "CF-114", "has no `HuggingFaceTransformersEmbeddings`"],
    ["breaks", 'throw new Error("no binary for this system");', "CF-000", "no binary for this system"],
  ])("reports that the community package %s", async (_title, source, code, message) => {
    await withPackage(source, async (load) => {
      const config = configOf({ ...local, engine: "FastEmbed" });
      const error = await buildEmbeddings(config, "core", load).catch((thrown: unknown) => thrown);
      if (!ConfigError.isInstance(error)) throw error;
      expect(error.diagnostics).toMatchObject([
        { code, message: expect.stringContaining(message), path: "models[0].engine" },
      ]);
    });
  });

  it("creates the embeddings that the search provider of a section names", async () => {
    const models = [{ type: "embeddings", model: "text-embedding-3-small", ...key }];
    const config = searching({ embedding_model: "text-embedding-3-large" }, ...models);
    expect(await buildEmbeddings(config, "core")).toMatchObject({ model: "text-embedding-3-large" });
    expect(await buildEmbeddings(config, "knowledge_base")).toMatchObject({ model: "text-embedding-3-small" });
  });
});

describe("toConstructorFields", () => {
  it.each<[Record<string, unknown>, Parameters<typeof toConstructorFields>[1], Record<string, unknown>]>([
    [{ max_tokens: 5, top_p: 0.5 }, { baseUrl: "configuration" }, { maxTokens: 5, topP: 0.5 }],
    [{ max_tokens: 5 }, { baseUrl: "baseUrl", maxTokens: "numPredict" }, { numPredict: 5 }],
    [{ base_url: "u", api_key: "k" }, { baseUrl: "configuration" }, { configuration: { baseURL: "u" }, apiKey: "k" }],
    [{ base_url: "u" }, { baseUrl: "baseUrl" }, { baseUrl: "u" }],
    [{ request_timeout: 3, max_retries: 1 }, { baseUrl: "baseUrl" }, { timeout: 3, maxRetries: 1 }],
    [{ model_kwargs: { snake_case: 1 } }, { baseUrl: "baseUrl" }, { modelKwargs: { snake_case: 1 } }],
  ])("%j with %j", (parameters, names, expected) => {
    expect(toConstructorFields(parameters, names)).toEqual(expected);
  });
});
