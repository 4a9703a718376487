import type { UsageMetadata } from "@langchain/core/messages";
import type { LlmCallRecord } from "../llm/task/call-model.js";

/** The tokens of several calls together; undefined when no provider reported any. */
export function sumUsage(calls: readonly LlmCallRecord[]): UsageMetadata | undefined {
  return calls.reduce<UsageMetadata | undefined>((total, { usage }) => addUsage(total, usage), undefined);
}

export function addUsage(left: UsageMetadata | undefined, right: UsageMetadata | undefined): UsageMetadata | undefined {
  if (right === undefined) return left;
  return {
    input_tokens: (left?.input_tokens ?? 0) + right.input_tokens,
    output_tokens: (left?.output_tokens ?? 0) + right.output_tokens,
    total_tokens: (left?.total_tokens ?? 0) + right.total_tokens,
  };
}
