import { didYouMean } from "../diagnostics/suggestion.js";
import { InputShapeError } from "../diagnostics/errors.js";
import { parseFlowReference } from "../engine/flow-reference.js";
import type { TurnOptions } from "../turn/options.js";
import { RAILS_STAGES, type RailsStage } from "../turn/decision.js";
import type { RailServices } from "./services.js";
import { listedToolRails } from "./tools/tool-rails.js";

/** Returns the rails of a stage that run in a call: all, none, or those that the options name. */
export function selectRails(services: RailServices, options: TurnOptions, stage: RailsStage): readonly string[] {
  return selectFrom(services.config.settings.rails[stage].flows, options.rails?.[stage]);
}

/** Returns the rails that a selection leaves of the configured ones. */
export function selectFrom(
  configured: readonly string[],
  selection: boolean | readonly string[] | undefined = true,
): readonly string[] {
  if (typeof selection === "boolean") return selection ? configured : [];
  return configured.filter((rail) => selection.some((name) => isNamed(rail, name)));
}

/** A rail is named by its whole reference, or by its flow with whatever parameters the configuration gives it. */
export function isNamed(rail: string, name: string): boolean {
  return rail === name || parseFlowReference(rail).id === name;
}

/**
 * INVARIANT: a name that selects nothing is an error. Otherwise a misspelt rail would leave the call unguarded.
 *
 * @throws InputShapeError naming the rail
 */
export function checkSelection(services: RailServices, options: TurnOptions): void {
  if (options.rails === undefined) return;
  const { rails } = services.config.settings;
  for (const stage of [...RAILS_STAGES, "execution"] as const) {
    const selection = options.rails[stage];
    if (selection === undefined || typeof selection === "boolean") continue;
    const configured = stage === "execution" ? listedToolRails(rails).map(({ text }) => text) : rails[stage].flows;
    for (const name of selection) {
      if (configured.some((rail) => isNamed(rail, name))) continue;
      const hint = didYouMean(name, configured);
      const message = `\`${name}\` is not among the ${stage} rails of the configuration`;
      throw new InputShapeError(hint === undefined ? message : `${message}; ${hint}`);
    }
  }
}
