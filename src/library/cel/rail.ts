import type { RailManifest } from "../rail-manifest.js";

export const celRail: RailManifest = {
  name: "cel",
  title: "Conditions on tools",
  summary: "Blocks tool calls and results for which an expression in CEL is true.",
  flows: [
    { name: "cel check tool output", stage: "tool_output" },
    { name: "cel check tool input", stage: "tool_input" },
  ],
  settings: "cel",
  cost: "local",
  actions: [
    { name: "check_tool_call_conditions", parameters: ["argument"] },
    { name: "check_tool_result_conditions", parameters: ["argument"] },
  ],
  load: () => import("./actions.js"),
};
