import { omitUndefined } from "../../engine/plain-data.js";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { LlmCallRecord } from "../../llm/task/call-model.js";
import type { TurnLog, TurnResult } from "../../turn/result.js";
import type { GuardedCall } from "../call.js";
import { reviewResponse } from "../review/review.js";
import { reviewToolCalls } from "../tools/tool-review.js";
import { type BotResponse, releaseMessage } from "../values/response.js";
import { isMessage } from "../values/message-kinds.js";
import { readResponse } from "../values/read-response.js";

/**
 * Returns the result with its model's raw output as rails left it. Besides the response, which has passed, that holds
 * tool calls, reasoning, citations and whatever else a provider adds. INVARIANT: a block removes it, also from the
 * records of model calls, and keeps the response.
 */
export async function reviewRawOutput(result: TurnResult, call: GuardedCall): Promise<TurnResult> {
  const { llmOutput, ...rest } = result;
  if (result.verdict.blocked) return { ...rest, log: withoutResponses(result.log) };
  const isText = typeof llmOutput === "string";
  if (!isText && !isMessage(llmOutput)) return result;
  const response = readResponse(isText ? new AIMessage(llmOutput) : llmOutput);
  const left = await review(response, result, call);
  if (left === undefined) return { ...rest, log: withoutResponses(result.log) };
  // Rails that read reasoning have released this one; other output rails have not read it.
  const released = call.conversation.readsReasoning
    ? (left as BaseMessage)
    : releaseMessage(left as BaseMessage, result.verdict, { marked: false });
  return { ...rest, llmOutput: isText ? released.text : released };
}

/** Returns the message as rails left it; undefined for a block. */
async function review(response: BotResponse, { text, userMessage }: TurnResult, call: GuardedCall): Promise<unknown> {
  const settings = { userText: userMessage };
  const { readsReasoning } = call.conversation;
  // The turn has already reviewed a text that is the whole response.
  const isReviewed =
    response.text === text &&
    (response.unseen?.() ?? []).length === 0 &&
    (!readsReasoning || response.reasoning() === "");
  if (!isReviewed) {
    const { block, texts, reasoning, response: after } = await reviewResponse(response, call, settings);
    if (block !== undefined) return undefined;
    return (reasoning === undefined ? after : after.replaceReasoning(reasoning)).rewrite(texts[0] ?? "");
  }
  const { block, apply } = await reviewToolCalls(response.message as BaseMessage, call, settings);
  if (block !== undefined) return undefined;
  return apply === undefined ? response.value : apply(response.message as BaseMessage);
}

/** Maps the records of model calls, wherever a log holds them. */
type ChangeRecord = (record: LlmCallRecord) => LlmCallRecord;

function withoutResponses(log: TurnLog): TurnLog {
  return withRecords(log, ({ rawResponse: _raw, ...record }) => record);
}

/**
 * Returns the log with the provider's messages as non-enumerable fields: code can read `rawResponse`, but no JSON, log
 * or store of the result contains unreviewed output.
 */
export function withHiddenResponses(log: TurnLog): TurnLog {
  return withRecords(log, ({ rawResponse, ...record }) =>
    rawResponse === undefined ? record : Object.defineProperty(record, "rawResponse", { value: rawResponse }),
  );
}

function withRecords(log: TurnLog, change: ChangeRecord): TurnLog {
  const { llmCalls, activatedRails } = log;
  const rails = activatedRails?.map(({ executedActions, ...rail }) => ({
    ...rail,
    executedActions: executedActions.map((action) => ({ ...action, llmCalls: action.llmCalls.map(change) })),
  }));
  return { ...log, ...omitUndefined({ llmCalls: llmCalls?.map(change), activatedRails: rails }) };
}
