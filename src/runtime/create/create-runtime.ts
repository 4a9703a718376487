import type { RailsConfig } from "../../config/rails-config.js";
import { type Diagnostic, isError } from "../../diagnostics/diagnostic.js";
import { ConfigError, DiagnosticError } from "../../diagnostics/errors.js";
import { systemClock, randomIds } from "../../engine/events.js";
import { type GuardrailsApp, initialiseApp } from "./app.js";
import { checkNeeds } from "./check-guard.js";
import { prepareRails, withWrittenFlows } from "./prepare-rails.js";
import { collectActions } from "./collect-actions.js";
import { withDialogFlows } from "./dialog-flows.js";
import { openDialogIndexes } from "./dialog-indexes.js";
import type { DialectHost } from "../dialect-host.js";
import { Runtime } from "../runtime.js";
import { checkStreaming } from "../../rails/review/check-streaming.js";
import { withShadowRails } from "./shadow-rails.js";
import { readToolRules, withConditionRails, withRails, warnWithoutPatterns, withRuleRails } from "./tool-rules.js";
import type { RuntimeInput } from "./runtime-input.js";
import type { PreparedParts } from "./shared-services.js";

/**
 * Compiles a configuration and creates a runtime. Code of the configuration runs first, then models are created.
 *
 * @throws ColangSyntaxError, ColangValidationError or ConfigError with all problems at once
 */
export async function createRuntime(input: RuntimeInput): Promise<Runtime> {
  const toolRules = await readToolRules(input.config, input.toolRules);
  const { library = [] } = input;
  const completed = withWrittenFlows(withParallel(withDialogFlows(input.config), input.parallel), library);
  const config = withShadowRails(withConditionRails(withRuleRails(completed, toolRules)));
  const app = input.app ?? (await initialiseApp(config));
  const models = typeof input.models === "function" ? await input.models(app) : input.models;
  const { railParts, problems: railProblems } = await prepareRails(config, library, {
    values: { ...app.actionParams, ...input.actionParams },
    logger: input.logger,
  });
  const actions = await collectActions(config, app, input);
  const needs = checkNeeds(config, models);
  const allProblems = [
    ...railProblems,
    ...needs,
    ...warnWithoutPatterns(config, toolRules),
    ...(await findPromptProblems(config, app)),
  ];
  const errors = allProblems.filter(isError);
  const ids = input.ids ?? randomIds;
  const clock = input.clock ?? systemClock;
  const indexes = await openDialogIndexes(config, input);
  const problems = allProblems.filter((problem) => !isError(problem));
  const parts: PreparedParts = {
    input,
    config,
    app,
    models,
    own: actions,
    toolRules,
    railParts,
    problems,
    indexes,
    ids,
    clock,
    // Flows are compiled first, so one error reports the problems of settings and flows.
    throwProblems: () => {
      if (errors.length > 0) throw new ConfigError(errors);
    },
  };
  const host = await createHost(parts).catch((error: unknown) => {
    if (errors.length === 0 || !DiagnosticError.isInstance(error)) throw error;
    throw new ConfigError([...errors, ...error.diagnostics.filter((problem) => !errors.includes(problem))]);
  });
  if (input.stream !== undefined) checkStreaming(host.services, input.stream);
  const { threads, threadsOf, timeoutMs, logger } = input;
  return new Runtime(host, { threads, threadsOf, timeoutMs, logger }, (reference, stage) => {
    const { rails } = input.config.settings;
    const section = { ...rails[stage], flows: [...rails[stage].flows, reference] };
    return createRuntime({ ...input, app, models, config: withRails(input.config, { [stage]: section }) });
  });
}

/** Compiles the flows. Only the engine of the configured dialect is loaded. */
async function createHost(parts: PreparedParts): Promise<DialectHost> {
  return parts.config.settings.colang_version === "2.x"
    ? (await import("./create-colang2-runtime.js")).createColang2Host(parts)
    : (await import("./create-colang1-runtime.js")).createColang1Host(parts);
}

async function findPromptProblems(config: RailsConfig, app: GuardrailsApp): Promise<readonly Diagnostic[]> {
  const { prompts } = config.settings;
  if (prompts.length === 0) return [];
  const { checkPrompts } = await import("../../llm/prompts/check-prompts.js");
  return checkPrompts(prompts, {
    filters: Object.keys(app.filters),
    parsers: Object.keys(app.outputParsers),
    promptContext: Object.keys(app.promptContext),
    spanOf: (index) => config.spanOf(["prompts", index]),
  });
}

/** Applies the option `parallel`, which overrides the configuration for rails on messages and on tools. */
function withParallel(config: RailsConfig, parallel: boolean | undefined): RailsConfig {
  if (parallel === undefined) return config;
  const { input, output, tool_output, tool_input } = config.settings.rails;
  return withRails(config, {
    input: { ...input, parallel },
    output: { ...output, parallel },
    tool_output: { ...tool_output, parallel },
    tool_input: { ...tool_input, parallel },
  });
}
