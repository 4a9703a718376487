import { z } from "zod/v4";

import { NO_ENTRIES, freeMap, once, optional, section } from "../fields.js";

const stage = () =>
  section(
    {
      evaluate_config: section(
        {
          success_strategy: optional(z.enum(["all_pass", "any_pass"]), "all_pass", "How many evaluators must pass."),
          params: optional(freeMap(), NO_ENTRIES, "Handed to the service."),
        },
        "The evaluation to ask for.",
      ),
    },
    "Checks of one stage.",
  );

export const patronusSchema = once(() => section({ input: stage(), output: stage() }, "Patronus."));
