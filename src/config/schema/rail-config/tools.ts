import { z } from "zod/v4";

import { NO_ENTRIES, freeMap, mapOf, once, optional, section, texts } from "../fields.js";

const toolRule = () =>
  z.strictObject({
    arguments: optional(freeMap(), null, "JSON Schema of the arguments."),
    result: optional(freeMap(), null, "JSON Schema of the result, as it is or read as JSON."),
    forbidden_in_arguments: optional(texts(), [], "Patterns that no argument may match."),
    forbidden_in_results: optional(texts(), [], "Patterns that the result may not match."),
  });

/** Rules for tools; the rails that check them run as soon as there are some. */
export const toolsSchema = once(() =>
  section(
    {
      allowed: optional(texts(), null, "The only tools that may be called; all when absent."),
      forbidden_in_arguments: optional(texts(), [], "Patterns that no argument of any tool may match."),
      forbidden_in_results: optional(texts(), [], "Patterns that the result of no tool may match."),
      per_tool: optional(mapOf(toolRule()), NO_ENTRIES, "Further rules by the name of the tool."),
    },
    "What tools may be given and may answer.",
  ),
);
