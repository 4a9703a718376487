import { z } from "zod/v4";

import { count, filledText, flag, mapOf, NO_ENTRIES, optional, ratio, section, texts } from "./fields.js";
import { railConfig } from "./rail-config.js";

const flows = () => optional(texts(), [], "Rails to run, in order, with parameters such as `name $model=guard`.");

const parallel = () =>
  optional(
    flag(),
    null,
    "Unset: rails that may change the text in order, then those that only judge together. `true`: all at once. `false`: in the listed order.",
  );

const toolParallel = () =>
  optional(
    flag(),
    null,
    "`false`: in the listed order. Otherwise rails that may change the call or the result in order, then those that only judge together.",
  );

const toolStage = (about: string) =>
  section(
    {
      flows: flows(),
      parallel: toolParallel(),
      per_tool: optional(mapOf(texts()), NO_ENTRIES, "Further rails by the name of the tool."),
    },
    about,
  );

const streaming = () =>
  section(
    {
      enabled: optional(flag(), null, "`false` holds the whole bot message back until it was checked."),
      mode: optional(
        z.enum(["buffer", "window", "passthrough"]),
        "window",
        "Hold the whole bot message back, check windows of it, or let it through.",
      ),
      chunk_size: optional(count(1, "model chunks"), 64, "Size of one window."),
      context_size: optional(count(0, "model chunks"), 32, "Part of the window before that is checked again."),
      stream_first: optional(flag(), false, "Send a window before it has been checked."),
    },
    "Treatment of streams by output rails.",
  );

const dialog = () =>
  section(
    {
      single_call: section(
        {
          enabled: optional(flag(), null, "`true` asks for intent, next step and message in one call."),
          fallback_to_multiple_calls: optional(flag(), true, "Use three calls when the merged one cannot be read."),
        },
        "One model call instead of three.",
      ),
      user_messages: section(
        {
          embeddings_only: optional(flag(), false, "Find intents by similarity alone, without a model call."),
          embeddings_only_similarity_threshold: optional(ratio(), null, "Least similarity that counts as a match."),
          embeddings_only_fallback_intent: optional(filledText(), null, "The intent when nothing is similar enough."),
          match_threshold: optional(ratio(), null, "Replace an unknown intent by a known one at least this similar."),
        },
        "Recognition of user intents.",
      ),
    },
    "Dialog rails.",
  );

export const rails = () =>
  section(
    {
      input: section(
        {
          flows: flows(),
          parallel: parallel(),
          speculative: optional(flag(), false, "Start the main model while input rails that only judge still run."),
        },
        "Rails on user messages.",
      ),
      output: section(
        {
          flows: flows(),
          parallel: parallel(),
          streaming: streaming(),
          apply_to_reasoning_traces: optional(flag(), false, "Check the model's reasoning too."),
          check_predefined: optional(flag(), false, "Check messages written in the configuration too."),
        },
        "Rails on bot messages.",
      ),
      retrieval: section({ flows: flows() }, "Rails on retrieved text."),
      dialog: dialog(),
      actions: section(
        { instant_actions: optional(texts(), null, "Colang 2.x: actions that count as finished at once.") },
        "Execution of actions.",
      ),
      tool_output: toolStage("Rails on the tool calls a model proposes."),
      tool_input: toolStage("Rails on the results of tools."),
      config: railConfig(),
    },
    "Rails of every stage.",
  );
