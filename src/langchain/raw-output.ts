import type { TurnOptions } from "../turn/options.js";
import type { TurnResult } from "../turn/result.js";
import type { GuardedCall } from "./call.js";
import type { Host } from "./host.js";
import { isMessage } from "./values/message-kinds.js";
import { reasoningText, reviewsReasoning, rewriteReasoning } from "./values/reasoning.js";
import { announceDecisions, withoutQuotes } from "./verdict.js";

/**
 * What a model of the configuration thought is part of its raw output and of nothing else. Where output rails look at
 * thoughts they look at these too; a block takes the raw output back, and leaves the answer, which has passed.
 */
export async function reviewRawOutput(
  host: Host,
  result: TurnResult,
  call: GuardedCall,
  options: TurnOptions,
): Promise<TurnResult> {
  const { llmOutput, ...rest } = result;
  if (!isMessage(llmOutput) || result.verdict.blocked || !reviewsReasoning(host)) return result;
  const reasoning = reasoningText(llmOutput);
  if (reasoning === "") return result;
  const subject = { botMessage: "", reasoning, userMessage: result.userMessage };
  const review = await host.runtime.runStage("output", subject, options);
  await announceDecisions(withoutQuotes(review.decisions, [reasoning]), call.announce);
  if (review.verdict.blocked || review.exception !== undefined) return rest;
  return { ...rest, llmOutput: rewriteReasoning(llmOutput, review.reasoning ?? reasoning) };
}
