import { parseFlowReference } from "../colang1/flow-reference.js";
import type { Colang1Program } from "../colang1/elements.js";
import type { RailsConfig } from "../config/rails-config.js";
import { createDiagnostic, type Diagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { findLibraryFlow } from "../library/manifest.js";
import type { ModelSet } from "../llm/model.js";

/**
 * Checks that what the listed library rails need is there, so that it is not missed only when a rail runs.
 *
 * @throws ConfigError `CF-119` when a rail needs a model and there is none, `CF-110` when it stands in a wrong stage
 */
export function checkNeeds(config: RailsConfig, models: ModelSet): void {
  const problems: Diagnostic[] = [];
  for (const stage of ["input", "output", "retrieval"] as const) {
    for (const [index, text] of config.settings.rails[stage].flows.entries()) {
      const { id } = parseFlowReference(text);
      const known = findLibraryFlow(id);
      if (known === undefined) continue;
      const { rail, flow } = known;
      const path = ["rails", stage, "flows", index] as const;
      if (flow.stage !== stage) {
        problems.push(wrongStage(config, { id, belongs: flow.stage, stage, index }));
        continue;
      }
      const { tasks, mainModel } = rail.needs;
      const hasModel = models.main !== undefined || tasks.some((task) => Object.hasOwn(models.byType, task));
      const missing = mainModel ? models.main === undefined : tasks.length > 0 && !hasModel;
      if (!missing) continue;
      problems.push(
        createDiagnostic("CF-119", `the rail \`${id}\` needs a model and there is none`, {
          span: config.spanOf(path),
          path: `rails.${stage}.flows[${index}]`,
          hint: "add an entry of type `main` under `models`, or pass `llm` when the configuration is loaded",
        }),
      );
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

/** In another stage the rail would never see what it checks, and so never block. */
function wrongStage(
  config: RailsConfig,
  entry: { readonly id: string; readonly belongs: string; readonly stage: string; readonly index: number },
): Diagnostic {
  const { id, belongs, stage, index } = entry;
  const isRail = belongs !== "dialog";
  return createDiagnostic("CF-110", `\`${id}\` is no ${stage} rail`, {
    span: config.spanOf(["rails", stage, "flows", index]),
    path: `rails.${stage}.flows[${index}]`,
    hint: isRail
      ? `list it under \`rails.${belongs}.flows\``
      : "it is a dialog flow that starts by itself; take it off the list",
  });
}

/** A guard without any rail or flow guards nothing; that is allowed, but never without a word. */
export function warnIfNothingGuards(config: RailsConfig, program: Colang1Program): readonly Diagnostic[] {
  const { rails } = config.settings;
  const hasRails = rails.input.flows.length + rails.output.flows.length + rails.retrieval.flows.length > 0;
  if (hasRails || program.flows.some((flow) => flow.tier === "user")) return [];
  return [
    createDiagnostic("CF-201", "the configuration has no rails and no flows, so nothing is guarded", {
      hint: "list rails under `rails.input.flows` or `rails.output.flows`, or define flows in a `.co` file",
      ...(config.path === undefined ? {} : { path: config.path }),
    }),
  ];
}
