import type { RailsConfig } from "../../config/rails-config.js";
import { type Diagnostic, isError } from "../../diagnostics/diagnostic.js";
import { ConfigError, GuardrailsError } from "../../diagnostics/errors.js";
import { lazily } from "../../engine/async.js";
import { systemClock, eventFactory, randomIds } from "../../engine/events.js";
import { createGenerationActions, dialogActions, GENERATION_ACTIONS } from "../colang1/generation/actions.js";
import { createGenerationServices } from "../colang1/generation/services.js";
import type { DialogItem } from "../../retrieval/embedding-index.js";
import { GuardrailsApp } from "./app.js";
import { awaitedEvents, colang1Traits, colang1Rails } from "../colang1/rails.js";
import { colang1Host } from "../colang1/host.js";
import { writtenTexts } from "../../colang1/flow-effects.js";
import { compileConfig } from "../colang1/compile/compile-config.js";
import { checkNeeds, warnIfNothingGuards, checkSpeculation } from "./check-guard.js";
import { collectActions, withBuiltIn } from "./collect-actions.js";
import { openMatcherCache, provideEmbeddings, searchThreshold } from "./embedding-provider.js";
import { Runtime } from "../runtime.js";
import { createRailPlans } from "../../rails/plan.js";

import { RUN_RAILS, type RuntimeServices } from "../colang1/run.js";
import { checkStreaming } from "../../rails/review/review-session.js";
import { readToolRules, withRails, withRuleRails } from "./tool-rules.js";
import type { RuntimeInput } from "./runtime-input.js";
import type { DialectHost } from "../dialect-host.js";
import { type PreparedParts, sharedServices } from "./shared-services.js";

/** Searches of the dialog that need no embeddings. */
const embeddedIndexes = lazily(async () => {
  const [{ createNgramIndex }, { createMatcherIndex }] = await Promise.all([
    import("../../retrieval/matcher/ngram-index.js"),
    import("../../retrieval/matcher/matcher-index.js"),
  ]);
  return { createNgramIndex, createMatcherIndex };
});

/**
 * Compiles a configuration and puts a runtime together. Code of the configuration runs first, then models are made.
 *
 * @throws ColangSyntaxError, ColangValidationError or ConfigError with all problems at once
 */
export async function createRuntime(input: RuntimeInput): Promise<Runtime> {
  const toolRules = await readToolRules(input.config, input.toolRules);
  const config = withRuleRails(withParallel(input.config, input.parallel), toolRules);
  const { settings } = config;
  const app = await initialiseApp(config);
  const models = typeof input.models === "function" ? await input.models(app) : input.models;
  const own = await collectActions(config, app, input);
  const needs = checkNeeds(config, models);
  const promptProblems = await findPromptProblems(config, app);
  if (promptProblems.some(isError)) throw new ConfigError(promptProblems.filter(isError));
  const ids = input.ids ?? randomIds;
  const clock = input.clock ?? systemClock;
  const dialogEmbeddings = await provideEmbeddings(config, "core", input.embeddings);
  const threshold = searchThreshold(config, "core");
  // The embedded matcher learns the examples, unless embeddings or a store of the caller look texts up.
  const learns = dialogEmbeddings === undefined && input.createIndex === undefined;
  const indexes = {
    createIndex: async (items: readonly DialogItem[]) => {
      const createIndex = input.createIndex ?? (await embeddedIndexes()).createNgramIndex;
      return createIndex({ items, embeddings: dialogEmbeddings, threshold });
    },
    createExampleIndex: learns
      ? async (items: readonly DialogItem[]) => {
          const { createMatcherIndex } = await embeddedIndexes();
          const cache = await openMatcherCache(settings.core.embedding_search_provider.cache);
          return createMatcherIndex({ items, cache, onProgress: input.onLearning });
        }
      : undefined,
  };
  const problems = [...promptProblems, ...needs];
  const parts: PreparedParts = { input, config, app, models, own, toolRules, problems, indexes, ids, clock };
  const isColang2 = settings.colang_version === "2.x";
  const host = isColang2
    ? await (await import("./create-colang2-runtime.js")).createColang2Host(parts)
    : await createColang1Host(parts);
  if (input.stream !== undefined) checkStreaming(host.services, input.stream);
  const { threads, threadsOf, timeoutMs, logger } = input;
  return new Runtime(host, { threads, threadsOf, timeoutMs, logger });
}

/** Compiles the flows of a Colang 1.0 configuration and wires its host. */
async function createColang1Host(parts: PreparedParts): Promise<DialectHost> {
  const { input, config, own, problems, indexes, ids, clock } = parts;
  const { settings } = config;
  // An unknown name is reported when a flow is loaded.
  const catalog = own.catalog();
  const has = (name: string) => catalog.has(name) || name === RUN_RAILS || GENERATION_ACTIONS.includes(name);
  const { program, diagnostics } = await compileConfig(config, { ...catalog, has });
  const { pickVariant } = input;
  const generation = createGenerationServices({ settings, program, ...indexes, ids, clock, pickVariant });
  const registry = withBuiltIn(own.extend(), createGenerationActions(generation));
  // INVARIANT: loading code takes nothing of the time that an action has.
  if (Object.keys(program.userMessages).length > 0) await Promise.all([dialogActions(), embeddedIndexes()]);
  const railPlans = createRailPlans(settings, colang1Traits(program, registry));
  const awaited = awaitedEvents(program.flows);
  const hasFlows = program.flows.some((flow) => flow.tier === "user");
  const services: RuntimeServices = {
    ...(await sharedServices(parts)),
    rails: colang1Rails(() => services),
    program,
    writtenTexts: writtenTexts(program.flows),
    flows: new Map(program.flows.map((flow) => [flow.id, flow])),
    awaited,
    askingActions: new Set(GENERATION_ACTIONS.filter((name) => own.get(name) === undefined)),
    railPlans,
    registry,
    generation,
    ids,
    createEvent: eventFactory({ clock, ids, sourceUid: settings.event_source_uid }),
    warnings: [
      ...config.warnings,
      ...problems,
      ...diagnostics,
      ...warnIfNothingGuards(config, hasFlows),
      ...checkSpeculation(config, { railPlans, awaited }),
    ],
  };
  return colang1Host(services);
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

/** Imported paths come first, the configuration itself last. */
async function initialiseApp(config: RailsConfig): Promise<GuardrailsApp> {
  const app = new GuardrailsApp();
  for (const { path, init } of config.code.inits) {
    try {
      await init(app);
    } catch (cause) {
      const message = `\`init\` of \`${path}\` failed: ${cause instanceof Error ? cause.message : String(cause)}`;
      throw new GuardrailsError(message, { code: "CF-116", cause });
    }
  }
  app.seal();
  return app;
}

/** The option `parallel` stands over what the configuration says for rails on messages and on tools. */
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
