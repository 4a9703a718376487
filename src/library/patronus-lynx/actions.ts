import { contextText } from "../context-text.js";
import { subjectOf, typeOf } from "../judges/guard-actions.js";
import { judge } from "../judges/judge.js";
import type { RailCode } from "../rail-manifest.js";

const TASK = "patronus_lynx_check_output_hallucination";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /**
   * Asks if the evidence supports the bot's message, which passes without evidence. Evidence that exceeds the prompt is checked in
   * parts, one of which must support the whole message.
   */
  [TASK]: async (params, context) => {
    const bot_response = subjectOf("output", params, context);
    const evidence = contextText(context.context, "relevant_chunks", "relevant_chunks_sep");
    if (bot_response.trim() === "" || evidence === "") {
      context.annotate({ reason: evidence === "" ? "there is no evidence" : "there is no text to check" });
      return { allowed: true, hallucination: false, policy_violations: [] };
    }
    const user_input = contextText(context.context, "user_message", "last_user_message");
    const { judgeText } = await judge();
    const verdict = await judgeText(
      {
        task: TASK,
        modelType: typeOf(params, "patronus_lynx"),
        variant: params["variant"],
        text: evidence,
        variables: (provided_context) => ({ user_input, bot_response, provided_context }),
        decidedBy: "allow",
      },
      context,
    );
    return { ...verdict, hallucination: !verdict.allowed };
  },
};
