import type { TurnResult } from "../../turn/result.js";
import type { GuardedCall } from "../call.js";
import { isMessage } from "../values/message-kinds.js";
import { reasoningText, rewriteReasoning } from "../values/reasoning.js";

/**
 * What a model of the configuration thought is part of its raw output and of nothing else. Where output rails look at
 * thoughts they look at these too; a block takes the raw output back, and leaves the answer, which has passed.
 */
export async function reviewRawOutput(result: TurnResult, { conversation }: GuardedCall): Promise<TurnResult> {
  const { llmOutput, ...rest } = result;
  if (!isMessage(llmOutput) || result.verdict.blocked || !conversation.readsReasoning) return result;
  const reasoning = reasoningText(llmOutput);
  if (reasoning === "") return result;
  const review = await conversation.output({ botMessage: "", reasoning, userMessage: result.userMessage });
  if (review.block !== undefined) return rest;
  return { ...rest, llmOutput: rewriteReasoning(llmOutput, review.reasoning ?? reasoning) };
}
