import { parseFlowReference } from "../../engine/flow-reference.js";
import type { RailsConfig } from "../../config/rails-config.js";
import { createDiagnostic, isError, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import type { LibraryRail } from "../../library/library-rail.js";
import { findLibraryFlow } from "../../library/manifest.js";
import type { ModelSet } from "../../llm/model.js";
import { formatPath } from "../../config/yaml/raw-node.js";
import { type ListedRail, listedToolRails } from "../../rails/tools/tool-rails.js";

/**
 * Checks that what the listed library rails need is there, so that it is not missed only when a rail runs. A judge may
 * still get its model from `wrap(model)`, so for it a missing one is a warning.
 *
 * @throws ConfigError `CF-119` when a rail needs the main model itself, `CF-110` when it stands in a wrong stage
 */
export function checkNeeds(config: RailsConfig, models: ModelSet): readonly Diagnostic[] {
  const problems: Diagnostic[] = [];
  for (const { stage, text, path } of listedRails(config)) {
    const { id } = parseFlowReference(text);
    const known = findLibraryFlow(id);
    if (known === undefined) continue;
    const { rail, flow } = known;
    const place = { span: config.spanOf(path), path: formatPath(path) };
    if (flow.stage !== stage) problems.push(wrongStage(id, { belongs: flow.stage, stage, place }));
    else if (models.main === undefined) problems.push(...missingModel(id, rail, { models, place }));
  }
  const errors = problems.filter(isError);
  if (errors.length > 0) throw new ConfigError(errors);
  return problems;
}

function listedRails({ settings: { rails } }: RailsConfig): ListedRail[] {
  const stages = ["input", "output", "retrieval"] as const;
  const listed = stages.flatMap((stage) =>
    rails[stage].flows.map((text, index) => ({ stage, text, path: ["rails", stage, "flows", index] })),
  );
  return [...listed, ...listedToolRails(rails)];
}

type Place = Pick<Diagnostic, "path"> & { readonly span: Diagnostic["span"] | undefined };

function missingModel(
  id: string,
  rail: LibraryRail,
  { models, place }: { readonly models: ModelSet; readonly place: Place },
): Diagnostic[] {
  const { tasks, mainModel } = rail.needs;
  if (mainModel) {
    const hint = "add an entry of type `main` under `models`, or pass `llm` when the configuration is loaded";
    return [createDiagnostic("CF-119", `the rail \`${id}\` needs a main model and there is none`, { ...place, hint })];
  }
  if (tasks.length === 0 || tasks.some((task) => Object.hasOwn(models.byType, task))) return [];
  const message = `the rail \`${id}\` has no model to ask, so it blocks everywhere but in \`wrap(model)\``;
  const hint = `pass \`llm\`, or add an entry of type \`main\` or \`${tasks[0]}\` under \`models\``;
  return [createDiagnostic("CF-204", message, { ...place, hint })];
}

/** In another stage the rail would never see what it checks, and so never block. */
function wrongStage(
  id: string,
  { belongs, stage, place }: { readonly belongs: string; readonly stage: string; readonly place: Place },
): Diagnostic {
  const hint =
    belongs === "dialog"
      ? "it is a dialog flow that starts by itself; take it off the list"
      : `list it under \`rails.${belongs}.flows\``;
  return createDiagnostic("CF-110", `\`${id}\` is no ${stage} rail`, { ...place, hint });
}

/** A guard without any rail or flow guards nothing; that is allowed, but never without a word. */
export function warnIfNothingGuards(config: RailsConfig, hasFlows: boolean): readonly Diagnostic[] {
  if (hasFlows || listedRails(config).length > 0) return [];
  return [
    createDiagnostic("CF-201", "the configuration has no rails and no flows, so nothing is guarded", {
      hint: "list rails under `rails.input.flows` or `rails.output.flows`, or define flows in a `.co` file",
      ...(config.path === undefined ? {} : { path: config.path }),
    }),
  ];
}
