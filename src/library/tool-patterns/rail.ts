import type { RailManifest } from "../rail-manifest.js";

export const toolPatterns: RailManifest = {
  name: "tool-patterns",
  title: "Patterns in tools",
  summary: "Looks for forbidden patterns in the arguments and results of tools.",
  flows: [
    { name: "regex check tool output", stage: "tool_output" },
    { name: "regex check tool input", stage: "tool_input" },
  ],
  settings: "tools",

  cost: "local",

  actions: [
    { name: "check_tool_call_patterns", parameters: ["argument"] },
    { name: "check_tool_result_patterns", parameters: ["argument"] },
  ],
  load: () => import("./actions.js"),
};
