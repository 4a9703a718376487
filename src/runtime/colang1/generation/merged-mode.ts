import type { RailsSettings } from "../../../config/settings.js";
import { hasUserMessages, type StepServices } from "./services.js";
import type { ModelParameters } from "../../../llm/model.js";

/** Intent, step and words in one completion. */
export const MERGED_TASK = "generate_intent_steps_message";

/** Step and words in one completion, for an intent that is known. */
export const STEPS_TASK = "generate_steps_message";

const CLASSIC_TASKS = ["generate_user_intent", "generate_next_steps", "generate_bot_message"] as const;

/**
 * Returns the mode in which a turn makes one call for its stages: line by line (`early`), or as a whole as in the single
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

/** Returns true if a part that a merged completion lacks is requested by a task of its own. */
export function fallsBack({ settings }: { readonly settings: RailsSettings }): boolean {
  return settings.rails.dialog.single_call.fallback_to_multiple_calls;
}

/** The names under which callers limit a completion. */
const LENGTH_NAMES: ReadonlySet<string> = new Set(["max_tokens", "maxTokens", "max_completion_tokens"]);

/** Tokens for the lines before the bot's text; a limit of the caller is about the text. */
const HEAD_TOKENS = 64;

/** Parameters of a call that both decides and generates the text; `llm_params` are about the text. */
interface MergedParameters {
  readonly parameters: ModelParameters;
  /** At which the words end; the lines before them must not end there. */
  readonly stop: readonly string[];
  /** True when the words want a temperature that a decision must not have, so that they are a call of their own. */
  readonly areWordsApart: boolean;
}

/**
 * The parameters of a merged call: the lowest temperature, the caller's limit with room for the lines
 * before the words, and everything else as it is given.
 *
 * @param mode - where the completion is read as a whole the caller's temperature is not heard
 *
 * @example
 * ```ts
 * mergedParameters({ temperature: 0.9, max_tokens: 100 }, { mode: "early", lowest: 0.001 });
 * // { parameters: { temperature: 0.001, maxTokens: 164 }, stop: [], areWordsApart: true }
 * ```
 */
export function mergedParameters(
  llmParams: Readonly<Record<string, unknown>> | undefined,
  { mode, lowest }: { readonly mode: "early" | "whole"; readonly lowest: number },
): MergedParameters {
  const extra: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  let maxTokens: number | undefined;
  let stop: readonly string[] = [];
  let areWordsApart = false;
  for (const [name, value] of Object.entries(llmParams ?? {})) {
    if (name === "temperature") areWordsApart = mode === "early" && typeof value === "number" && value > lowest;
    else if (name === "stop") stop = sequences(value);
    else if (LENGTH_NAMES.has(name) && typeof value === "number") maxTokens = value + HEAD_TOKENS;
    else extra[name] = value;
  }
  return {
    parameters: {
      temperature: lowest,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(Object.keys(extra).length > 0 ? { extra } : {}),
    },
    stop,
    areWordsApart,
  };
}

function sequences(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((sequence) => typeof sequence === "string");
}
