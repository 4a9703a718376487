import { NO_ENTRIES, flag, mapOf, once, optional, section, text } from "../fields.js";

export const contentSafetySchema = once(() =>
  section(
    {
      multilingual: section(
        {
          enabled: optional(flag(), false, "Refuse in the user's language."),
          refusal_messages: optional(mapOf(text()), NO_ENTRIES, "Refusals by language."),
        },
        "Refusals in several languages.",
      ),
    },
    "Content safety.",
  ),
);
