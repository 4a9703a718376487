import type { RailManifest } from "../rail-manifest.js";

export const selfCheckInput: RailManifest = {
  name: "self-check-input",
  title: "Self check of the input",
  summary: "Asks a model if the user's message should be blocked.",
  flows: [{ name: "self check input", stage: "input" }],
  settings: "self_check",
  needs: { tasks: ["self_check_input"] },
  cost: "model",
  leaves: "The user's message, to the model of the task.",
  actions: [{ name: "self_check_input", parameters: ["variant"] }],
  load: () => import("./actions.js"),
};
