import type { ParsedSettings } from "./schema/settings-schema.js";

type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;

/**
 * The settings of a configuration in YAML spelling (snake_case), with all defaults applied. The same object is
 * `$config` in Colang. `docs/configuration.md` describes each key.
 */
export type RailsSettings = Frozen<Omit<ParsedSettings, "docs">> & {
  readonly rails: { readonly [Stage in "tool_output" | "tool_input"]: Implied };
};

interface Implied {
  /** Rails among `flows` that no file lists, but that rules on tools need. */
  readonly implied?: readonly string[];
}

export type ModelSettings = RailsSettings["models"][number];
/** One prompt: either `content` or `messages`; a string among the messages must render to a list of messages. */
export type TaskPrompt = RailsSettings["prompts"][number];
export type PromptMessage = Exclude<NonNullable<TaskPrompt["messages"]>[number], string>;
export type RailsSection = RailsSettings["rails"];
export type EmbeddingSearchSettings = RailsSettings["core"]["embedding_search_provider"];
export type BudgetSettings = RailsSettings["rails"]["budget"];
export type LimitSettings = RailsSettings["limits"];
