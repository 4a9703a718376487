import type { UsageMetadata } from "@langchain/core/messages";
import type { LlmCallRecord } from "../llm/record.js";

/** The tokens of several calls together; undefined when no provider reported any. */
export function sumUsage(calls: readonly LlmCallRecord[]): UsageMetadata | undefined {
  let total: UsageMetadata | undefined;
  for (const { usage } of calls) {
    if (usage === undefined) continue;
    total = {
      input_tokens: (total?.input_tokens ?? 0) + usage.input_tokens,
      output_tokens: (total?.output_tokens ?? 0) + usage.output_tokens,
      total_tokens: (total?.total_tokens ?? 0) + usage.total_tokens,
    };
  }
  return total;
}
