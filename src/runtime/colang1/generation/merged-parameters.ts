import type { ModelParameters } from "../../../llm/model.js";

/** The names under which callers limit a completion. */
const LENGTH_NAMES: ReadonlySet<string> = new Set(["max_tokens", "maxTokens", "max_completion_tokens"]);

/** What the lines before the bot's words may take; a limit of the caller is about the words. */
const HEAD_TOKENS = 64;

/** How `llm_params`, which are about the bot's words, go into a call that decides as well. */
export interface MergedParameters {
  readonly parameters: ModelParameters;
  /** At which the words end; the lines before them must not end there. */
  readonly stop: readonly string[];
  /** True when the words want a temperature that a decision must not have, so that they are a call of their own. */
  readonly areWordsApart: boolean;
}

/**
 * The parameters of a merged call (spec rails 2.11): the lowest temperature, the caller's limit with room for the lines
 * before the words, and everything else as it is given.
 *
 * @param mode - where the completion is read as a whole the caller's temperature is not heard (spec rails 2.2)
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
