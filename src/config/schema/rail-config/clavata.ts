import { z } from "zod/v4";

import { NO_ENTRIES, filledText, mapOf, once, optional, section, text, texts } from "../fields.js";
import { endpoint } from "./sources.js";

const stage = () =>
  section(
    {
      policy: optional(filledText(), null, "The alias of a policy."),
      labels: optional(texts(), [], "Labels that count; all of them when empty."),
    },
    "Checks of one stage.",
  );

export const clavataSchema = once(() =>
  section(
    {
      server_endpoint: endpoint("https://gateway.app.clavata.ai:8443"),
      policies: optional(mapOf(text()), NO_ENTRIES, "Policy ids by alias."),
      label_match_logic: optional(z.enum(["ANY", "ALL"]), "ANY", "How many labels must match."),
      input: stage(),
      output: stage(),
    },
    "Clavata.",
  ),
);
