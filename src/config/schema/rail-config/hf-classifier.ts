import { z } from "zod/v4";

import { NO_ENTRIES, filledText, flag, mapOf, once, optional, ratio, section, text, texts } from "../fields.js";
import { keyVariable } from "./sources.js";

const classifier = () =>
  z.strictObject({
    engine: z.enum(["local", "vllm", "kserve", "fms"]),
    model: filledText(),
    task: optional(text(), "text-classification", "What the model does."),
    threshold: optional(ratio(), 0.5, "The score from which a label counts."),
    blocked_labels: optional(texts(), [], "Labels that block."),
    base_url: optional(text(), null, "The address of the service."),
    api_key_env_var: keyVariable(),
    parameters: section(
      {
        timeout: optional(z.number().positive(), 30, "Seconds to wait."),
        verify_ssl: optional(flag(), true, "Check the certificate of the service."),
        ca_cert: optional(text(), null, "A file with certificates to trust."),
        client_cert: optional(text(), null, "A file with our certificate."),
        client_key: optional(text(), null, "A file with our key."),
      },
      "The connection.",
    ),
  });

export const hfClassifierSchema = once(() =>
  optional(mapOf(classifier()), NO_ENTRIES, "Text classifiers by a name of your choosing."),
);
