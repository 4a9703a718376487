import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { RailsConfig } from "../../config/rails-config.js";
import type { RailPlans } from "../rail-plans.js";

/**
 * Says when nothing will ever run beside the input rails: no text is sent to a model that one of them may still change,
 * so where such a rail runs last there is nothing left to run beside.
 */
export function checkSpeculation(config: RailsConfig, plans: RailPlans): readonly Diagnostic[] {
  const { flows, speculative } = config.settings.rails.input;
  if (!speculative) return [];
  const path = "rails.input.speculative";
  const place = { span: config.spanOf(["rails", "input", "speculative"]), path };
  if (flows.length === 0) {
    return [createDiagnostic("CF-207", "there are no input rails for the answer to begin beside", place)];
  }
  if (plans.of("input", flows).at(-1)?.rewrites !== true) return [];
  const rewriting = flows.findLast((rail) => plans.traits.get(rail)?.rewrites === true) ?? "";
  const because = plans.traits.get(rewriting)?.because ?? "it may rewrite the text";
  const message = `the answer waits for all input rails, since \`${rewriting}\` may still change the text: ${because}`;
  const hint =
    "an action that only judges is declared with `defineAction({ name, verdict: true }, …)`; rails that rewrite run " +
    "before the others where `parallel` is not set";
  return [createDiagnostic("CF-207", message, { ...place, hint })];
}
