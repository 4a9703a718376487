import type { RailsSection, RailsSettings } from "../config/settings.js";
import { type PlanRace, planRails, type RailGroup } from "./rail-plan.js";
import type { RailTraits } from "./rail-traits.js";
import { isToolStage, type RailsStage, type ToolStage } from "../turn/stages.js";
import { listedToolRails } from "./tools/tool-rails.js";

export interface RailPlans {
  readonly traits: ReadonlyMap<string, RailTraits>;
  /** The groups in which the rails of a stage run. */
  of(stage: RailsStage | ToolStage, rails: readonly string[]): readonly RailGroup[];
}

/** Reads the flows of all listed rails; the plan of a list is made once. */
export function createRailPlans(
  settings: RailsSettings,
  traitsOf: (rail: string) => RailTraits,
  planRace?: PlanRace,
): RailPlans {
  const { rails } = settings;
  const onTools = listedToolRails(rails).map(({ text }) => text);
  const listed = new Set([...rails.input.flows, ...rails.output.flows, ...rails.retrieval.flows, ...onTools]);
  const traits = new Map([...listed].map((rail) => [rail, traitsOf(rail)] as const));
  const plans = new WeakMap<readonly string[], readonly RailGroup[]>();
  return {
    traits,
    of(stage, selected) {
      const known = plans.get(selected);
      if (known !== undefined) return known;
      const plan = planRails(selected, parallelOf(rails, stage), traits, planRace);
      plans.set(selected, plan);
      return plan;
    },
  };
}

function parallelOf(rails: RailsSection, stage: RailsStage | ToolStage): boolean | null {
  // Retrieval rails have no setting that could ask for another order.
  if (stage === "retrieval") return false;
  const { parallel } = rails[stage];
  // INVARIANT: which arguments a tool is called with never depends on which rail was the fastest.
  return isToolStage(stage) && parallel === true ? null : parallel;
}
