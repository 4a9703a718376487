import { LimitError } from "../../diagnostics/errors.js";
import type { RenderedTask, TaskRequest } from "../task/task.js";
import { promptLength, promptText } from "./prompt-text.js";

/** Characters per token for models that do not count tokens: low, so that the estimate is rather too high. */
const LETTERS_PER_TOKEN = 3;

/** Estimates the tokens of a text for a model that does not count them. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / LETTERS_PER_TOKEN);
}

/** Safety margin of the next attempt, since tokens are not spread evenly over a text. */
const CAUTION = 0.95;

interface TokenBudget extends Pick<TaskRequest, "task" | "model"> {
  /** Tokens of the prompt. */
  readonly tokens: number;
  /** Characters of the prompt. */
  readonly length: number;
}

/**
 * Renders shorter and shorter prompts until one fits the token limit. Each attempt aims at the length implied by the
 * last one's tokens, so there are few; the model counts once per attempt.
 *
 * @param render - renders within a number of characters, or throws a LimitError
 * @throws LimitError PR-107, whose `maximum` is the number of characters that would fit
 */
export async function fitTokens(
  render: (maximum: number) => RenderedTask,
  { task, model, tokens: allowed, length: longest }: TokenBudget,
): Promise<RenderedTask> {
  let maximum = longest;
  while (maximum > 0) {
    let rendered: RenderedTask;
    try {
      rendered = render(maximum);
    } catch (error) {
      if (maximum === longest || !LimitError.isInstance(error) || error.code !== "PR-107") throw error;
      break;
    }
    const text = promptText(rendered.prompt);
    const tokens = (await model.countTokens?.(text)) ?? estimateTokens(text);
    if (tokens <= allowed) return rendered;
    const length = promptLength(rendered.prompt);
    maximum = Math.min(length - 1, Math.floor((length * allowed * CAUTION) / tokens));
  }
  const message = `prompt of task \`${task}\` is longer than its budget of ${allowed} tokens`;
  throw new LimitError(message, { code: "PR-107", limit: "max_prompt_tokens", maximum: Math.max(0, maximum) });
}
