import type { RailManifest } from "../rail-manifest.js";

export const topicSafety: RailManifest = {
  name: "topic-safety",
  title: "Topic control",
  summary: "Asks a model if the user's message keeps to the topics of the bot, with the conversation before it.",
  flows: [
    {
      name: "topic safety check input",
      stage: "input",
      runs: {
        action: "topic_safety_check_input",
        exception: "TopicSafetyCheckInputException",
        parameters: ["model"],
        sets: { on_topic: "allowed" },
      },
    },
  ],
  needs: { tasks: ["topic_safety_check_input", "topic_safety_check"], modelType: "topic_control" },
  cost: "model",
  leaves: "The conversation, to the model.",
  actions: [{ name: "topic_safety_check_input", parameters: ["source", "text", "model", "variant"] }],
  load: () => import("./actions.js"),
};
