import type { ActionContext } from "../../actions/action.js";
import type { PromptMessage } from "../../config/settings.js";
import { PAST_EVENTS } from "../../actions/past-events.js";
import { asData } from "../../llm/templates/as-data.js";
import { chatMessages } from "../../llm/templates/filters/chat.js";
import { subjectOf, typeOf } from "../judges/guard-actions.js";
import { judge } from "../judges/judge.js";
import type { RailCode } from "../rail-manifest.js";

const TASK = "topic_safety_check_input";

/** Earlier messages that are shown, and their characters in all. */
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
    const variables = (part: string): Readonly<Record<string, unknown>> => ({
      guidelines,
      conversation: [...earlier(text, context), { type: "user", content: asData(part) }],
    });
    return judgeText({ task: "topic_safety_check", modelType, variant: undefined, text, variables }, context);
  },
};

/** The conversation before the message: the last messages for which there is room. */
function earlier(text: string, context: ActionContext): readonly PromptMessage[] {
  const messages = chatMessages(context[PAST_EVENTS]?.() ?? context.events);
  const last = messages.at(-1);
  const before = last?.type === "user" && last.content === text ? messages.slice(0, -1) : messages;
  let room = MOST_CHARACTERS;
  const shown: PromptMessage[] = [];
  for (const { type, content } of before.slice(-MOST_MESSAGES).reverse()) {
    room -= content.length;
    if (room < 0) break;
    shown.unshift({ type, content: asData(content) });
  }
  return shown;
}
