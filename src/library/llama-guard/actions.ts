import { guardAction } from "../judges/guard-actions.js";
import type { RailCode } from "../rail-manifest.js";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Asks if the user's message is safe. */
  llama_guard_check_input: guardAction({ task: "llama_guard_check_input", side: "input", modelType: "llama_guard" }),
  /** Asks if the bot's message is safe. */
  llama_guard_check_output: guardAction({ task: "llama_guard_check_output", side: "output", modelType: "llama_guard" }),
};
