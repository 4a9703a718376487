import { flag, once, optional, section } from "../fields.js";
import { endpoint } from "./sources.js";

export const factCheckingSchema = once(() =>
  section(
    {
      parameters: section({ endpoint: endpoint() }, "The scoring service."),
      fallback_to_self_check: optional(flag(), false, "Ask the model itself when the service fails."),
    },
    "Fact checking by a scoring service.",
  ),
);
