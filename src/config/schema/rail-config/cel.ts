import { z } from "zod/v4";

import { NO_ENTRIES, mapOf, once, optional, section, texts } from "../fields.js";

const byTool = (about: string) =>
  optional(
    mapOf(z.strictObject({ expressions: optional(texts(), [], "Expressions that must hold.") })),
    NO_ENTRIES,
    about,
  );

export const celSchema = once(() =>
  section(
    {
      tool_output: byTool("Conditions on tool calls, by tool."),
      tool_input: byTool("Conditions on results, by tool."),
    },
    "Conditions on tools.",
  ),
);
