import type { ToolCheck } from "../../../src/rails/tools/tool-check.js";
import type { ToolSubject } from "../../../src/rails/tools/tool-subject.js";
import type { GuardedConversation } from "../../../src/runtime/guarded-conversation.js";
import type { Review } from "../../../src/runtime/review.js";
import type { Runtime } from "../../../src/runtime/runtime.js";
import type { RailDecision, RailsStage, ToolStage } from "../../../src/turn/decision.js";
import type { TurnOptions } from "../../../src/turn/options.js";
import type { RailSubject, StageResult } from "../../../src/turn/result.js";

/** Runs the rails on a tool in a separate conversation. */
export function checkTool(
  runtime: Runtime,
  stage: ToolStage,
  subject: ToolSubject,
  options?: TurnOptions,
): Promise<ToolCheck> {
  return within(runtime, options, async (conversation) => {
    const { check } = await (stage === "tool_output"
      ? conversation.toolCall(subject)
      : conversation.toolResult(subject));
    return check;
  });
}

/** Runs one rail in a separate conversation. */
export function runRail(
  runtime: Runtime,
  reference: string,
  subject: RailSubject & { readonly stage?: RailsStage },
  options?: TurnOptions,
): Promise<RailDecision> {
  return within(runtime, options, (conversation) => conversation.rail(reference, subject));
}

/** Runs the rails of one stage in a separate conversation. */
export function runStage(
  runtime: Runtime,
  stage: RailsStage,
  subject: RailSubject,
  options?: TurnOptions,
): Promise<Pick<Review, "status" | "texts"> & Pick<StageResult, "decisions"> & { readonly relevantChunks?: string }> {
  const { userMessage = "", history } = subject;
  return within(runtime, options, async (conversation) => {
    if (stage === "retrieval") return { ...(await conversation.retrieval(subject)), texts: [] };
    const review = await (stage === "input"
      ? conversation.input([{ text: userMessage }], history)
      : conversation.output(subject));
    return { ...review, decisions: review.verdict.decisions };
  });
}

async function within<Result>(
  runtime: Runtime,
  options: TurnOptions | undefined,
  work: (conversation: GuardedConversation) => Promise<Result>,
): Promise<Result> {
  const conversation = runtime.open(options);
  try {
    return await work(conversation);
  } finally {
    conversation.close();
  }
}
