import { guardAction } from "../judges/guard-actions.js";
import type { RailCode } from "../rail-manifest.js";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Asks if the user's message is safe. */
  content_safety_check_input: guardAction({
    task: "content_safety_check_input",
    side: "input",
    modelType: "content_safety",
  }),
  /** Asks if the bot's message is safe. */
  content_safety_check_output: guardAction({
    task: "content_safety_check_output",
    side: "output",
    modelType: "content_safety",
  }),
};
