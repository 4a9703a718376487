import { DEFAULT_INSTRUCTIONS, DEFAULT_SAMPLE_CONVERSATION, DEFAULT_MESSAGES } from "../default-conversation.js";
import {
  anything,
  choice,
  described,
  entry,
  filledText,
  flag,
  freeMap,
  mapOf,
  NO_ENTRIES,
  atLeastZero,
  listOf,
  literal,
  many,
  matching,
  openEntry,
  rewritten,
  union,
  type ValueOf,
  ratio,
  once,
  oneOrMoreTexts,
  optional,
  positive,
  section,
  text,
  texts,
  byName,
  count,
} from "./fields.js";
import { railConfig } from "./rail-config.js";

/**
 * Every key of a configuration with its default, strict at every level.
 *
 * @param ownRails - additional keys of `rails.config`
 */
export function settingsField(ownRails: readonly string[] = []): ReturnType<typeof allSettings> {
  return ownRails.length === 0 ? plainSettings() : allSettings(ownRails);
}

const plainSettings = once(() => allSettings([]));

const allSettings = (ownRails: readonly string[]) =>
  entry({
    colang_version: optional(choice(["1.0", "2.x"]), "1.0", "The version of Colang the flows are written in."),
    extends: optional(
      oneOrMoreTexts(),
      [],
      "Presets to start from: `preset:local`, `preset:balanced` or `preset:strict`.",
    ),
    models: models(),
    user_messages: optional(mapOf(oneOrMoreTexts()), NO_ENTRIES, "Examples of user messages, by intent."),
    bot_messages: optional(mapOf(oneOrMoreTexts()), NO_ENTRIES, "Bot messages by name."),
    flows: optional(many(anything()), [], "Flows written in YAML."),
    instructions: optional(
      rewritten(many(instruction()), (given) => (given.length === 0 ? [...DEFAULT_INSTRUCTIONS] : given)),
      [...DEFAULT_INSTRUCTIONS],
      "Purpose and manner of the bot; the first entry of type `general` is used.",
    ),
    docs: listOf("Documents of the knowledge base.", {
      format: described("Format of the document.", literal("md")),
      content: described("Text of the document.", text()),
    }),
    sample_conversation: optional(
      rewritten(text(), (given) => (given.trim() === "" ? DEFAULT_SAMPLE_CONVERSATION : given)),
      DEFAULT_SAMPLE_CONVERSATION,
      "Example turns that show models the expected format.",
    ),
    prompts: prompts(),
    prompting_mode: optional(filledText(), "standard", "Prompts to prefer, by their `mode`."),
    import_paths: optional(many(filledText()), [], "Other configurations to include."),
    lowest_temperature: optional(atLeastZero("temperature", 2), 0, "The temperature of tasks that must not vary."),
    enable_multi_step_generation: optional(flag(), false, "Let models write several steps at once."),
    enable_rails_exceptions: optional(flag(), false, "A blocking rail raises an exception instead of refusing."),
    passthrough: optional(flag(), null, "Send the user's own messages to the main model unchanged."),
    streaming: optional(flag(), false, "Deprecated: every call decides for itself whether it streams."),
    context_variables: optional(
      many(matching(/^[A-Za-z_]\w*$/, "the name of a variable, without `$`")),
      [],
      "Variables that the application or its actions set and flows read.",
    ),
    custom_data: optional(freeMap(), NO_ENTRIES, "Data of your own for flows and actions."),
    knowledge_base: knowledgeBase(),
    core: core(),
    rails: rails(ownRails),
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
  });

export type ParsedSettings = ValueOf<ReturnType<typeof settingsField>>;

const instruction = () =>
  entry({
    type: described("Kind of the instructions, usually `general`.", filledText()),
    content: described("The instructions.", text()),
  });

/** `models`. A name in `parameters` was moved to `model` before this runs. */
const models = () =>
  listOf("The models and their purposes.", {
    type: described("`main`, `embeddings`, a task such as `self_check_input`, or a role of your own.", filledText()),
    engine: described("The provider, such as `openai` or `anthropic`.", filledText()),
    model: optional(filledText(), null, "The model's name; may also be set as `parameters.model`."),
    parameters: optional(freeMap(), NO_ENTRIES, "Passed to the model's constructor; snake_case is translated."),
    mode: optional(choice(["chat", "text"]), "chat", "Chat messages, or plain completions."),
    api_key_env_var: optional(filledText(), null, "The environment variable that holds the key."),
    images: optional(
      flag(),
      null,
      "The model reads pictures, for rails that check them; default: according to its profile.",
    ),
    cache: section("Cache of the verdicts of this model, in the place of `rails.cache`.", {
      enabled: optional(flag(), false, "Keep verdicts of this model in memory."),
      maxsize: optional(count(1, "verdicts"), 50_000, "Maximum number of verdicts to keep."),
      stats: section("Statistics of the cache.", {
        enabled: optional(flag(), false, "Count hits and misses, for the log; decisions show each hit anyway."),
        log_interval: optional(atLeastZero("seconds"), null, "Minimum time between two log lines; none if unset."),
      }),
    }),
  });

const MESSAGE_TYPES = { system: "system", user: "user", assistant: "assistant", bot: "assistant" } as const;

type MessageType = keyof typeof MESSAGE_TYPES;

/** `prompts`. `check/validate.ts` checks that exactly one of `content` and `messages` is given. */
const prompts = () => {
  const roles = choice(Object.keys(MESSAGE_TYPES) as MessageType[]);
  const message = entry({
    type: described(
      "Role of the message; `bot` is another word for `assistant`.",
      rewritten(roles, (type) => MESSAGE_TYPES[type]),
    ),
    content: described("A template.", text()),
  });
  return listOf("Prompts that replace the built-in ones.", {
    task: described(
      "The task this prompt is for, such as `self_check_input`.",
      rewritten(filledText(), (task) => (task === "fact_checking" ? "self_check_facts" : task)),
    ),
    content: optional(text(), null, "The prompt as one template."),
    messages: optional(
      many(union("text, or `type` and `content`", text(), message)),
      null,
      "The prompt as chat messages; a bare text must render to a list of messages.",
    ),
    models: optional(many(filledText()), null, "`engine` or `engine/model` this prompt is written for."),
    mode: optional(text(), "standard", "The prompting mode this prompt belongs to."),
    output_parser: optional(filledText(), null, "The parser that reads the completion."),
    max_length: optional(count(1, "characters"), 16_000, "Longest prompt to send."),
    max_prompt_tokens: optional(
      count(1, "tokens"),
      null,
      "Longest prompt to send, as the model counts tokens; `max_length` holds too.",
    ),
    // A line break is such a text.
    stop: optional(many(text()), null, "Texts at which the completion ends."),
    max_tokens: optional(count(1, "tokens"), null, "Longest completion to ask for."),
  });
};

const embeddingSearch = () =>
  section("Search among similar texts.", {
    name: optional(filledText(), "default", "The provider, `default` or one registered by code."),
    parameters: optional(freeMap(), NO_ENTRIES, "Settings of the provider, such as `embedding_model`."),
    cache: section("Cache of embeddings.", {
      enabled: optional(flag(), false, "Keep embeddings between runs."),
      key_generator: optional(choice(["sha256", "md5", "hash"]), "sha256", "Hash function for the key of a text."),
      store: optional(choice(["filesystem", "in_memory", "redis"]), "filesystem", "Where the embeddings are stored."),
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
    events_per_turn: optional(count(1, "events"), 1000, "New events in one turn, or since an event or timer."),
    llm_calls_per_turn: optional(count(1, "calls"), 50, "Model calls in one turn, or since an event or timer."),
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
    enabled: optional(flag(), false, "Write a trace of every call."),
    adapters: optional(
      many(
        openEntry({ name: described("`FileSystem` (with `filepath`), `OpenTelemetry` or `Console`.", filledText()) }),
      ),
      [],
      "Destinations of traces; unset, the file `./.traces/trace.jsonl`.",
    ),
    span_format: optional(
      text(),
      null,
      "Format of spans in files: `opentelemetry` or `legacy`; unset, `opentelemetry`.",
    ),
    enable_content_capture: optional(
      flag(),
      false,
      "Put texts of the conversation into traces, except those that rails blocked or rewrote.",
    ),
  });

const flows = () => optional(texts(), [], "Rails to run, in order, with parameters such as `name $model=guard`.");

const shadow = () =>
  optional(texts(), [], "Rails that decide and report, but never block or change anything; written like `flows`.");

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
    shadow: shadow(),
    parallel: toolParallel(),
    per_tool: optional(mapOf(texts()), NO_ENTRIES, "Further rails by the name of the tool."),
    shadow_per_tool: optional(mapOf(texts()), NO_ENTRIES, "Further rails in shadow by the name of the tool."),
  });

const streaming = () =>
  section("Treatment of streams by output rails.", {
    enabled: optional(flag(), null, "`false` holds the whole bot message back until it was checked."),
    mode: optional(
      choice(["buffer", "window", "passthrough"]),
      "window",
      "Hold the whole bot message back, check windows of it, or let it through.",
    ),
    chunk_size: optional(count(1, "model chunks"), 64, "Size of one window."),
    context_size: optional(count(0, "model chunks"), 32, "Part of the window before that is checked again."),
    parallel_windows: optional(count(1, "windows"), 4, "Windows under review at once, if all output rails only judge."),
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
      embeddings_only_similarity_threshold: optional(ratio(), null, "Minimum similarity that counts as a match."),
      embeddings_only_fallback_intent: optional(filledText(), null, "The intent when nothing is similar enough."),
      match_threshold: optional(ratio(), null, "Replace an unknown intent by a known one at least this similar."),
    }),
  });

const refusals = () =>
  optional(
    openEntry({
      by_language: optional(flag(), false, "Word built-in refusals in the language of the user's message."),
      default: optional(
        union("text, or texts by language", text(), mapOf(text())),
        null,
        "Text instead of built-in refusals, or texts by ISO 639-1 code.",
      ),
    }),
    NO_REFUSALS,
    "Refusals of rails. Other keys are names of flows, with a text or with texts by language.",
  );

const NO_REFUSALS = Object.freeze({ by_language: false, default: null });

const FIRST_STAGE_DETECTORS = [
  "code_injection",
  "exfiltration",
  "instructions",
  "jailbreak",
  "secrets",
  "toxic_words",
] as const;

const rails = (own: readonly string[]) =>
  section("Rails of every stage.", {
    input: section("Rails on user messages.", {
      flows: flows(),
      shadow: shadow(),
      parallel: parallel(),
      speculative: optional(flag(), false, "Start the main model while input rails that only judge still run."),
    }),
    output: section("Rails on bot messages.", {
      flows: flows(),
      shadow: shadow(),
      parallel: parallel(),
      streaming: streaming(),
      apply_to_reasoning_traces: optional(flag(), false, "Check the model's reasoning too."),
      check_predefined: optional(flag(), false, "Check messages written in the configuration too."),
    }),
    retrieval: section("Rails on retrieved text.", { flows: flows(), shadow: shadow() }),
    dialog: dialog(),
    actions: section("Execution of actions.", {
      instant_actions: optional(texts(), null, "Colang 2.x: actions that count as finished at once."),
    }),
    tool_output: toolStage("Rails on the tool calls a model proposes."),
    tool_input: toolStage("Rails on the results of tools."),
    refusals: refusals(),
    budget: section(
      "Costs of all rails of a turn; a rail that needs more fails, and so blocks unless `onError` says otherwise.",
      {
        calls: optional(count(0, "calls"), null, "Model calls of rails; default: no limit."),
        tokens: optional(
          count(0, "tokens"),
          null,
          "Tokens of these calls, as providers report them; once they are used up, no call begins.",
        ),
        milliseconds: optional(count(1, "milliseconds"), null, "Sum of the times of all rails."),
      },
    ),
    two_stage: byName(
      "Rails whose clear cases are decided by detectors, so that the model is asked only about the others; by the name of the flow.",
      {
        detectors: described("Detectors that run first.", many(choice(FIRST_STAGE_DETECTORS))),
        pass_below: optional(ratio(), 0, "Score below which a text passes without the model; with 0 none does."),
        block_from: optional(ratio(), 0.9, "Score from which a text is blocked without the model."),
      },
    ),
    cache: section(
      "Cache of the verdicts that rails get from models, in memory; blocks and passes alike, never errors.",
      {
        enabled: optional(
          flag(),
          false,
          "Keep verdicts; the same text under the same prompt, model and parameters is not judged twice.",
        ),
        size: optional(count(1, "verdicts"), 10_000, "Maximum number of verdicts to keep."),
        ttl: optional(positive("seconds"), 3_600, "Maximum age of a verdict, also for `models[].cache`."),
        shared: section("Store in Redis for the verdicts of several processes, besides that in memory.", {
          url_env_var: optional(text(), null, "The environment variable that holds the address of Redis."),
          secret_env_var: optional(
            text(),
            null,
            "The environment variable that holds the secret of these processes, of at least 16 characters.",
          ),
          policy: optional(text(), "1", "Name for the models and their parameters; change it when they change."),
          timeout: optional(positive("seconds"), 0.01, "Time limit for the store."),
        }),
      },
    ),
    config: railConfig(own),
  });
