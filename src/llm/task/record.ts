import type { AIMessage, UsageMetadata } from "@langchain/core/messages";

/** One model call as the log and `explain` tell it (spec rails 4.5). Times are milliseconds since 1970. */
export interface LlmCallRecord {
  readonly task: string;
  readonly model: string;
  /** The engine the model is of, such as `openai`. */
  readonly provider: string;
  readonly prompt: string;
  readonly completion: string;
  readonly usage?: UsageMetadata | undefined;
  /** Present when the provider told no tokens, as of a stream that was cut, and `usage` was made from the texts. */
  readonly isUsageEstimated?: true;
  /** The message of a chat model as it came; in results of `generate` no enumerable field. */
  readonly rawResponse?: AIMessage | undefined;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly durationMs: number;
  /** The rail or flow step it ran for. */
  readonly rail?: string | undefined;
}
