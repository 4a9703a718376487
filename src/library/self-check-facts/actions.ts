import type { RailCode } from "../rail-manifest.js";
import { contextText } from "../context-text.js";
import { judge } from "../judges/judge.js";

const TASK = "self_check_facts";
const THRESHOLD = 0.5;

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /**
   * Returns 1 if the evidence supports the bot's message, else 0. Without evidence or a message it returns 1. Evidence that exceeds
   * the prompt is checked in parts, one of which must support the whole message.
   */
  [TASK]: async (_, context) => {
    const response = contextText(context.context, "bot_message");
    const evidence = contextText(context.context, "relevant_chunks", "relevant_chunks_sep");
    if (response === "" || evidence === "") {
      context.annotate({ reason: response === "" ? "there is no text to check" : "there is no evidence" });
      return 1;
    }
    const { runCheck, SUPPORT_QUESTION } = await judge();
    const { verdict, isCached } = await runCheck(
      {
        task: TASK,
        text: evidence,
        variables: (part) => ({ evidence: part, response }),
        question: SUPPORT_QUESTION,
        decidedBy: "supported",
      },
      context,
    );
    const score = verdict === "supported" ? 1 : 0;
    context.annotate({
      reason: `the model says that the evidence ${score === 1 ? "supports" : "does not support"} the text`,
      score,
      threshold: THRESHOLD,
      metadata: { task: TASK, ...(isCached === true ? { cached: true } : {}) },
    });
    return score;
  },
};
