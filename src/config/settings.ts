/**
 * The settings of a configuration as YAML spells them (snake_case), with every default applied. The same object is
 * `$config` in Colang.
 */
export interface RailsSettings {
  readonly colang_version: "1.0" | "2.x";
  readonly models: readonly ModelSettings[];
  readonly user_messages: Readonly<Record<string, readonly string[]>>;
  readonly bot_messages: Readonly<Record<string, readonly string[]>>;
  readonly flows: readonly unknown[];
  readonly instructions: readonly { readonly type: string; readonly content: string }[];
  readonly sample_conversation: string;
  readonly prompts: readonly TaskPrompt[];
  readonly prompting_mode: string;
  readonly import_paths: readonly string[];
  readonly lowest_temperature: number;
  readonly enable_multi_step_generation: boolean;
  readonly enable_rails_exceptions: boolean;
  readonly passthrough: boolean | null;
  readonly streaming: boolean;
  /** Variables that the application or its actions set, so that flows may read what no flow assigns. */
  readonly context_variables: readonly string[];
  readonly custom_data: Readonly<Record<string, unknown>>;
  readonly knowledge_base: KnowledgeBaseSettings;
  readonly core: { readonly embedding_search_provider: EmbeddingSearchSettings };
  readonly rails: RailsSection;
  readonly actions_server_url: string | null;
  readonly event_source_uid: string;
  readonly raw_llm_call_action: string;
  readonly tracing: TracingSettings;
  readonly metrics: { readonly enabled: boolean };
  readonly limits: LimitSettings;
  readonly messages: MessageSettings;
  readonly actions: ActionSettings;
  readonly security: { readonly check_all_user_messages: boolean };
  readonly history: { readonly recover_intents: boolean };
  readonly llm_flows: { readonly allowed_actions: readonly string[] };
}

export interface ModelSettings {
  readonly type: string;
  readonly engine: string;
  readonly model: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly mode: "chat" | "text";
  readonly api_key_env_var: string | null;
  readonly cache: {
    readonly enabled: boolean;
    readonly maxsize: number;
    readonly stats: { readonly enabled: boolean; readonly log_interval: number | null };
  };
}

export type PromptMessage = { readonly type: "system" | "user" | "assistant"; readonly content: string };

/** One prompt: either `content` or `messages`; a bare string among the messages must render to a list of messages. */
export interface TaskPrompt {
  readonly task: string;
  readonly content: string | null;
  readonly messages: readonly (string | PromptMessage)[] | null;
  readonly models: readonly string[] | null;
  readonly mode: string;
  readonly output_parser: string | null;
  /** In characters. */
  readonly max_length: number;
  /** In tokens as the model counts them, in addition to the limit in characters. */
  readonly max_prompt_tokens: number | null;
  readonly stop: readonly string[] | null;
  readonly max_tokens: number | null;
}

interface StageSettings {
  readonly flows: readonly string[];
  /** `null` = mutating rails in order, then verdict rails together; `false` = strict order; `true` = all together. */
  readonly parallel: boolean | null;
}

export interface RailsSection {
  readonly input: StageSettings & { readonly speculative: boolean };
  readonly output: StageSettings & {
    readonly streaming: StreamingSettings;
    readonly apply_to_reasoning_traces: boolean;
    /** Run output rails on predefined messages too. */
    readonly check_predefined: boolean;
  };
  readonly retrieval: { readonly flows: readonly string[] };
  readonly dialog: {
    readonly single_call: { readonly enabled: boolean | null; readonly fallback_to_multiple_calls: boolean };
    readonly user_messages: {
      readonly embeddings_only: boolean;
      readonly embeddings_only_similarity_threshold: number | null;
      readonly embeddings_only_fallback_intent: string | null;
      readonly match_threshold: number | null;
    };
  };
  readonly actions: { readonly instant_actions: readonly string[] | null };
  readonly tool_output: ToolStageSettings;
  readonly tool_input: ToolStageSettings;
  readonly config: Readonly<Record<string, unknown>>;
}

interface ToolStageSettings {
  readonly flows: readonly string[];
  readonly parallel: boolean | null;
  readonly per_tool: Readonly<Record<string, readonly string[]>>;
}

interface StreamingSettings {
  readonly enabled: boolean | null;
  readonly mode: "buffer" | "window" | "passthrough";
  readonly chunk_size: number;
  readonly context_size: number;
  readonly stream_first: boolean;
}

export interface EmbeddingSearchSettings {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly cache: {
    readonly enabled: boolean;
    readonly key_generator: "sha256" | "md5" | "hash";
    readonly store: "filesystem" | "in_memory" | "redis";
    readonly store_config: Readonly<Record<string, unknown>>;
  };
}

interface KnowledgeBaseSettings {
  readonly folder: string;
  readonly embedding_search_provider: EmbeddingSearchSettings;
}

export interface LimitSettings {
  readonly events_per_turn: number;
  readonly llm_calls_per_turn: number;
  readonly slide_steps: number;
  readonly call_depth: number;
}

/** Texts of our own that users may reword. `{name}` in `action_missing` is the action's name. */
export interface MessageSettings {
  readonly internal_error: string;
  readonly action_missing: string;
  readonly no_answer: string;
}

interface ActionSettings {
  readonly timeout_ms: number;
  readonly ignore_errors: boolean;
  readonly server: { readonly token_env_var: string | null; readonly timeout_ms: number; readonly retries: number };
}

interface TracingSettings {
  readonly enabled: boolean;
  /** Each with the options of its own. */
  readonly adapters: readonly { readonly name: string; readonly [option: string]: unknown }[];
  readonly span_format: string | null;
  readonly enable_content_capture: boolean;
}
