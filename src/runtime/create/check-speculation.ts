import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { RailsConfig } from "../../config/rails-config.js";
import type { RailServices } from "../../rails/services.js";
import { areMarkersAwaited } from "../../rails/stage-outcome.js";

/**
 * Says when nothing will ever run beside the input rails: no text is sent to a model that one of them may still change,
 * so where such a rail runs last there is nothing left to run beside.
 *
 * @param gate - a flow of the configuration that judges the text inside of the conversation, with what is needed to go on
 */
export function checkSpeculation(
  config: RailsConfig,
  services: Pick<RailServices, "railPlans" | "awaited">,
  gate?: string,
): readonly Diagnostic[] {
  const { flows, speculative } = config.settings.rails.input;
  if (!speculative) return [];
  const path = "rails.input.speculative";
  const place = { span: config.spanOf(["rails", "input", "speculative"]), path };
  if (gate !== undefined) {
    const hint = `list the rails that \`${gate}\` calls under \`rails.input.flows\`, and take the flow out`;
    const message = `the answer waits for the flow \`${gate}\`, which is a part of the conversation and may do anything`;
    return [createDiagnostic("CF-207", message, { ...place, hint })];
  }
  if (flows.length === 0) {
    return [createDiagnostic("CF-207", "there are no input rails for the answer to begin beside", place)];
  }
  if (areMarkersAwaited(services, "input")) {
    const hint = "let the flow wait for something else, such as what the user said";
    const message = "the answer waits for all input rails, since a flow waits for an event of their stage";
    return [createDiagnostic("CF-207", message, { ...place, hint })];
  }
  const plans = services.railPlans;
  if (plans.of("input", flows).at(-1)?.rewrites !== true) return [];
  const rewriting = flows.findLast((rail) => plans.traits.get(rail)?.rewrites === true) ?? "";
  const because = plans.traits.get(rewriting)?.because ?? "it may rewrite the text";
  const message = `the answer waits for all input rails, since \`${rewriting}\` may still change the text: ${because}`;
  const hint =
    "an action that only judges is declared with `defineAction({ name, verdict: true }, …)`; rails that rewrite run " +
    "before the others where `parallel` is not set";
  return [createDiagnostic("CF-207", message, { ...place, hint })];
}
