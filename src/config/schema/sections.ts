import { z } from "zod/v4";
import { DEFAULT_MESSAGES } from "../default-conversation.js";
import { count, filledText, flag, freeMap, NO_ENTRIES, number, optional, section, text, texts } from "./fields.js";

/** `models`. A name found in `parameters` has been moved to `model` before this runs. */
export const models = () =>
  z.array(
    z.strictObject({
      type: filledText().meta({
        description: "`main`, `embeddings`, a task such as `self_check_input`, or a role of your own.",
      }),
      engine: filledText().meta({ description: "The provider, such as `openai` or `anthropic`." }),
      model: optional(filledText(), null, "The model's name; it may also stand in `parameters.model`."),
      parameters: optional(freeMap(), NO_ENTRIES, "Passed to the model's constructor; snake_case is translated."),
      mode: optional(z.enum(["chat", "text"]), "chat", "Chat messages, or plain completions."),
      api_key_env_var: optional(filledText(), null, "The environment variable that holds the key."),
      cache: section(
        {
          enabled: optional(flag(), false, "Keep verdicts of this model in memory."),
          maxsize: optional(count(1, "verdicts"), 50_000, "Greatest number of verdicts to keep."),
          stats: section(
            {
              enabled: optional(flag(), false, "Count hits and misses."),
              log_interval: optional(number("seconds", { least: 0 }), null, "Time between two log lines."),
            },
            "Statistics of the cache.",
          ),
        },
        "Cache of safety verdicts.",
      ),
    }),
  );

const MESSAGE_TYPES = { system: "system", user: "user", assistant: "assistant", bot: "assistant" } as const;
type MessageType = keyof typeof MESSAGE_TYPES;

/** `prompts`. That exactly one of `content` and `messages` is given is checked in `check/prompts.ts`. */
export const prompts = () => {
  const message = z.strictObject({
    type: z
      .enum(Object.keys(MESSAGE_TYPES) as [MessageType, ...MessageType[]])
      .transform((type) => MESSAGE_TYPES[type])
      .meta({ description: "Role of the message; `bot` is another word for `assistant`." }),
    content: text().meta({ description: "A template." }),
  });
  return z.array(
    z.strictObject({
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
    }),
  );
};

const embeddingSearch = () =>
  section(
    {
      name: optional(filledText(), "default", "The provider, `default` or one registered by code."),
      parameters: optional(freeMap(), NO_ENTRIES, "Settings of the provider, such as `embedding_model`."),
      cache: section(
        {
          enabled: optional(flag(), false, "Keep embeddings between runs."),
          key_generator: optional(z.enum(["sha256", "md5", "hash"]), "sha256", "Digest of a text that is its key."),
          store: optional(z.enum(["filesystem", "in_memory", "redis"]), "filesystem", "Storage of the embeddings."),
          store_config: optional(freeMap(), NO_ENTRIES, "Settings of the store, such as `cache_dir`."),
        },
        "Cache of embeddings.",
      ),
    },
    "Search among similar texts.",
  );

export const knowledgeBase = () =>
  section(
    {
      folder: optional(filledText(), "kb", "The folder with markdown documents."),
      embedding_search_provider: embeddingSearch(),
    },
    "The knowledge base.",
  );

export const core = () =>
  section({ embedding_search_provider: embeddingSearch() }, "Search among intents, messages and flows.");

export const limits = () =>
  section(
    {
      events_per_turn: optional(count(1, "events"), 1000, "New events in one turn."),
      llm_calls_per_turn: optional(count(1, "calls"), 50, "Model calls in one turn."),
      slide_steps: optional(count(1, "steps"), 10_000, "Steps a flow may take while one event is processed."),
      call_depth: optional(count(1, "levels"), 64, "Nesting of subflows."),
    },
    "Limits of one turn; exceeding one ends it with an error that names the limit.",
  );

export const messages = () =>
  section(
    {
      internal_error: optional(filledText(), DEFAULT_MESSAGES.internal_error, "Bot message when something fails."),
      action_missing: optional(
        filledText(),
        DEFAULT_MESSAGES.action_missing,
        "Bot message when an action does not exist; `{name}` is its name.",
      ),
      no_answer: optional(
        filledText(),
        DEFAULT_MESSAGES.no_answer,
        "Bot message when a model returns an empty message.",
      ),
    },
    "Texts of the package that users can see.",
  );

export const actions = () =>
  section(
    {
      timeout_ms: optional(count(1, "milliseconds"), 60_000, "Longest time an action may take."),
      ignore_errors: optional(flag(), false, "Continue when a module of actions cannot be loaded."),
      server: section(
        {
          token_env_var: optional(filledText(), null, "The environment variable with the action server's token."),
          timeout_ms: optional(count(1, "milliseconds"), 30_000, "Longest time a remote action may take."),
          retries: optional(count(0, "retries"), 2, "Further tries after a failed request."),
        },
        "The remote action server.",
      ),
    },
    "Execution of actions.",
  );

export const tracing = () =>
  section(
    {
      enabled: optional(flag(), false, "Write traces."),
      adapters: optional(
        z.array(z.object({ name: filledText().meta({ description: "Name of the adapter." }) }).catchall(z.unknown())),
        [],
        "Destinations of traces, each with its options.",
      ),
      span_format: optional(text(), null, "The format of spans."),
      enable_content_capture: optional(flag(), false, "Put the texts of the conversation into traces."),
    },
    "Tracing.",
  );
