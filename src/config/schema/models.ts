import { z } from "zod/v4";

import { NO_ENTRIES, count, filledText, flag, freeMap, once, optional, section } from "./fields.js";

/** `models` (spec rails 1.5). A name found in `parameters` has been moved to `model` before this runs. */
export const modelsSchema = once(() =>
  z.array(
    z.strictObject({
      type: filledText().meta({
        description: "`main`, `embeddings`, a task such as `self_check_input`, or a role of your own.",
      }),
      engine: filledText().meta({ description: "The provider, such as `openai` or `anthropic`." }),
      model: optional(filledText(), null, "The model's name; it may also stand in `parameters.model`."),
      parameters: optional(freeMap(), NO_ENTRIES, "Handed to the model's constructor; snake_case is translated."),
      mode: optional(z.enum(["chat", "text"]), "chat", "Chat messages, or plain completions."),
      api_key_env_var: optional(filledText(), null, "The environment variable that holds the key."),
      cache: section(
        {
          enabled: optional(flag(), false, "Keep verdicts of this model in memory."),
          maxsize: optional(count(1), 50_000, "How many verdicts to keep."),
          stats: section(
            {
              enabled: optional(flag(), false, "Count hits and misses."),
              log_interval: optional(z.number().min(0), null, "Seconds between two log lines."),
            },
            "Statistics of the cache.",
          ),
        },
        "Cache of safety verdicts.",
      ),
    }),
  ),
);
