import { z } from "zod/v4";

import { DEFAULT_INSTRUCTIONS, DEFAULT_SAMPLE_CONVERSATION, DEFAULT_MESSAGES } from "../default-conversation.js";
import {
  filledText,
  flag,
  freeMap,
  mapOf,
  NO_ENTRIES,
  atLeastZero,
  listOf,
  ratio,
  once,
  oneOrMoreTexts,
  optional,
  section,
  text,
  texts,
  count,
} from "./fields.js";
import { railConfig } from "./rail-config.js";

/** Every key of a configuration, strict at every level, with every default. */
export const settingsSchema = once(() =>
  z.strictObject({
    colang_version: optional(z.enum(["1.0", "2.x"]), "1.0", "The version of Colang the flows are written in."),
    models: models(),
    user_messages: optional(mapOf(oneOrMoreTexts()), NO_ENTRIES, "Examples of user messages, by intent."),
    bot_messages: optional(mapOf(oneOrMoreTexts()), NO_ENTRIES, "Bot messages by name."),
    flows: optional(z.array(z.unknown()), [], "Flows written in YAML."),
    instructions: listOf(
      "Purpose and manner of the bot; the first entry of type `general` is used.",
      {
        type: filledText().meta({ description: "Kind of the instructions, usually `general`." }),
        content: text().meta({ description: "The instructions." }),
      },
      [...DEFAULT_INSTRUCTIONS],
    ),
    docs: listOf("Documents of the knowledge base.", {
      format: z.literal("md").meta({ description: "Format of the document." }),
      content: text().meta({ description: "Text of the document." }),
    }),
    sample_conversation: optional(text(), DEFAULT_SAMPLE_CONVERSATION, "Turns that show models the form to write in."),
    prompts: prompts(),
    prompting_mode: optional(filledText(), "standard", "Prompts to prefer, by their `mode`."),
    import_paths: optional(z.array(filledText()), [], "Other configurations to include."),
    lowest_temperature: optional(atLeastZero("temperature").max(2), 0, "The temperature of tasks that must not vary."),
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
    metrics: section("OpenTelemetry metrics.", { enabled: optional(flag(), false, "Count requests and blocks.") }),
    limits: limits(),
    messages: messages(),
    actions: actions(),
    security: section("Extent of the input rails.", {
      check_all_user_messages: optional(flag(), true, "Check every user message since the last bot message."),
    }),
    history: section("Treatment of earlier messages.", {
      recover_intents: optional(flag(), false, "Find the intents of earlier messages in calls without a thread."),
    }),
    llm_flows: section("Flows written by a model.", {
      allowed_actions: optional(texts(), [], "Actions that flows written by a model may run."),
    }),
  }),
);

export type ParsedSettings = z.output<ReturnType<typeof settingsSchema>>;

/** `models`. A name found in `parameters` has been moved to `model` before this runs. */
const models = () =>
  listOf("The models and their purposes.", {
    type: filledText().meta({
      description: "`main`, `embeddings`, a task such as `self_check_input`, or a role of your own.",
    }),
    engine: filledText().meta({ description: "The provider, such as `openai` or `anthropic`." }),
    model: optional(filledText(), null, "The model's name; it may also stand in `parameters.model`."),
    parameters: optional(freeMap(), NO_ENTRIES, "Passed to the model's constructor; snake_case is translated."),
    mode: optional(z.enum(["chat", "text"]), "chat", "Chat messages, or plain completions."),
    api_key_env_var: optional(filledText(), null, "The environment variable that holds the key."),
    cache: section("Cache of safety verdicts.", {
      enabled: optional(flag(), false, "Keep verdicts of this model in memory."),
      maxsize: optional(count(1, "verdicts"), 50_000, "Greatest number of verdicts to keep."),
      stats: section("Statistics of the cache.", {
        enabled: optional(flag(), false, "Count hits and misses."),
        log_interval: optional(atLeastZero("seconds"), null, "Time between two log lines."),
      }),
    }),
  });

const MESSAGE_TYPES = { system: "system", user: "user", assistant: "assistant", bot: "assistant" } as const;

type MessageType = keyof typeof MESSAGE_TYPES;

/** `prompts`. That exactly one of `content` and `messages` is given is checked in `check/prompts.ts`. */
const prompts = () => {
  const message = z.strictObject({
    type: z
      .enum(Object.keys(MESSAGE_TYPES) as [MessageType, ...MessageType[]])
      .transform((type) => MESSAGE_TYPES[type])
      .meta({ description: "Role of the message; `bot` is another word for `assistant`." }),
    content: text().meta({ description: "A template." }),
  });
  return listOf("Prompts that replace the built-in ones.", {
    task: filledText()
      .transform((task) => (task === "fact_checking" ? "self_check_facts" : task))
      .meta({ description: "The task this prompt is for, such as `self_check_input`." }),
    content: optional(text(), null, "The prompt as one template."),
    messages: optional(
      z.array(z.union([z.string(), message], { error: "text, or `type` and `content`" })),
      null,
      "The prompt as chat messages; a bare text must render to a list of messages.",
    ),
    models: optional(z.array(filledText()), null, "`engine` or `engine/model` this prompt is written for."),
    mode: optional(text(), "standard", "The prompting mode this prompt belongs to."),
    output_parser: optional(filledText(), null, "The parser that reads the completion."),
    max_length: optional(count(1, "characters"), 16_000, "Longest prompt to send."),
    max_prompt_tokens: optional(
      count(1, "tokens"),
      null,
      "Longest prompt to send, as the model counts tokens; `max_length` holds too.",
    ),
    stop: optional(texts(), null, "Texts at which the completion ends."),
    max_tokens: optional(count(1, "tokens"), null, "Longest completion to ask for."),
  });
};

const embeddingSearch = () =>
  section("Search among similar texts.", {
    name: optional(filledText(), "default", "The provider, `default` or one registered by code."),
    parameters: optional(freeMap(), NO_ENTRIES, "Settings of the provider, such as `embedding_model`."),
    cache: section("Cache of embeddings.", {
      enabled: optional(flag(), false, "Keep embeddings between runs."),
      key_generator: optional(z.enum(["sha256", "md5", "hash"]), "sha256", "Digest of a text that is its key."),
      store: optional(z.enum(["filesystem", "in_memory", "redis"]), "filesystem", "Storage of the embeddings."),
      store_config: optional(freeMap(), NO_ENTRIES, "Settings of the store, such as `cache_dir`."),
    }),
  });

const knowledgeBase = () =>
  section("The knowledge base.", {
    folder: optional(filledText(), "kb", "The folder with markdown documents."),
    embedding_search_provider: embeddingSearch(),
  });

const core = () =>
  section("Search among intents, messages and flows.", { embedding_search_provider: embeddingSearch() });

const limits = () =>
  section("Limits of one turn; exceeding one ends it with an error that names the limit.", {
    events_per_turn: optional(count(1, "events"), 1000, "New events in one turn."),
    llm_calls_per_turn: optional(count(1, "calls"), 50, "Model calls in one turn."),
    slide_steps: optional(count(1, "steps"), 10_000, "Steps a flow may take while one event is processed."),
    call_depth: optional(count(1, "levels"), 64, "Nesting of subflows."),
  });

const messages = () =>
  section("Texts of the package that users can see.", {
    internal_error: optional(filledText(), DEFAULT_MESSAGES.internal_error, "Bot message when something fails."),
    action_missing: optional(
      filledText(),
      DEFAULT_MESSAGES.action_missing,
      "Bot message when an action does not exist; `{name}` is its name.",
    ),
    no_answer: optional(filledText(), DEFAULT_MESSAGES.no_answer, "Bot message when a model returns an empty message."),
  });

const actions = () =>
  section("Execution of actions.", {
    timeout_ms: optional(count(1, "milliseconds"), 60_000, "Longest time an action may take."),
    ignore_errors: optional(flag(), false, "Continue when a module of actions cannot be loaded."),
    server: section("The remote action server.", {
      token_env_var: optional(filledText(), null, "The environment variable with the action server's token."),
      timeout_ms: optional(count(1, "milliseconds"), 30_000, "Longest time a remote action may take."),
      retries: optional(count(0, "retries"), 2, "Further tries after a failed request."),
    }),
  });

const tracing = () =>
  section("Tracing.", {
    enabled: optional(flag(), false, "Write traces."),
    adapters: optional(
      z.array(z.object({ name: filledText().meta({ description: "Name of the adapter." }) }).catchall(z.unknown())),
      [],
      "Destinations of traces, each with its options.",
    ),
    span_format: optional(text(), null, "The format of spans."),
    enable_content_capture: optional(flag(), false, "Put the texts of the conversation into traces."),
  });

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
  section(about, {
    flows: flows(),
    parallel: toolParallel(),
    per_tool: optional(mapOf(texts()), NO_ENTRIES, "Further rails by the name of the tool."),
  });

const streaming = () =>
  section("Treatment of streams by output rails.", {
    enabled: optional(flag(), null, "`false` holds the whole bot message back until it was checked."),
    mode: optional(
      z.enum(["buffer", "window", "passthrough"]),
      "window",
      "Hold the whole bot message back, check windows of it, or let it through.",
    ),
    chunk_size: optional(count(1, "model chunks"), 64, "Size of one window."),
    context_size: optional(count(0, "model chunks"), 32, "Part of the window before that is checked again."),
    stream_first: optional(flag(), false, "Send a window before it has been checked."),
  });

const dialog = () =>
  section("Dialog rails.", {
    single_call: section("One model call instead of three.", {
      enabled: optional(flag(), null, "`true` asks for intent, next step and message in one call."),
      fallback_to_multiple_calls: optional(flag(), true, "Use three calls when the merged one cannot be read."),
    }),
    user_messages: section("Recognition of user intents.", {
      embeddings_only: optional(flag(), false, "Find intents by similarity alone, without a model call."),
      embeddings_only_similarity_threshold: optional(ratio(), null, "Least similarity that counts as a match."),
      embeddings_only_fallback_intent: optional(filledText(), null, "The intent when nothing is similar enough."),
      match_threshold: optional(ratio(), null, "Replace an unknown intent by a known one at least this similar."),
    }),
  });

const rails = () =>
  section("Rails of every stage.", {
    input: section("Rails on user messages.", {
      flows: flows(),
      parallel: parallel(),
      speculative: optional(flag(), false, "Start the main model while input rails that only judge still run."),
    }),
    output: section("Rails on bot messages.", {
      flows: flows(),
      parallel: parallel(),
      streaming: streaming(),
      apply_to_reasoning_traces: optional(flag(), false, "Check the model's reasoning too."),
      check_predefined: optional(flag(), false, "Check messages written in the configuration too."),
    }),
    retrieval: section("Rails on retrieved text.", { flows: flows() }),
    dialog: dialog(),
    actions: section("Execution of actions.", {
      instant_actions: optional(texts(), null, "Colang 2.x: actions that count as finished at once."),
    }),
    tool_output: toolStage("Rails on the tool calls a model proposes."),
    tool_input: toolStage("Rails on the results of tools."),
    config: railConfig(),
  });
