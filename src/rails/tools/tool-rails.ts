import type { RailsSection } from "../../config/settings.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { RAILS_STAGES, type RailsStage, type ToolStage } from "../../turn/decision.js";

/** A rail as listed in the configuration, with its location. */
export interface ListedRail {
  readonly stage: RailsStage | ToolStage;
  readonly text: string;
  readonly path: readonly (string | number)[];
}

const TOOL_STAGES = ["tool_output", "tool_input"] as const;

/** Rails that refuse unreadable content; they run for every tool with other rails. */
export const TOOL_VALIDATION = { tool_output: "tool call validation", tool_input: "tool result validation" } as const;

/** All rails on messages and on tools. */
export function listedRails(rails: RailsSection): readonly ListedRail[] {
  const onMessages = RAILS_STAGES.flatMap((stage) => listedOf(rails, stage));
  return [...onMessages, ...listedToolRails(rails)];
}

/** The rails of a stage for all tools and texts. A runtime lists shadow rails twice, a configuration once. */
function listedOf(rails: RailsSection, stage: RailsStage | ToolStage): readonly ListedRail[] {
  const { flows, shadow } = rails[stage];
  const list = (texts: readonly string[], key: "flows" | "shadow") =>
    texts.map((text, index) => ({ stage, text, path: ["rails", stage, key, index] }));
  if (shadow.length === 0) return list(flows, "flows");
  return [...list(flows, "flows").filter(({ text }) => !shadow.includes(text)), ...list(shadow, "shadow")];
}

/** All tool rails, including those for single tools. */
export function listedToolRails(rails: RailsSection): readonly ListedRail[] {
  return TOOL_STAGES.flatMap((stage) => [
    ...listedOf(rails, stage),
    ...Object.entries(rails[stage].per_tool).flatMap(([tool, flows]) => {
      const shadow = shadowForTool(rails, stage, tool);
      const listed = flows.map((text, index) => ({ stage, text, path: ["rails", stage, "per_tool", tool, index] }));
      return listed.filter(({ text }) => !shadow.includes(text));
    }),
    ...Object.entries(rails[stage].shadow_per_tool).flatMap(([tool, flows]) =>
      flows.map((text, index) => ({ stage, text, path: ["rails", stage, "shadow_per_tool", tool, index] })),
    ),
  ]);
}

/** Rails in shadow for one tool only. */
export function shadowForTool(rails: RailsSection, stage: ToolStage, tool: string): readonly string[] {
  const { shadow_per_tool: perTool } = rails[stage];
  return Object.hasOwn(perTool, tool) ? (perTool[tool] ?? []) : [];
}

/** Rails for one tool; those for all tools come first, except implied ones that the tool has under `per_tool`. */
export function railsForTool(rails: RailsSection, stage: ToolStage, tool: string): readonly string[] {
  const { flows, implied = [], per_tool: perTool } = rails[stage];
  if (!Object.hasOwn(perTool, tool)) return flows;
  const ofTool = perTool[tool] ?? [];
  const shadow = shadowForTool(rails, stage, tool);
  const replaced = implied.filter((rail) =>
    ofTool.some((text) => parseFlowReference(text).id === rail && !shadow.includes(text)),
  );
  return [...(replaced.length === 0 ? flows : flows.filter((rail) => !replaced.includes(rail))), ...ofTool];
}
