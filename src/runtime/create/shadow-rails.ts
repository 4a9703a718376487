import type { RailsConfig } from "../../config/rails-config.js";
import type { RailsSection } from "../../config/settings.js";
import { isToolStage, RAILS_STAGES, type RailsStage, type ToolStage } from "../../turn/decision.js";
import { withRails } from "./tool-rules.js";

/**
 * Adds shadow rails to the listed rails of their stage: they are compiled, checked and selected like those.
 * `rails.<stage>.shadow` marks rails whose verdicts do not count.
 */
export function withShadowRails(config: RailsConfig): RailsConfig {
  const { rails } = config.settings;
  const stages = [...RAILS_STAGES, "tool_output", "tool_input"] as const;
  const hasNone = stages.every((stage) => rails[stage].shadow.length === 0 && ofTools(rails, stage).length === 0);
  if (hasNone) return config;
  const listed = stages.map((stage) => {
    const { flows, shadow } = rails[stage];
    const all = joined(flows, shadow);
    const own = isToolStage(stage) ? { per_tool: perToolOf(rails, stage, all) } : {};
    return [stage, { ...rails[stage], flows: all, ...own }] as const;
  });
  return withRails(config, Object.fromEntries(listed) as Partial<RailsSection>);
}

function ofTools(rails: RailsSection, stage: RailsStage | ToolStage) {
  return isToolStage(stage) ? Object.entries(rails[stage].shadow_per_tool) : [];
}

function perToolOf(rails: RailsSection, stage: ToolStage, all: readonly string[]): RailsSection[ToolStage]["per_tool"] {
  const { per_tool: perTool } = rails[stage];
  const railsOf = (tool: string): readonly string[] => (Object.hasOwn(perTool, tool) ? (perTool[tool] ?? []) : []);
  const listed = ofTools(rails, stage).map(([tool, shadow]) => {
    const added = shadow.filter((rail) => !all.includes(rail));
    return [tool, joined(railsOf(tool), added)] as const;
  });
  return { ...perTool, ...Object.fromEntries(listed) };
}

function joined(flows: readonly string[], shadow: readonly string[]): string[] {
  return [...flows, ...shadow.filter((rail) => !flows.includes(rail))];
}
