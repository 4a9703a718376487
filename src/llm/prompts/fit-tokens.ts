import { LimitError } from "../../diagnostics/errors.js";
import type { LanguageModel, ModelPrompt } from "../model.js";
import { promptLength, promptText } from "./prompt-text.js";

/** Letters of a token for models that do not count tokens: few, so that the estimate is rather too high. */
const LETTERS_PER_TOKEN = 3;

/** Estimates the tokens of a text for a model that does not count them. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / LETTERS_PER_TOKEN);
}

/** Margin of the next attempt: tokens are not spread evenly over a text. */
const CAUTION = 0.95;

export interface TokenBudget {
  readonly task: string;
  readonly model: Pick<LanguageModel, "countTokens">;
  /** Tokens of the prompt. */
  readonly tokens: number;
  /** Characters of the prompt. */
  readonly length: number;
}

/**
 * Renders shorter and shorter prompts until one is within the tokens. Each attempt aims at the length that
 * follows from the tokens of the last one, so there are few of them; the model counts once for each.
 *
 * @param render - renders within a number of characters, or throws a LimitError
 * @throws LimitError PR-107, whose `maximum` is the number of characters there would be room for
 */
export async function fitTokens(render: (maximum: number) => ModelPrompt, budget: TokenBudget): Promise<ModelPrompt> {
  let maximum = budget.length;
  for (;;) {
    const prompt = renderWithin(render, maximum, budget);
    const text = promptText(prompt);
    const tokens = (await budget.model.countTokens?.(text)) ?? estimateTokens(text);
    if (tokens <= budget.tokens) return prompt;
    const length = promptLength(prompt);
    maximum = Math.min(length - 1, Math.floor((length * budget.tokens * CAUTION) / tokens));
  }
}

function renderWithin(
  render: (maximum: number) => ModelPrompt,
  maximum: number,
  { task, tokens, length }: TokenBudget,
): ModelPrompt {
  try {
    if (maximum > 0) return render(maximum);
  } catch (error) {
    if (!LimitError.isInstance(error) || error.code !== "PR-107" || maximum === length) throw error;
  }
  const message = `prompt of task \`${task}\` is longer than its budget of ${tokens} tokens`;
  throw new LimitError(message, { code: "PR-107", limit: "max_prompt_tokens", maximum: Math.max(0, maximum) });
}
