import type { UsageMetadata } from "@langchain/core/messages";

const CHARACTERS_PER_TOKEN = 4;

/**
 * About how many tokens a call took, for streams whose provider does not tell: four characters make a token.
 *
 * @example
 * ```ts
 * estimateUsage("How much is it?", "Four euros."); // { input_tokens: 4, output_tokens: 3, total_tokens: 7 }
 * ```
 */
export function estimateUsage(prompt: string, completion: string): UsageMetadata {
  const input = estimateTokens(prompt);
  const output = estimateTokens(completion);
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}

/** About how many tokens a text is. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
