import type { RailManifest } from "../rail-manifest.js";

export const selfCheckHallucination: RailManifest = {
  name: "self-check-hallucination",
  title: "Self check of hallucination",
  summary: "Asks the main model again and compares its answers.",
  flows: [
    { name: "self check hallucination", stage: "output", stream: "answer" },
    { name: "hallucination warning", stage: "dialog" },
  ],
  settings: "self_check_hallucination",
  needs: { tasks: ["self_check_hallucination", "general"], mainModel: true },
  cost: "model",
  leaves: "The last prompt and the bot's message, to the main model.",
  actions: [{ name: "self_check_hallucination", parameters: ["num_samples"] }],
  load: () => import("./actions.js"),
};
