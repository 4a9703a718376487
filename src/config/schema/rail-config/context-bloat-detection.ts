import { z } from "zod/v4";

import { count, once, optional, ratio, section } from "../fields.js";

export const contextBloatDetectionSchema = once(() =>
  section(
    {
      max_chars: optional(count(1), 5000, "The longest text."),
      min_chars: optional(count(0), 50, "Texts shorter than this are not measured."),
      min_entropy: optional(z.number().min(0), 3.5, "The least entropy, in bits by character."),
      max_repetition_ratio: optional(ratio(), 0.4, "The greatest share of repeated n-grams."),
      ngram_size: optional(count(1), 3, "Words in an n-gram."),
      max_run_ratio: optional(ratio(), 0.1, "The greatest share of one repeated character."),
      action: optional(z.enum(["reject", "truncate", "warn"]), "reject", "What happens to such a text."),
    },
    "Texts that only fill the context.",
  ),
);
