import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { Runnable } from "@langchain/core/runnables";
import { processEnvironment, variable } from "../../config/environment.js";
import { formatPath } from "../../config/yaml/raw-node.js";
import type { RailsConfig } from "../../config/rails-config.js";
import type { ModelSettings } from "../../config/settings.js";
import type { DiagnosticCode } from "../../diagnostics/codes.js";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import type { LanguageModel, ModelSet } from "../../llm/model.js";
import { adaptModel } from "./chat-model.js";
import {
  type ConstructorFields,
  toConstructorFields,
  ENGINES,
  type EngineEntry,
  LOCAL_EMBEDDINGS,
  UNIVERSAL_ENGINES,
} from "./engine-table.js";

/** Request to a custom engine: the model entry as written, and the API key from its environment variable. */
export interface EngineRequest extends ModelSettings {
  readonly apiKey: string | undefined;
}

/** Imports a provider's package by its module path. */
export type ImportModule = (path: string) => Promise<unknown>;

export type EngineFactory = (request: EngineRequest) => Runnable | Promise<Runnable>;

export interface ModelSources {
  /** Replaces the main model only. */
  readonly llm?: Runnable | undefined;
  /** Models by type; override those of the configuration. */
  readonly models?: Readonly<Record<string, Runnable>> | undefined;
  /** Factories of the application's own engines by name, before the built-in ones. */
  readonly engines?: Readonly<Record<string, EngineFactory>> | undefined;
}

const EMBEDDINGS = "embeddings";

/** Settings for a search provider that names only a model. */
const DEFAULT_EMBEDDINGS: ModelSettings = {
  type: EMBEDDINGS,
  engine: "FastEmbed",
  model: null,
  parameters: {},
  mode: "chat",
  images: null,
  api_key_env_var: null,
  cache: { enabled: false, maxsize: 1, stats: { enabled: false, log_interval: null } },
};

/**
 * Creates the models of a configuration; imports provider packages only if an entry names them.
 *
 * @param load - imports provider packages. Default: `import()`
 * @throws ConfigError with every entry that fails: unknown engines, missing packages, unset variables
 */
export async function buildModels(
  config: RailsConfig,
  sources: ModelSources = {},
  load: ImportModule = importModule,
): Promise<ModelSet> {
  const byType: Record<string, LanguageModel> = Object.create(null) as Record<string, LanguageModel>;
  const fromApplication = { ...sources.models, ...(sources.llm === undefined ? {} : { main: sources.llm }) };
  for (const [type, model] of Object.entries(fromApplication)) {
    // The entry's image setting also applies to a model that replaces it.
    const { images } = config.settings.models.find((entry) => entry.type === type) ?? {};
    byType[type] = adaptModel(model, images === null || images === undefined ? {} : { images });
  }
  const diagnostics: Diagnostic[] = [];
  for (const [index, settings] of config.settings.models.entries()) {
    if (settings.type === EMBEDDINGS || Object.hasOwn(byType, settings.type)) continue;
    try {
      const native = await makeModel(settings, sources, load);
      const name = settings.model === null ? {} : { name: settings.model };
      const { engine, mode: family, images } = settings;
      byType[settings.type] = adaptModel(native, { engine, family, images: images ?? undefined, ...name });
    } catch (error) {
      diagnostics.push(toDiagnostic(error, config, index));
    }
  }
  if (diagnostics.length > 0) throw new ConfigError(diagnostics);
  return { main: byType["main"], byType };
}

const importModule: ImportModule = (path) => import(path);

/**
 * Returns the embedding model of a section: that of its search provider, otherwise the `embeddings` entry of `models`;
 * undefined if the configuration names neither.
 *
 * @param load - imports packages of local models. Default: `import()`
 * @throws ConfigError if its package is missing, its engine unknown or its key not set
 */
export async function buildEmbeddings(
  config: RailsConfig,
  section: "core" | "knowledge_base",
  load: ImportModule = importModule,
): Promise<EmbeddingsInterface | undefined> {
  const index = config.settings.models.findIndex((model) => model.type === EMBEDDINGS);
  const entry = config.settings.models[index];
  const { embedding_engine: engine, embedding_model: model } =
    config.settings[section].embedding_search_provider.parameters;
  if (entry === undefined && engine === undefined && model === undefined) return undefined;
  const isOwn = engine !== undefined && engine !== entry?.engine;
  const settings: ModelSettings = {
    ...(isOwn || entry === undefined ? DEFAULT_EMBEDDINGS : entry),
    ...(typeof engine === "string" ? { engine } : {}),
    ...(typeof model === "string" ? { model } : {}),
  };
  try {
    return await makeEmbeddings(settings, load);
  } catch (error) {
    if (!isOwn && entry !== undefined) throw new ConfigError([toDiagnostic(error, config, index)]);
    const name = engine === undefined ? "embedding_model" : "embedding_engine";
    const path = [section, "embedding_search_provider", "parameters", name];
    throw new ConfigError([diagnosticAt(error, config, path)]);
  }
}

async function makeModel(settings: ModelSettings, sources: ModelSources, load: ImportModule): Promise<Runnable> {
  const { engine, mode } = settings;
  const factories = sources.engines;
  if (factories !== undefined && Object.hasOwn(factories, engine)) {
    return (factories[engine] as EngineFactory)({ ...settings, apiKey: apiKeyOf(settings) });
  }
  requireName(settings);
  if (Object.hasOwn(ENGINES, engine)) {
    const entry = ENGINES[engine] as EngineEntry;
    const name = mode === "text" ? entry.text : entry.chat;
    if (name === undefined) {
      throw new EngineProblem("CF-112", `engine \`${engine}\` has no text models`, "leave out `mode: text`");
    }
    if (mode !== "text" && entry.text !== undefined && completesOnly(settings.model)) {
      const message = `\`${settings.model}\` only completes texts and has no chat mode`;
      throw new EngineProblem("CF-104", message, "add `mode: text` to its entry, or name a chat model");
    }
    return (await construct(settings, entry, name, load)) as Runnable;
  }
  if (Object.hasOwn(UNIVERSAL_ENGINES, engine)) return makeUniversal(settings, load);
  const names = [...Object.keys(ENGINES), ...Object.keys(UNIVERSAL_ENGINES), ...Object.keys(factories ?? {})];
  const hint = "pass a model object with `llm` or `models`, or register the engine with `engines`";
  throw new EngineProblem("CF-112", `unknown engine \`${engine}\``, didYouMean(engine, names) ?? hint);
}

/** Checked here as well as at load, since code modules may replace built-in engines. */
function requireName({ engine, model }: ModelSettings): void {
  if (model !== null || !(Object.hasOwn(ENGINES, engine) || Object.hasOwn(UNIVERSAL_ENGINES, engine))) return;
  const hint = "name the model, as in `model: gpt-4o-mini`";
  throw new EngineProblem("CF-105", `a model of engine \`${engine}\` has no \`model\``, hint);
}

/** Models that only support the completions endpoint, also with a date, an owner or as the base of a fine-tuned one. */
const COMPLETION_ONLY =
  /^(?:gpt-3\.5-turbo-instruct(?:-\d+)?|(?:davinci|babbage)-002|(?:text|code)-(?:davinci|curie|babbage|ada|cushman)-\d+)$/;

function completesOnly(model: string | null): boolean {
  if (model === null) return false;
  const base = model.startsWith("ft:") ? model.split(":")[1] : model.slice(model.lastIndexOf("/") + 1);
  return COMPLETION_ONLY.test((base ?? "").toLowerCase());
}

async function makeEmbeddings(settings: ModelSettings, load: ImportModule): Promise<EmbeddingsInterface> {
  const { engine, model } = settings;
  if (Object.hasOwn(LOCAL_EMBEDDINGS, engine)) {
    const path = "@langchain/community/embeddings/huggingface_transformers";
    const packages = "@langchain/community @huggingface/transformers";
    const module = await importing(engine, packages, () => load(path));
    return instantiate(module, "HuggingFaceTransformersEmbeddings", engine, {
      ...toConstructorFields(settings.parameters, { baseUrl: "baseUrl" }),
      model: localModelName(model) ?? LOCAL_EMBEDDINGS[engine],
    }) as EmbeddingsInterface;
  }
  const entry = Object.hasOwn(ENGINES, engine) ? ENGINES[engine] : undefined;
  if (entry?.embeddings === undefined) {
    const known = Object.keys(ENGINES).filter((name) => ENGINES[name]?.embeddings !== undefined);
    const hint = didYouMean(engine, [...known, ...Object.keys(LOCAL_EMBEDDINGS)]);
    const message = `unknown embedding engine \`${engine}\``;
    throw new EngineProblem("CF-112", message, hint ?? "pass `embeddings` as an option");
  }
  requireName(settings);
  return (await construct(settings, entry, entry.embeddings, load)) as EmbeddingsInterface;
}

/** Names without an owner belong to the sentence-transformers family. */
function localModelName(model: string | null): string | undefined {
  if (model === null) return undefined;
  const name = model.slice(model.lastIndexOf("/") + 1);
  return model.startsWith("sentence-transformers/") || !model.includes("/") ? `Xenova/${name}` : model;
}

async function construct(
  settings: ModelSettings,
  entry: EngineEntry,
  className: string,
  load: ImportModule,
): Promise<unknown> {
  const module =
    entry.package === "@langchain/openai"
      ? await import("@langchain/openai")
      : await importing(settings.engine, entry.package, () => load(entry.package));
  return instantiate(module, className, settings.engine, fieldsOf(settings, entry));
}

function fieldsOf(settings: ModelSettings, entry: EngineEntry): ConstructorFields {
  const fields = { ...entry.fields, ...toConstructorFields(settings.parameters, entry) };
  const configuration = (fields["configuration"] ?? {}) as Record<string, unknown>;
  const baseURL = configuration["baseURL"] ?? entry.baseURL;
  const env = processEnvironment();
  const named = entry.apiKeyEnvVar === undefined ? undefined : variable(env, entry.apiKeyEnvVar);
  const apiKey = apiKeyOf(settings) ?? fields["apiKey"] ?? named ?? (entry.keyless ? "none" : undefined);
  const required = entry.requiredKeyEnvVar;
  if (required !== undefined && apiKey === undefined && baseURL === undefined && !variable(env, required)) {
    throw new EngineProblem(
      "CF-113",
      `engine \`${settings.engine}\` has no key: \`${required}\` is not set`,
      `set \`${required}\`, name another variable with \`api_key_env_var\`, or pass a model with \`llm\` or \`models\``,
    );
  }
  return {
    ...fields,
    ...(settings.model === null ? {} : { model: settings.model }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(entry.baseUrl === "configuration" && baseURL !== undefined
      ? { configuration: { ...configuration, baseURL } }
      : {}),
  };
}

async function makeUniversal(settings: ModelSettings, load: ImportModule): Promise<Runnable> {
  const { engine, model } = settings;
  const path = "langchain/chat_models/universal";
  const needed = UNIVERSAL_ENGINES[engine] as string;
  const module = await importing(engine, `langchain ${needed}`, () => load(path));
  const { initChatModel } = module as { initChatModel: (model: string, fields: object) => Promise<Runnable> };
  const fields = fieldsOf(settings, { package: needed, chat: "", baseUrl: "configuration" });
  return importing(engine, needed, () => initChatModel(model ?? "", { ...fields, modelProvider: engine }));
}

/** @throws EngineProblem if the package is not installed */
async function importing<Result>(engine: string, packages: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isMissingModule(error)) throw error;
    const names = packages.split(" ").map((name) => `\`${name}\``);
    const message = `engine \`${engine}\` needs ${names.join(" and ")}`;
    const without = Object.hasOwn(LOCAL_EMBEDDINGS, engine)
      ? "; or leave it out, and words and letters are compared"
      : "";
    throw new EngineProblem("CF-114", message, `npm install ${packages}${without}`, error);
  }
}

function instantiate(module: unknown, className: string, engine: string, fields: ConstructorFields): unknown {
  const Constructor = (module as Record<string, unknown>)[className];
  if (typeof Constructor !== "function") {
    const message = `the package of engine \`${engine}\` has no \`${className}\``;
    throw new EngineProblem("CF-114", message, "install a newer version");
  }
  return new (Constructor as new (fields: ConstructorFields) => unknown)(fields);
}

function isMissingModule(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  if (["ERR_MODULE_NOT_FOUND", "ERR_PACKAGE_PATH_NOT_EXPORTED", "MODULE_NOT_FOUND"].includes(String(code))) return true;
  return error instanceof Error && /cannot find (module|package)|unable to import/i.test(error.message);
}

function apiKeyOf(settings: ModelSettings): string | undefined {
  const name = settings.api_key_env_var;
  if (name === null) return undefined;
  const value = variable(processEnvironment(), name);
  if (value !== undefined) return value;
  throw new EngineProblem("CF-113", `environment variable \`${name}\` is not set`, "set it to the provider's key");
}

/** A problem of one entry, without its source location. */
class EngineProblem extends Error {
  readonly code: DiagnosticCode;
  readonly hint: string;

  constructor(code: DiagnosticCode, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
  }
}

function toDiagnostic(error: unknown, config: RailsConfig, index: number): Diagnostic {
  const keys: Partial<Record<DiagnosticCode, string>> = { "CF-113": "api_key_env_var", "CF-104": "model" };
  const key = (error instanceof EngineProblem ? keys[error.code] : undefined) ?? "engine";
  return diagnosticAt(error, config, ["models", index, key]);
}

function diagnosticAt(error: unknown, config: RailsConfig, path: readonly (string | number)[]): Diagnostic {
  // A setting that is left out has no place of its own.
  const span = config.spanOf(path) ?? config.spanOf([...path.slice(0, -1), "engine"]);
  const place = { span, path: formatPath(path) };
  if (error instanceof EngineProblem)
    return createDiagnostic(error.code, error.message, { ...place, hint: error.hint });
  const reason = error instanceof Error ? error.message : String(error);
  return createDiagnostic("CF-000", `the model cannot be created: ${reason}`, place);
}
