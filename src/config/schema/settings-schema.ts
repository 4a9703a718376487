import { z } from "zod/v4";

import { DEFAULT_INSTRUCTIONS, DEFAULT_SAMPLE_CONVERSATION } from "../default-conversation.js";
import {
  filledText,
  flag,
  freeMap,
  mapOf,
  NO_ENTRIES,
  number,
  once,
  oneOrMoreTexts,
  optional,
  section,
  text,
  texts,
} from "./fields.js";
import { rails } from "./rails.js";
import { actions, core, knowledgeBase, limits, messages, models, prompts, tracing } from "./sections.js";

/** Every key of a configuration, strict at every level, with every default. */
export const settingsSchema = once(() =>
  z.strictObject({
    colang_version: optional(z.enum(["1.0", "2.x"]), "1.0", "The version of Colang the flows are written in."),
    models: optional(models(), [], "The models and their purposes."),
    user_messages: optional(mapOf(oneOrMoreTexts()), NO_ENTRIES, "Examples of user messages, by intent."),
    bot_messages: optional(mapOf(oneOrMoreTexts()), NO_ENTRIES, "Bot messages by name."),
    flows: optional(z.array(z.unknown()), [], "Flows written in YAML."),
    instructions: optional(
      z.array(
        z.strictObject({
          type: filledText().meta({ description: "Kind of the instructions, usually `general`." }),
          content: text().meta({ description: "The instructions." }),
        }),
      ),
      [...DEFAULT_INSTRUCTIONS],
      "Purpose and manner of the bot; the first entry of type `general` is used.",
    ),
    docs: optional(
      z.array(
        z.strictObject({
          format: z.literal("md").meta({ description: "Format of the document." }),
          content: text().meta({ description: "Text of the document." }),
        }),
      ),
      [],
      "Documents of the knowledge base.",
    ),
    sample_conversation: optional(text(), DEFAULT_SAMPLE_CONVERSATION, "Turns that show models the form to write in."),
    prompts: optional(prompts(), [], "Prompts that replace the built-in ones."),
    prompting_mode: optional(filledText(), "standard", "Prompts to prefer, by their `mode`."),
    import_paths: optional(z.array(filledText()), [], "Other configurations to include."),
    lowest_temperature: optional(
      number("temperature", { least: 0 }).max(2),
      0,
      "The temperature of tasks that must not vary.",
    ),
    enable_multi_step_generation: optional(flag(), false, "Models may write several steps at once."),
    enable_rails_exceptions: optional(flag(), false, "A blocking rail raises an exception instead of refusing."),
    passthrough: optional(flag(), null, "Send the user's own messages to the main model unchanged."),
    streaming: optional(flag(), false, "Deprecated: every call decides for itself whether it streams."),
    context_variables: optional(
      z.array(z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of a variable, without `$`")),
      [],
      "Variables that the application or its actions set and flows read.",
    ),
    custom_data: optional(freeMap(), NO_ENTRIES, "Data of your own for flows and actions."),
    knowledge_base: knowledgeBase(),
    core: core(),
    rails: rails(),
    actions_server_url: optional(filledText(), null, "A server that runs actions."),
    event_source_uid: optional(filledText(), "langchain-guardrails", "The source named in events."),
    raw_llm_call_action: optional(filledText(), "raw llm call", "The action behind raw model calls."),
    tracing: tracing(),
    metrics: section({ enabled: optional(flag(), false, "Count requests and blocks.") }, "OpenTelemetry metrics."),
    limits: limits(),
    messages: messages(),
    actions: actions(),
    security: section(
      { check_all_user_messages: optional(flag(), true, "Check every user message since the last bot message.") },
      "Extent of the input rails.",
    ),
    history: section(
      { recover_intents: optional(flag(), false, "Find the intents of earlier messages in calls without a thread.") },
      "Treatment of earlier messages.",
    ),
    llm_flows: section(
      { allowed_actions: optional(texts(), [], "Actions that flows written by a model may run.") },
      "Flows written by a model.",
    ),
  }),
);

export type ParsedSettings = z.output<ReturnType<typeof settingsSchema>>;
