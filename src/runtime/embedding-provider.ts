import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { RailsConfig } from "../config/rails-config.js";
import type { EmbeddingSearchSettings } from "../config/settings.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { batchEmbeddings } from "../retrieval/batch-embeddings.js";
import { cacheEmbeddings } from "../retrieval/cache.js";
import { openVectorStore } from "./embedding-cache.js";

const DEFAULT_PROVIDER = "default";

/**
 * Embeddings as `core.embedding_search_provider` or the one of the knowledge base asks for them: each text is embedded
 * once, also by later processes where `cache` is on, and searches that come together share a call where `use_batching` is
 * on. Undefined means the embedded matcher.
 *
 * @throws ConfigError `CF-112` for a provider that does not exist
 */
export async function provideEmbeddings(
  config: RailsConfig,
  section: "core" | "knowledge_base",
  embeddings: EmbeddingsInterface | undefined,
): Promise<EmbeddingsInterface | undefined> {
  const provider: EmbeddingSearchSettings = config.settings[section].embedding_search_provider;
  if (provider.name !== DEFAULT_PROVIDER) {
    const path = [section, "embedding_search_provider", "name"];
    throw new ConfigError([
      createDiagnostic("CF-112", `unknown embedding search provider \`${provider.name}\``, {
        span: config.spanOf(path),
        path: path.join("."),
        hint: "leave it out, and pass LangChain embeddings as `embeddings` when the configuration is loaded",
      }),
    ]);
  }
  if (embeddings === undefined) return undefined;
  const entry = config.settings.models.find(({ type }) => type === "embeddings");
  const { parameters } = provider;
  const shared =
    parameters["use_batching"] === true
      ? batchEmbeddings(embeddings, {
          maxBatchSize: numberOf(parameters["max_batch_size"], 10),
          maxBatchHold: numberOf(parameters["max_batch_hold"], 0.01) * 1000,
        })
      : embeddings;
  const store = await openVectorStore(provider.cache);
  return cacheEmbeddings(shared, { engine: entry?.engine ?? "given", model: entry?.model ?? "given", store });
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === "number" && value > 0 ? value : fallback;
}
