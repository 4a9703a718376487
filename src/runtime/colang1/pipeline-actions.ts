/** The pipeline's own action that runs the rails of a stage; it is part of the loop and cannot be replaced. */
export const RUN_RAILS = "run_rails";

/** Actions of the pipeline that lie between an intent and the words of the bot. */
export const BETWEEN_INTENT_AND_WORDS: ReadonlySet<string> = new Set([
  "generate_next_step",
  "generate_next_steps",
  "retrieve_relevant_chunks",
  "generate_bot_message",
  RUN_RAILS,
]);
