/** The stages whose rails look at a text of the conversation. */
export type RailsStage = "input" | "output" | "retrieval";

/** Where rails of the stage `execution` stand, as the configuration names it: on calls of tools and on their results. */
export type ToolStage = "tool_output" | "tool_input";

export function isToolStage(stage: RailsStage | ToolStage): stage is ToolStage {
  return stage === "tool_output" || stage === "tool_input";
}

export const RAILS_STAGES = ["input", "output", "retrieval"] as const satisfies readonly RailsStage[];
