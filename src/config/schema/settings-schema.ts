import { z } from "zod/v4";

import { DEFAULT_INSTRUCTIONS, DEFAULT_SAMPLE_CONVERSATION } from "../default-conversation.js";
import { NO_ENTRIES, filledText, flag, mapOf, once, oneOrMoreTexts, optional, text } from "./fields.js";
import { modelsSchema } from "./models.js";
import {
  actionsSchema,
  customDataSchema,
  historySchema,
  limitsSchema,
  llmFlowsSchema,
  messagesSchema,
  metricsSchema,
  securitySchema,
  tracingSchema,
} from "./operation.js";
import { promptsSchema } from "./prompts.js";
import { railsSchema } from "./rails.js";
import { coreSchema, knowledgeBaseSchema } from "./retrieval.js";

const instructions = () =>
  optional(
    z.array(z.strictObject({ type: filledText(), content: text() })),
    [...DEFAULT_INSTRUCTIONS],
    "What the bot is and does; the first entry of type `general` is used.",
  );

/** Every key of a configuration (spec rails 1.4), strict at every level, with every default. */
export const settingsSchema = once(() =>
  z.strictObject({
    colang_version: optional(z.enum(["1.0", "2.x"]), "1.0", "The version of Colang the flows are written in."),
    models: optional(modelsSchema(), [], "The models and what each is for."),
    user_messages: optional(mapOf(oneOrMoreTexts()), NO_ENTRIES, "Examples of what users say, by intent."),
    bot_messages: optional(mapOf(oneOrMoreTexts()), NO_ENTRIES, "What the bot says, by message name."),
    flows: optional(z.array(z.unknown()), [], "Flows written in YAML."),
    instructions: instructions(),
    docs: optional(
      z.array(z.strictObject({ format: z.literal("md"), content: text() })),
      [],
      "Documents of the knowledge base.",
    ),
    sample_conversation: optional(text(), DEFAULT_SAMPLE_CONVERSATION, "Turns that show models the form to write in."),
    prompts: optional(promptsSchema(), [], "Prompts that replace the built-in ones."),
    prompting_mode: optional(filledText(), "standard", "Which of the prompts to prefer."),
    import_paths: optional(z.array(filledText()), [], "Other configurations to include."),
    lowest_temperature: optional(z.number().min(0).max(2), 0, "The temperature of tasks that must not vary."),
    enable_multi_step_generation: optional(flag(), false, "Models may write several steps at once."),
    enable_rails_exceptions: optional(flag(), false, "A blocking rail raises an exception instead of refusing."),
    passthrough: optional(flag(), null, "Send the user's own messages to the main model unchanged."),
    streaming: optional(flag(), false, "Deprecated: every call decides for itself whether it streams."),
    context_variables: optional(
      z.array(z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of a variable, without `$`")),
      [],
      "Variables that the application or its actions set and flows read.",
    ),
    custom_data: customDataSchema(),
    knowledge_base: knowledgeBaseSchema(),
    core: coreSchema(),
    rails: railsSchema(),
    actions_server_url: optional(filledText(), null, "A server that runs actions."),
    event_source_uid: optional(filledText(), "langchain-guardrails", "The source named in events."),
    raw_llm_call_action: optional(filledText(), "raw llm call", "The action behind raw model calls."),
    tracing: tracingSchema(),
    metrics: metricsSchema(),
    limits: limitsSchema(),
    messages: messagesSchema(),
    actions: actionsSchema(),
    security: securitySchema(),
    history: historySchema(),
    llm_flows: llmFlowsSchema(),
  }),
);

export type ParsedSettings = z.output<ReturnType<typeof settingsSchema>>;
