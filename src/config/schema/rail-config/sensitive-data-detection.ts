import { z } from "zod/v4";

import { freeMap, once, optional, ratio, section, text, texts } from "../fields.js";
import { perSource } from "./sources.js";

const source = () => ({
  entities: optional(texts(), [], "The kinds of entities to look for."),
  mask_token: optional(text(), "*", "What replaces a found entity."),
  score_threshold: optional(ratio(), 0.2, "The least certainty that counts."),
});

export const sensitiveDataDetectionSchema = once(() =>
  section(
    { recognizers: optional(z.array(freeMap()), [], "Patterns of your own."), ...perSource(source) },
    "Personal data.",
  ),
);
