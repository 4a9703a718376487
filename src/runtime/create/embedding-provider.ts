import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { RailsConfig } from "../../config/rails-config.js";
import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import type { DiagnosticCode } from "../../diagnostics/codes.js";
import { ConfigError } from "../../diagnostics/errors.js";
import type { VectorCache } from "../../retrieval/cache.js";
import type { KnowledgeBase } from "../../retrieval/knowledge-base.js";
import type { EmbeddingSearchSettings } from "../../config/settings.js";
import type { MatcherCache } from "../../retrieval/matcher/matcher-cache.js";
import { cacheDirReporter } from "./cache-dir.js";
import type { RuntimeInput } from "./runtime-input.js";

/** Configuration section with search settings. */
type SearchSection = "core" | "knowledge_base";

const PROVIDER = "embedding_search_provider";
const DEFAULT_PROVIDER = "default";
const DEFAULT_CACHE_FOLDER = ".cache/embeddings";

/**
 * Embeddings configured by `core.embedding_search_provider` or that of the knowledge base: each text is embedded once,
 * or once ever with a cache on disk, and concurrent searches share a call with `use_batching`. Undefined for the
 * embedded matcher, which needs no cache.
 *
 * @throws ConfigError `CF-112` for an unknown provider, `CF-121` for a cache in Redis, `CF-105` for a cache on disk
 * that cannot distinguish the vectors of different models
 */
export async function provideEmbeddings(
  config: RailsConfig,
  section: SearchSection,
  embeddings: EmbeddingsInterface | undefined,
): Promise<EmbeddingsInterface | undefined> {
  const { name, parameters, cache } = config.settings[section].embedding_search_provider;
  if (name !== DEFAULT_PROVIDER) {
    const message = `unknown embedding search provider \`${name}\``;
    throw problem(config, [section, PROVIDER, "name"], "CF-112", { message, hint: PASS_EMBEDDINGS });
  }
  const store = [section, PROVIDER, "cache", "store"];
  if (cache.enabled && cache.store === "redis") {
    const message = "the embedding cache in Redis is not available yet";
    throw problem(config, store, "CF-121", { message, hint: "use `filesystem` or `in_memory`" });
  }
  if (embeddings === undefined) return undefined;
  const { batchEmbeddings, checkEmbeddings } = await import("../../retrieval/embeddings.js");
  const { cacheEmbeddings } = await import("../../retrieval/cache.js");
  // INVARIANT: vectors are checked before they reach a cache, which would return them forever.
  const checked = checkEmbeddings(embeddings);
  const shared =
    parameters["use_batching"] === true
      ? batchEmbeddings(checked, {
          maxBatchSize: positiveNumber(parameters["max_batch_size"]),
          maxBatchHold: (positiveNumber(parameters["max_batch_hold"]) ?? 0.01) * 1000,
        })
      : checked;
  const { engine, model } = identify(config, section, embeddings);
  const isOnDisk = cache.enabled && cache.store === "filesystem";
  if (isOnDisk && model === undefined) {
    const message = "expected a model name for the embedding cache on disk";
    const hint = "add `embedding_model` to the `parameters` of the provider";
    throw problem(config, store, "CF-105", { message, hint });
  }
  return cacheEmbeddings(shared, {
    engine,
    model: model ?? "given",
    ...(isOnDisk ? { store: await openFolder(config, section) } : {}),
  });
}

/** `search_threshold`: minimum score of search results, unless the search specifies one. */
export function searchThreshold(config: RailsConfig, section: SearchSection): number | undefined {
  const value = config.settings[section].embedding_search_provider.parameters["search_threshold"];
  return typeof value === "number" ? value : undefined;
}

function positiveNumber(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}

const PASS_EMBEDDINGS = "leave it out, and pass LangChain embeddings as `embeddings` when the configuration is loaded";

/** Identifies the model of the vectors: by the configured name, or by the name of a given object. */
function identify(
  config: RailsConfig,
  section: SearchSection,
  embeddings: EmbeddingsInterface,
): { readonly engine: string; readonly model: string | undefined } {
  const { parameters } = config.settings[section].embedding_search_provider;
  const entry = config.settings.models.find(({ type }) => type === "embeddings");
  const own = embeddings as { readonly model?: unknown; readonly modelName?: unknown; readonly dimensions?: unknown };
  const named = [parameters["embedding_model"], own.model, own.modelName, entry?.model].find(
    (name) => typeof name === "string" && name !== "",
  );
  const engine = parameters["embedding_engine"] ?? embeddings.constructor.name;
  const size = typeof own.dimensions === "number" ? `/${own.dimensions}` : "";
  return { engine: String(engine), model: named === undefined ? undefined : `${String(named)}${size}` };
}

async function openFolder(config: RailsConfig, section: SearchSection): Promise<VectorCache> {
  const { key_generator: keys, store_config: settings } = config.settings[section].embedding_search_provider.cache;
  const { openVectorFolder } = await import("../../retrieval/vector-folder.js");
  const given = settings["cache_dir"];
  const folder = typeof given === "string" && given !== "" ? given : DEFAULT_CACHE_FOLDER;
  try {
    return await openVectorFolder(folder, keys === "md5" ? "md5" : "sha256");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `the folder \`${folder}\` of the embedding cache cannot be used: ${reason}`;
    const hint = "name another one with `store_config.cache_dir`";
    throw problem(config, [section, PROVIDER, "cache", "store_config", "cache_dir"], "CF-101", { message, hint });
  }
}

function problem(
  config: RailsConfig,
  path: readonly string[],
  code: DiagnosticCode,
  { message, hint }: { readonly message: string; readonly hint: string },
): ConfigError {
  return new ConfigError([createDiagnostic(code, message, { span: config.spanOf(path), path: path.join("."), hint })]);
}

type KnowledgeInput = Pick<RuntimeInput, "embeddings" | "knowledgeEmbeddings" | "openKnowledge">;

/** Opens the knowledge base configured by `knowledge_base.embedding_search_provider.parameters`. */
export async function openKnowledgeBase(config: RailsConfig, input: KnowledgeInput): Promise<KnowledgeBase | null> {
  const { parameters } = config.settings.knowledge_base.embedding_search_provider;
  const options = {
    documents: config.documents,
    embeddings: await provideEmbeddings(config, "knowledge_base", input.knowledgeEmbeddings ?? input.embeddings),
    topK: wholeNumber(parameters["top_k"]),
    chunkSize: wholeNumber(parameters["chunk_size"]),
    minScore: searchThreshold(config, "knowledge_base"),
  };
  if (input.openKnowledge !== undefined) return input.openKnowledge(options);
  if (options.documents.length === 0) return null;
  return (await import("../../retrieval/knowledge-base.js")).createKnowledgeBase(options);
}

/** Returns undefined for counts below one and for fractions. */
function wholeNumber(value: unknown): number | undefined {
  const number = positiveNumber(value);
  return number === undefined ? undefined : Math.max(1, Math.floor(number));
}

/**
 * Opens the matcher's cache of learned examples: in the configured folder, otherwise in `cacheDir`; undefined if
 * neither enables it.
 */
export async function openMatcherCache(
  settings: EmbeddingSearchSettings["cache"],
  { cacheDir, logger }: Pick<RuntimeInput, "cacheDir" | "logger">,
): Promise<MatcherCache | undefined> {
  const { enabled, store, store_config: storeConfig } = settings;
  const isOnDisk = enabled && store === "filesystem";
  if (!isOnDisk && cacheDir === undefined) return undefined;
  const { openFileMatcherCache } = await import("../../retrieval/file-matcher-cache.js");
  // Without a file system, the matcher learns again.
  if (!isOnDisk && cacheDir !== undefined) {
    return openFileMatcherCache(cacheDir, cacheDirReporter(cacheDir, logger)).catch(() => undefined);
  }
  const folder = Object.hasOwn(storeConfig, "cache_dir") ? storeConfig["cache_dir"] : undefined;
  return openFileMatcherCache(typeof folder === "string" ? folder : DEFAULT_CACHE_FOLDER);
}
