import type { RailManifest } from "../rail-manifest.js";

export const toolSafety: RailManifest = {
  name: "tool-safety",
  title: "Tool calls judged by a model",
  summary: "Asks a model if a tool call or its result is safe.",
  flows: [
    { name: "tool safety check tool output", stage: "tool_output" },
    { name: "tool safety check tool input", stage: "tool_input" },
  ],
  settings: "tool_safety",
  needs: { tasks: ["tool_safety_check_output", "tool_safety_check_input"] },
  cost: "model",
  leaves: "The call or the result, and the user's message, to the model of the task.",
  actions: [
    { name: "tool_safety_check_output", parameters: ["argument", "model", "variant"] },
    { name: "tool_safety_check_input", parameters: ["argument", "model", "variant"] },
  ],
  load: () => import("./actions.js"),
};
