import type { RailsConfig } from "../../config/rails-config.js";
import { formatPath } from "../../config/yaml/raw-node.js";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import type { FirstStages } from "../../library/judges/first-stage.js";
import { findLibraryFlow } from "../../library/manifest.js";
import { listedRails } from "../../rails/tools/tool-rails.js";

/**
 * Creates the first stages of `rails.two_stage`; undefined if none are configured.
 *
 * @throws ConfigError `CF-104` for a flow that is not listed or does not ask a model about a text, for thresholds in
 * the wrong order, and for a stage without a detector
 */
export async function openFirstStages(config: RailsConfig): Promise<FirstStages | undefined> {
  const { rails } = config.settings;
  const stages = Object.entries(rails.two_stage);
  if (stages.length === 0) return undefined;
  const listed = new Set(listedRails(rails).map(({ text }) => parseFlowReference(text).id));
  const problems: Diagnostic[] = [];
  for (const [flow, { detectors, pass_below: pass, block_from: block }] of stages) {
    const report = (message: string, hint: string | undefined, ...keys: readonly string[]): void => {
      const path = ["rails", "two_stage", flow, ...keys];
      problems.push(createDiagnostic("CF-104", message, { span: config.spanOf(path), path: formatPath(path), hint }));
    };
    if (!listed.has(flow)) {
      const hint = didYouMean(flow, listed) ?? "name a listed rail without its parameters";
      report(`\`${flow}\` is not among the rails of the configuration`, hint);
    } else if (!asksForVerdict(flow)) {
      report(`\`${flow}\` asks no model about one text, so it has no first stage`, "take it out of `two_stage`");
    }
    if (detectors.length === 0) report("the first stage has no detector", "list one, such as `jailbreak`", "detectors");
    if (block === 0) report("`block_from` is 0, so every text is blocked", "set it above 0", "block_from");
    if (pass > block) report("`pass_below` is greater than `block_from`", "swap the two", "pass_below");
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const { FirstStage } = await import("../../library/judges/first-stage.js");
  return new Map(
    await Promise.all(stages.map(async ([flow, settings]) => [flow, await FirstStage.open(settings)] as const)),
  );
}

/** Returns true for a rail that asks a model if a text should be blocked. */
function asksForVerdict(name: string): boolean {
  const { rail, flow } = findLibraryFlow(name) ?? {};
  return rail?.cost === "model" && rail.needs?.mainModel !== true && flow?.needsEvidence !== true;
}
