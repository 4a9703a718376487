import type { ActionRegistry } from "../actions/registry.js";
import type { Colang1Program } from "../colang1/elements.js";
import type { RailsSettings } from "../config/settings.js";
import { awaitedEvents } from "./awaited-events.js";
import { planRails, type RailGroup } from "./rail-plan.js";
import { railTraits, type RailTraits } from "./rail-traits.js";
import type { RailsStage } from "./stage-request.js";

export interface RailPlans {
  readonly traits: ReadonlyMap<string, RailTraits>;
  /** The groups in which the rails of a stage run. */
  of(stage: RailsStage, rails: readonly string[]): readonly RailGroup[];
}

/** What is known of rails in Colang 1.0. */
export function colang1Traits(program: Colang1Program, registry: ActionRegistry): (rail: string) => RailTraits {
  const awaited = awaitedEvents(program.flows.filter(({ tier }) => tier === "system"));
  return (rail) => railTraits(program, registry, awaited, rail);
}

/** Reads the flows of all listed rails; the plan of a list is made once. */
export function createRailPlans(settings: RailsSettings, traitsOf: (rail: string) => RailTraits): RailPlans {
  const { rails } = settings;
  const listed = new Set([...rails.input.flows, ...rails.output.flows, ...rails.retrieval.flows]);
  const traits = new Map([...listed].map((rail) => [rail, traitsOf(rail)] as const));
  const plans = new WeakMap<readonly string[], readonly RailGroup[]>();
  return {
    traits,
    of(stage, selected) {
      // Retrieval rails have no setting that could ask for another order.
      const parallel = stage === "retrieval" ? false : rails[stage].parallel;
      const known = plans.get(selected);
      if (known !== undefined) return known;
      const plan = planRails(selected, parallel, traits);
      plans.set(selected, plan);
      return plan;
    },
  };
}
