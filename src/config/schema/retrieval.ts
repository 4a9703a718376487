import { z } from "zod/v4";

import { NO_ENTRIES, filledText, flag, freeMap, once, optional, section } from "./fields.js";

const embeddingSearch = () =>
  section(
    {
      name: optional(filledText(), "default", "The provider, `default` or one registered by code."),
      parameters: optional(freeMap(), NO_ENTRIES, "Settings of the provider, such as `embedding_model`."),
      cache: section(
        {
          enabled: optional(flag(), false, "Keep embeddings between runs."),
          key_generator: optional(z.enum(["sha256", "md5", "hash"]), "sha256", "How keys are made from texts."),
          store: optional(z.enum(["filesystem", "in_memory", "redis"]), "filesystem", "Where embeddings are kept."),
          store_config: optional(freeMap(), NO_ENTRIES, "Settings of the store, such as `cache_dir`."),
        },
        "Cache of embeddings.",
      ),
    },
    "Where similar texts are looked up.",
  );

/** `knowledge_base` and `core` (spec rails 1.10). */
export const knowledgeBaseSchema = once(() =>
  section(
    {
      folder: optional(filledText(), "kb", "The folder with markdown documents."),
      embedding_search_provider: embeddingSearch(),
    },
    "The knowledge base.",
  ),
);

export const coreSchema = once(() =>
  section({ embedding_search_provider: embeddingSearch() }, "Search among intents, messages and flows."),
);
