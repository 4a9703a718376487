import type { RailManifest } from "../rail-manifest.js";

export const selfCheckOutput: RailManifest = {
  name: "self-check-output",
  title: "Self check of the output",
  summary: "Asks a model if the bot's message should be held back.",
  flows: [{ name: "self check output", stage: "output" }],
  settings: "self_check",
  needs: { tasks: ["self_check_output"] },
  cost: "model",
  leaves: "The user's and the bot's message, to the model of the task.",
  actions: [{ name: "self_check_output", parameters: ["variant"] }],
  load: () => import("./actions.js"),
};
