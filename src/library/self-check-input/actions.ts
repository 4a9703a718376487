import { actionResult } from "../../actions/dispatcher.js";
import type { RailCode } from "../rail-manifest.js";
import { contextText } from "../context-text.js";
import { judge } from "../judge.js";

const TASK = "self_check_input";

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Checks the user's message. On a block the message is also hidden from later prompts. */
  [TASK]: async ({ variant }, context) => {
    const text = contextText(context.context, "user_message");
    const variables = (user_input: string): Readonly<Record<string, unknown>> => ({ user_input });
    const { isAllowed } = await judge();
    const allowed = await isAllowed({ task: TASK, variant, text, variables }, context);
    const events = allowed ? [] : [{ type: "mask_prev_user_message", intent: "unanswerable message" }];
    return actionResult({ returnValue: allowed, events });
  },
};
