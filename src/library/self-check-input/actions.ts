import { actionResult } from "../../actions/dispatcher.js";
import type { RailCode } from "../rail-manifest.js";
import { contextText } from "../context-text.js";
import { andThen } from "../../engine/async.js";
import { judge } from "../judges/judge.js";
import { ownPolicies } from "../judges/self-policies.js";

const TASK = "self_check_input";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Checks the user's message. On a block the message is also hidden from later prompts. */
  [TASK]: (params, context) => {
    const text = contextText(context.context, "user_message");
    const { variant, policies } = ownPolicies(context.config, "input", params["variant"]);
    const variables = (user_input: string): Readonly<Record<string, unknown>> => ({ user_input, policies });
    return andThen(judge(), async ({ isAllowed }) => {
      if (await isAllowed({ task: TASK, variant, text, variables }, context)) return true;
      const events = [{ type: "mask_prev_user_message", intent: "unanswerable message" }];
      return actionResult({ returnValue: false, events });
    });
  },
};
