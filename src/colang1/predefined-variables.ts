/** Variables that the engine, the pipeline, the API or library rails read and write (spec 8.2, rails 1.17). */
export const PREDEFINED_VARIABLES: ReadonlySet<string> = new Set([
  "last_user_message",
  "last_bot_message",
  "user_message",
  "bot_message",
  "relevant_chunks",
  "relevant_chunks_sep",
  "retrieved_for",
  "skip_output_rails",
  "triggered_input_rail",
  "triggered_output_rail",
  "generation_options",
  "config",
  "event",
  "_last_bot_prompt",
  "passthrough_input",
  "passthrough_output",
  "bot_thinking",
  "check_facts",
  "check_hallucination",
  "hallucination_warning",
  "allowed",
  "policy_violations",
]);

/** Set anew with every event or call; an assignment would be lost. */
export const RESERVED_VARIABLES: ReadonlySet<string> = new Set(["config", "event"]);

/** Always text, so they have no properties to assign. */
export const TEXT_VARIABLES: ReadonlySet<string> = new Set([
  "last_user_message",
  "last_bot_message",
  "user_message",
  "bot_message",
]);
