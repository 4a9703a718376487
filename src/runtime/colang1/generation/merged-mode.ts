import type { RailsSettings } from "../../../config/settings.js";
import { hasUserMessages, type StepServices } from "./services.js";

/** Intent, step and words in one completion. */
export const MERGED_TASK = "generate_intent_steps_message";

/** Step and words in one completion, for an intent that is known. */
export const STEPS_TASK = "generate_steps_message";

const CLASSIC_TASKS = ["generate_user_intent", "generate_next_steps", "generate_bot_message"] as const;

/**
 * Whether a turn makes one call for its stages: acted upon line by line (`early`), or as a whole as in the peer's single
 * call mode. What a configuration says about the three tasks one by one needs the three calls, and so does the rest of a
 * turn whose one call could not be read.
 */
export function mergedMode(services: StepServices): "early" | "whole" | undefined {
  const { settings, models, call } = services;
  const { enabled } = settings.rails.dialog.single_call;
  if (call.merged === undefined || call.merged.isUnreadable === true || enabled === false) return undefined;
  if (call.generator || settings.passthrough === true || !hasUserMessages(services)) return undefined;
  if (enabled === true) return "whole";
  if (settings.enable_multi_step_generation) return undefined;
  if (settings.prompts.some(({ task }) => task === MERGED_TASK) || Object.hasOwn(models.byType, MERGED_TASK)) {
    return "early";
  }
  const isSpecial = (task: string): boolean =>
    Object.hasOwn(models.byType, task) || settings.prompts.some((prompt) => prompt.task === task);
  return CLASSIC_TASKS.some(isSpecial) ? undefined : "early";
}

/** Whether a part that a merged completion does not have is asked for by the task of its own. */
export function fallsBack({ settings }: { readonly settings: RailsSettings }): boolean {
  return settings.rails.dialog.single_call.fallback_to_multiple_calls;
}
