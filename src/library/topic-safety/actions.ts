import type { ActionContext } from "../../actions/action.js";
import type { PromptMessage } from "../../config/settings.js";
import { PAST_MESSAGES } from "../../actions/past-messages.js";
import { asData } from "../../llm/templates/as-data.js";
import { chatMessages } from "../../llm/templates/filters/chat.js";
import { subjectOf, typeOf } from "../judges/guard-actions.js";
import { judge } from "../judges/judge.js";
import type { RailCode } from "../rail-manifest.js";

const TASK = "topic_safety_check_input";

/** Limits of the earlier messages in the prompt: their number, and their characters in total. */
const MOST_MESSAGES = 20;
const MOST_CHARACTERS = 6_000;

/** Actions of the rail. */
export const actions: RailCode["actions"] = {
  /** Asks if the user's message keeps to the topics that the prompt of the configuration states. */
  [TASK]: async (params, context) => {
    const text = subjectOf("input", params, context);
    const modelType = typeOf(params, "topic_control");
    const { judgeText, taskOf, textOfTask } = await judge();
    const guidelines = await textOfTask(
      taskOf({ task: TASK, variant: params["variant"], modelType }, context),
      modelType,
      context,
    );
    const before = earlier(text, context);
    const variables = (part: string): Readonly<Record<string, unknown>> => ({
      guidelines,
      conversation: [...before, { type: "user", content: asData(part) }],
    });
    return judgeText({ task: "topic_safety_check", modelType, variant: undefined, text, variables }, context);
  },
};

/** Returns the conversation before the message: the last messages within the limits. */
function earlier(text: string, context: ActionContext): readonly PromptMessage[] {
  const messages = chatMessages(context[PAST_MESSAGES]?.() ?? context.events);
  const last = messages.at(-1);
  const end = last?.type === "user" && last.content === text ? messages.length - 1 : messages.length;
  const start = Math.max(0, end - MOST_MESSAGES);
  let from = end;
  for (let room = MOST_CHARACTERS; from > start; from -= 1) {
    room -= messages[from - 1]?.content.length ?? 0;
    if (room < 0) break;
  }
  return messages.slice(from, end).map(({ type, content }) => ({ type, content: asData(content) }));
}
