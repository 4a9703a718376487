import { type FlowReferenceParameter, parseFlowReference } from "../../engine/flow-reference.js";
import type { Colang1Program } from "../../colang1/elements.js";
import type { RailsConfig } from "../../config/rails-config.js";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { DiagnosticCode } from "../../diagnostics/codes.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { isMap } from "../../engine/plain-data.js";
import { findLibraryFlow } from "../../library/manifest.js";
import type { RailManifest } from "../../library/rail-manifest.js";
import { modelOfType, type ModelSet } from "../../llm/model.js";
import { formatPath } from "../../config/yaml/raw-node.js";
import { listedRails } from "../../rails/tools/tool-rails.js";
import type { RailServices } from "../../rails/services.js";
import { areMarkersAwaited } from "../../rails/stage-outcome.js";
import { settingsOf } from "./prepare-rails.js";

/**
 * Checks at load that the requirements of the listed library rails are met. A judge may still get its model from
 * `wrap(model)`, so a missing one is only a warning.
 *
 * @returns also errors: `CF-119` if a rail needs the main model itself, `CF-110` if it is listed in a wrong stage or with a parameter
 *   that has no value or names a variant without settings
 */
export function checkNeeds(config: RailsConfig, models: ModelSet): readonly Diagnostic[] {
  const problems = listedRails(config.settings.rails).flatMap(({ stage, text, path }): Diagnostic | readonly [] => {
    const { id, parameters } = parseFlowReference(text);
    const known = findLibraryFlow(id);
    if (known === undefined) return [];
    const { tasks = [], preferredModels = [], mainModel = false, modelType } = known.rail.needs ?? {};
    const { stage: own } = known.flow;
    const report = (code: DiagnosticCode, message: string, hint: string): Diagnostic =>
      createDiagnostic(code, message, { span: config.spanOf(path), path: formatPath(path), hint });
    // In another stage, the rail would never see what it checks, and so never block.
    if (own !== stage) {
      const isDialog = own === "dialog";
      const hint = isDialog ? "it is a dialog flow that starts by itself; take it off the list" : undefined;
      return report("CF-110", `\`${id}\` is not a valid ${stage} rail`, hint ?? `list it under \`rails.${own}.flows\``);
    }
    const wrong = findWrongParameter(config, known.rail, parameters);
    if (wrong !== undefined) return report("CF-110", `${wrong.message} of the rail \`${id}\``, wrong.hint);
    const type = parameters.find(({ name }) => name === "model")?.value ?? modelType;
    if (type !== undefined && type !== "main") {
      if (modelOfType(models, type) !== undefined) return [];
      const hint = `add an entry of type \`${type}\` under \`models\`, or name another one as in \`${id} $model=type\``;
      return report("CF-119", `the rail \`${id}\` needs a model of type \`${type}\` and there is none`, hint);
    }
    if (models.main !== undefined) return [];
    if (mainModel) {
      const hint = "add an entry of type `main` under `models`, or pass `llm` when the configuration is loaded";
      return report("CF-119", `the rail \`${id}\` needs a main model and there is none`, hint);
    }
    if (tasks.length === 0 || [...tasks, ...preferredModels].some((type) => Object.hasOwn(models.byType, type)))
      return [];
    const message = `the rail \`${id}\` has no model to ask, so it blocks everywhere but in \`wrap(model)\``;
    return report(
      "CF-204",
      message,
      `pass \`llm\`, or add an entry of type \`main\` or \`${tasks[0]}\` under \`models\``,
    );
  });
  return problems;
}

/**
 * Returns the problem of a parameter without a value, or of a variant without settings. Variants of rails that ask a model are tasks,
 * which are checked with the prompts.
 */
function findWrongParameter(
  config: RailsConfig,
  { settings: key, needs }: RailManifest,
  parameters: readonly FlowReferenceParameter[],
): { readonly message: string; readonly hint: string } | undefined {
  const empty = parameters.find(({ value }) => value === null || value.trim() === "");
  if (empty !== undefined) {
    const hint = `write it as \`$${empty.name}=value\`, or take it off`;
    return { message: `no value is given for the parameter \`$${empty.name}\``, hint };
  }
  const variant = parameters.find(({ name }) => name === "variant")?.value;
  if (variant === undefined || variant === null || (needs?.tasks ?? []).length > 0) return undefined;
  const variants = key === undefined ? undefined : settingsOf(config, key)["variants"];
  const known = isMap(variants) ? Object.keys(variants) : [];
  if (known.includes(variant)) return undefined;
  const otherwise = isMap(variants)
    ? `describe it under \`rails.config.${key}.variants\``
    : "the rail has no variants; take `$variant` off";
  return { message: `there is no variant \`${variant}\``, hint: didYouMean(variant, known) ?? otherwise };
}

/**
 * A configuration without rails and flows guards nothing; that is allowed, but reported.
 *
 * @param isStarted - false if no flow is ever started
 */
export function warnIfNothingGuards(config: RailsConfig, hasFlows: boolean, isStarted = true): readonly Diagnostic[] {
  if ((hasFlows && isStarted) || listedRails(config.settings.rails).length > 0) return [];
  const message = hasFlows
    ? "no flow is started, so nothing is guarded"
    : "the configuration has no rails and no flows, so nothing is guarded";
  const flows = hasFlows ? "define `flow main`, which starts the others" : "define flows in a `.co` file";
  return [
    createDiagnostic("CF-201", message, {
      hint: `list rails under \`rails.input.flows\` or \`rails.output.flows\`, or ${flows}`,
      ...(config.path === undefined ? {} : { path: config.path }),
    }),
  ];
}

/**
 * Reports a fallback intent that no flow waits for and no example has, if it looks like one that exists. Any other name is
 * taken for a new intent, to which the main model responds.
 */
export function checkFallbackIntent(
  config: RailsConfig,
  { userMessages, flows }: Pick<Colang1Program, "userMessages" | "flows">,
): readonly Diagnostic[] {
  const { embeddings_only_fallback_intent: intent } = config.settings.rails.dialog.user_messages;
  if (intent === null) return [];
  const matchers = flows.flatMap(({ elements }) =>
    elements.flatMap((element) => ("matchers" in element ? element.matchers : [])),
  );
  const expected = matchers.flatMap((matcher) => (matcher.kind === "User" ? matcher.intents : []));
  const known = new Set([...Object.keys(userMessages), ...expected]);
  if (known.has(intent)) return [];
  const path = ["rails", "dialog", "user_messages", "embeddings_only_fallback_intent"];
  const bare = intent.replace(/^user /, "");
  const hint = known.has(bare) ? `did you mean \`${bare}\`?` : didYouMean(intent, known);
  if (hint === undefined) return [];
  const place = { span: config.spanOf(path), path: path.join("."), hint };
  return [createDiagnostic("CF-211", `no flow and no example has the intent \`${intent}\``, place)];
}

/**
 * Reports if nothing can run concurrently with the input rails: a text that a rail may still change is sent to no
 * model, so if such a rail runs last, nothing can.
 *
 * @param gate - a flow that judges the text inside the conversation, with the requirements to continue
 */
export function checkSpeculation(
  config: RailsConfig,
  services: Pick<RailServices, "railPlans" | "awaited">,
  gate?: string,
): readonly Diagnostic[] {
  const { flows, speculative } = config.settings.rails.input;
  if (!speculative) return [];
  const path = ["rails", "input", "speculative"];
  const report = (message: string, hint?: string): readonly Diagnostic[] => [
    createDiagnostic("CF-207", message, { span: config.spanOf(path), path: path.join("."), hint }),
  ];
  if (gate !== undefined) {
    const message = `the answer waits for the flow \`${gate}\`, which is part of the conversation and may have effects`;
    return report(message, `list the rails that \`${gate}\` calls under \`rails.input.flows\`, and take the flow out`);
  }
  if (flows.length === 0) return report("there are no input rails for the answer to begin beside");
  if (areMarkersAwaited(services, "input")) {
    const message = "the answer waits for all input rails, since a flow waits for an event of their stage";
    return report(message, "let the flow wait for something else, such as what the user said");
  }
  const plans = services.railPlans;
  if (plans.of("input", flows).at(-1)?.rewrites !== true) return [];
  const rewriting = flows.findLast((rail) => plans.traits.get(rail)?.rewrites === true) ?? "";
  const because = plans.traits.get(rewriting)?.because ?? "it may rewrite the text";
  const message = `the answer waits for all input rails, since \`${rewriting}\` may still change the text: ${because}`;
  const hint =
    "an action that only judges is declared with `defineAction({ name, verdict: true }, …)`; rails that rewrite run " +
    "before the others where `parallel` is not set";
  return report(message, hint);
}
