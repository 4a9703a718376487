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
 * @throws ConfigError `CF-119` when a rail needs a main model and there is none
 */
export function checkNeeds(config: RailsConfig, models: ModelSet): void {
  const problems: Diagnostic[] = [];
  for (const stage of ["input", "output", "retrieval"] as const) {
    for (const [index, text] of config.settings.rails[stage].flows.entries()) {
      const { id } = parseFlowReference(text);
      const rail = findLibraryFlow(id)?.rail;
      if (rail === undefined) continue;
      const path = ["rails", stage, "flows", index] as const;
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
