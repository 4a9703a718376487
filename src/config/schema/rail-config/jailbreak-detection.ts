import { z } from "zod/v4";

import { once, optional, section, text } from "../fields.js";
import { endpoint, keyVariable } from "./sources.js";

/** `nim_url` with `nim_port` is an old spelling of `nim_base_url`; `old-spellings.ts` has translated it already. */
export const jailbreakDetectionSchema = once(() =>
  section(
    {
      server_endpoint: endpoint(),
      length_per_perplexity_threshold: optional(z.number().positive(), 89.79, "Characters by perplexity that block."),
      prefix_suffix_perplexity_threshold: optional(z.number().positive(), 1845.65, "Perplexity that blocks."),
      nim_base_url: endpoint(),
      nim_server_endpoint: optional(text(), "classify", "The path of the classifier."),
      api_key: optional(text(), null, "The key; prefer `api_key_env_var`."),
      api_key_env_var: keyVariable(),
      embedding: optional(text(), null, "The embedding model of the local classifier."),
    },
    "Jailbreak detection.",
  ),
);
