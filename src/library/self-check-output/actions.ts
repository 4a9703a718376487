import type { RailCode } from "../rail-manifest.js";
import { contextText } from "../context-text.js";
import { andThen } from "../../engine/async.js";
import { judge } from "../judge.js";

const TASK = "self_check_output";

/** Longest part of the user's question that is shown with a part of the bot's message, in characters. */
const SHOWN_QUESTION = 1000;

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Checks the bot's message. */
  [TASK]: ({ variant }, context) => {
    const text = contextText(context.context, "bot_message");
    const question = contextText(context.context, "user_message", "last_user_message");
    const variables = (bot_response: string, isPart: boolean): Readonly<Record<string, unknown>> => ({
      user_input: isPart && question.length > SHOWN_QUESTION ? `${question.slice(0, SHOWN_QUESTION)} …` : question,
      bot_response,
    });
    return andThen(judge(), ({ isAllowed }) => isAllowed({ task: TASK, variant, text, variables }, context));
  },
};
