import type { LanguageModel, ModelCallScope } from "../model.js";
import type { AIMessage, UsageMetadata } from "@langchain/core/messages";

/** One model call, for the log and `explain`. Times are milliseconds since 1970. */
export interface LlmCallRecord {
  readonly task: string;
  readonly model: string;
  /** The engine of the model, such as `openai`. */
  readonly provider: string;
  readonly prompt: string;
  readonly completion: string;
  readonly usage?: UsageMetadata | undefined;
  /** Present if the provider reported no tokens, as for a cancelled stream, and `usage` is an estimate. */
  readonly isUsageEstimated?: true;
  /** The message of a chat model, unchanged; in results of `generate` it is not enumerable. */
  readonly rawResponse?: AIMessage | undefined;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly durationMs: number;
  /** The rail or flow step it ran for. */
  readonly rail?: string | undefined;
}

const CHARACTERS_PER_TOKEN = 4;

/**
 * Estimates the tokens of a call, for streams whose provider does not report them: four characters make a token.
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

/** Estimates the tokens of a text. */
function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** The environment of a task while it runs; the runtime creates one for each action. */
export interface TaskScope extends ModelCallScope {
  /** Called after every completion; throws `LimitError` when the turn has spent its calls. */
  readonly record?: ((call: LlmCallRecord) => void) | undefined;
  /** Called before every model call; throws `LimitError` when the turn has spent its calls. */
  readonly beforeCall?: (() => void) | undefined;
}

/** A model call of a task. */
export interface ModelCall {
  /** e.g. `generate_user_intent`, `self_check_input`, `content_safety_check_input $model=guard`. */
  readonly task: string;
  readonly model: LanguageModel;
  readonly scope: TaskScope;
}
