import { NO_ENTRIES, freeMap, once, optional, section } from "../fields.js";
import { endpoint } from "./sources.js";

const stage = () =>
  section({ guardrails_config: optional(freeMap(), NO_ENTRIES, "Tasks and their settings.") }, "Checks of one stage.");

export const autoalignSchema = once(() =>
  section(
    {
      parameters: section(
        {
          endpoint: endpoint(),
          fact_check_endpoint: endpoint(),
          groundedness_endpoint: endpoint(),
        },
        "Addresses of the service.",
      ),
      input: stage(),
      output: stage(),
    },
    "AutoAlign.",
  ),
);
