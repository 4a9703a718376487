import type { RailsConfig } from "../../config/rails-config.js";
import type { RailsSection } from "../../config/settings.js";
import { RAILS_STAGES } from "../../turn/decision.js";
import { withRails } from "./tool-rules.js";

/**
 * Lists the rails in shadow with the others of their stage: they are compiled, checked and selected like those. `rails.<stage>.shadow`
 * says which of them count for nothing.
 */
export function withShadowRails(config: RailsConfig): RailsConfig {
  const { rails } = config.settings;
  const stages = [...RAILS_STAGES, "tool_output", "tool_input"] as const;
  if (stages.every((stage) => rails[stage].shadow.length === 0)) return config;
  const listed = stages.map((stage) => {
    const { flows, shadow } = rails[stage];
    return [stage, { ...rails[stage], flows: [...flows, ...shadow.filter((rail) => !flows.includes(rail))] }] as const;
  });
  return withRails(config, Object.fromEntries(listed) as Partial<RailsSection>);
}
