import type { RailCode } from "../rail-manifest.js";
import { contextText } from "../context-text.js";
import { andThen } from "../../engine/async.js";
import { shortened } from "../judges/guard-actions.js";
import { judge } from "../judges/judge.js";
import { ownPolicies } from "../judges/self-policies.js";

const TASK = "self_check_output";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Checks the bot's message. */
  [TASK]: (params, context) => {
    const { variant, policies } = ownPolicies(context.config, "output", params["variant"]);
    const text = contextText(context.context, "bot_message");
    const question = contextText(context.context, "user_message", "last_user_message");
    const variables = (bot_response: string, isPart: boolean): Readonly<Record<string, unknown>> => ({
      user_input: isPart ? shortened(question) : question,
      bot_response,
      policies,
    });
    return andThen(judge(), ({ isAllowed }) => isAllowed({ task: TASK, variant, text, variables }, context));
  },
};
