import type { RailManifest } from "../rail-manifest.js";

export const toolValidation: RailManifest = {
  name: "tool-validation",
  title: "Schemas of tools",
  summary: "Checks tool calls and results against rules and JSON Schemas.",
  flows: [
    { name: "tool call validation", stage: "tool_output" },
    { name: "tool result validation", stage: "tool_input" },
  ],
  settings: "tools",

  cost: "local",

  actions: [{ name: "check_tool_call" }, { name: "check_tool_result" }],
  load: () => import("./actions.js"),
};
