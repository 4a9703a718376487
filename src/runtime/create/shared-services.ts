import { isPromise } from "../../engine/async.js";
import type { Clock, IdSource } from "../../engine/events.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { judge } from "../../library/judges/judge.js";
import { findLibraryFlow } from "../../library/manifest.js";
import { lazyTasks } from "../../llm/task/lazy-tasks.js";
import type { RailServices } from "../../rails/services.js";
import type { ResponseCuts } from "../../turn/response.js";
import { listedRails } from "../../rails/tools/tool-rails.js";
import type { GuardrailsApp } from "./app.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { ActionRegistry } from "../../actions/registry.js";
import type { RailsConfig } from "../../config/rails-config.js";
import type { CreateDialogIndex } from "../../generation/indexes.js";
import {
  FIRST_STAGES_SERVICE,
  RAIL_PARTS_SERVICE,
  type RailParts,
  VERDICT_CACHE_SERVICE,
} from "../../library/rail-code.js";
import { type CompiledToolRules, TOOL_RULES_SERVICE } from "../../library/tool-rules.js";
import type { ModelSet } from "../../llm/model.js";
import { turnLimits } from "../../turn/options.js";
import { observeDecisions } from "../../turn/problem-log.js";
import { readRefusals } from "./refusals.js";
import { openFirstStages } from "./two-stage.js";
import { openKnowledgeBase } from "./embedding-provider.js";
import type { RuntimeInput } from "./runtime-input.js";

/** Default time limit of a rail. */
const DEFAULT_RAIL_TIMEOUT_MS = 30_000;

/** Parts of a runtime that are ready before its flows are compiled. */
export interface PreparedParts {
  readonly input: RuntimeInput;
  readonly config: RailsConfig;
  readonly app: GuardrailsApp;
  readonly models: ModelSet;
  /** Actions of the library, of the configuration and of the caller. */
  readonly own: ActionRegistry;
  readonly toolRules: CompiledToolRules | undefined;
  readonly railParts: RailParts;
  /** Warnings about the settings. */
  readonly problems: readonly Diagnostic[];
  /** Throws the errors of the settings, after the flows are compiled. */
  readonly throwProblems: () => void;
  readonly indexes: {
    readonly createIndex: CreateDialogIndex;
    readonly createExampleIndex: CreateDialogIndex | undefined;
  };
  readonly ids: IdSource;
  readonly clock: Clock;
}

/** Opens the knowledge base and collects the dependencies shared by both dialects. */
export async function sharedServices(parts: PreparedParts) {
  const { input, config, app, models, toolRules, railParts, clock } = parts;
  const { settings } = config;
  const tasks = lazyTasks(settings.prompts, async () => {
    const { createConfiguredTasks } = await import("./tasks.js");
    return createConfiguredTasks(config, app, clock);
  });
  // INVARIANT: invalid filters, parsers or prompts fail at load rather than in a turn.
  if (asksModels({ config, app, models })) {
    await tasks.load();
    await judge();
  }
  return {
    config,
    tasks,
    models,
    kb: await openKnowledgeBase(config, input),
    actionParams: {
      ...app.actionParams,
      ...input.actionParams,
      [TOOL_RULES_SERVICE]: toolRules,
      [RAIL_PARTS_SERVICE]: railParts,
      [VERDICT_CACHE_SERVICE]: await openVerdictCaches(parts),
      [FIRST_STAGES_SERVICE]: await openFirstStages(config),
    },
    runWithConfig: input.runWithConfig,
    clock,
    limits: turnLimits(settings.limits, settings.rails.budget),
    tracker: input.tracker,
    timeoutMs: input.timeoutMs ?? DEFAULT_RAIL_TIMEOUT_MS,
    onError: input.onError ?? "block",
    refusals: await readRefusals(config),
    cutsOf: cutsFor(railParts),
    onDecision: observeDecisions(input),
    tracer: input.tracer,
    logger: input.logger,
  };
}

/** Returns the function that opens the cut points of a streamed response for a library rail. */
function cutsFor(railParts: RailParts): RailServices["cutsOf"] {
  return (reference) => {
    const { id, parameters } = parseFlowReference(reference);
    const rail = findLibraryFlow(id)?.rail.name;
    const part = rail === undefined ? undefined : railParts.part(rail);
    if (part === undefined || part === null || isPromise(part)) return undefined;
    const variant = parameters.find(({ name }) => name === "variant")?.value;
    // Rails without detectors have other parts.
    return (part as { readonly openCuts?: (variant: unknown) => ResponseCuts | undefined }).openCuts?.(variant);
  };
}

/** Opens the configured verdict caches. */
async function openVerdictCaches({ config, models, input, clock }: PreparedParts): Promise<unknown> {
  const { settings } = config;
  if (!settings.rails.cache.enabled && !settings.models.some(({ cache }) => cache.enabled)) return undefined;
  const { VerdictCaches } = await import("../../library/judges/verdict-cache.js");
  const { logger, sharedVerdicts } = input;
  return new VerdictCaches({ settings, models, sharedVerdicts, clock, logger });
}

/** Returns true if turns are likely to run tasks: there is a model, a listed judge, or configured task parts. */
function asksModels({ config, app, models }: Pick<PreparedParts, "config" | "app" | "models">): boolean {
  const { prompts, rails } = config.settings;
  return (
    Object.keys(models.byType).length > 0 ||
    prompts.length > 0 ||
    [app.filters, app.outputParsers, app.promptContext].some((part) => Object.keys(part).length > 0) ||
    listedRails(rails).some(
      ({ text }) => (findLibraryFlow(parseFlowReference(text).id)?.rail.needs?.tasks ?? []).length > 0,
    )
  );
}
