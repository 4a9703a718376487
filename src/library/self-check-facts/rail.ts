import type { RailManifest } from "../rail-manifest.js";

export const selfCheckFacts: RailManifest = {
  name: "self-check-facts",
  title: "Self check of facts",
  summary: "Asks a model if the bot's message follows from the evidence.",
  flows: [{ name: "self check facts", stage: "output", stream: "answer", needsEvidence: true }],
  needs: { tasks: ["self_check_facts"] },
  cost: "model",
  leaves: "The bot's message and the evidence, to the model of the task.",
  actions: [{ name: "self_check_facts" }],
  load: () => import("./actions.js"),
};
