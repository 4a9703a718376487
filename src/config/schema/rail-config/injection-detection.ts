import { z } from "zod/v4";

import { NO_ENTRIES, filledText, mapOf, once, optional, section, text } from "../fields.js";

export const injectionDetectionSchema = once(() =>
  section(
    {
      injections: optional(
        z.array(filledText()),
        [],
        "What to look for: `sqli`, `template`, `code`, `xss`, or rules of your own.",
      ),
      action: optional(z.enum(["reject", "omit"]), "reject", "Refuse the text, or cut the matches out."),
      yara_path: optional(filledText(), null, "A folder with rules."),
      yara_rules: optional(mapOf(text()), NO_ENTRIES, "Rules by name."),
    },
    "Injection detection.",
  ),
);
