import { printHistory } from "../../llm/print-history.js";
import type { Clock, GuardrailsEvent, IdSource } from "../../engine/events.js";
import { printInteractionHistory } from "../../llm/prompts/interaction-history.js";
import { LIBRARY_PROMPTS } from "../../library/assets.js";
import { createTasks } from "../../llm/task/run-task.js";
import type { GuardrailsApp } from "./app.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { ActionRegistry } from "../../actions/registry.js";
import type { RailsConfig } from "../../config/rails-config.js";
import type { CreateDialogIndex } from "../../generation/indexes.js";
import { type CompiledToolRules, TOOL_RULES_SERVICE } from "../../library/tool-rules.js";
import type { ModelSet } from "../../llm/model.js";
import { turnLimits } from "../../turn/options.js";
import { observeDecisions } from "../../turn/problem-log.js";
import { openKnowledgeBase } from "./embedding-provider.js";
import type { RuntimeInput } from "./runtime-input.js";

/** Default time limit of a rail. */
const DEFAULT_RAIL_TIMEOUT_MS = 30_000;

/** Prints log events of Colang 2.x, or else the utterances, which rails read. */
function printEither(events: readonly GuardrailsEvent[]): string {
  const history = printInteractionHistory(events);
  return history === "" ? printHistory(events) : history;
}

/** Parts of a runtime that are ready before its flows are compiled. */
export interface PreparedParts {
  readonly input: RuntimeInput;
  readonly config: RailsConfig;
  readonly app: GuardrailsApp;
  readonly models: ModelSet;
  /** Actions of the library, of the configuration and of the caller. */
  readonly own: ActionRegistry;
  readonly toolRules: CompiledToolRules | undefined;
  readonly problems: readonly Diagnostic[];
  readonly indexes: {
    readonly createIndex: CreateDialogIndex;
    readonly createExampleIndex: CreateDialogIndex | undefined;
  };
  readonly ids: IdSource;
  readonly clock: Clock;
}

/** Opens the knowledge base and collects the dependencies that both dialects have. */
export async function sharedServices({ input, config, app, models, toolRules, clock }: PreparedParts) {
  const { settings } = config;
  const { filters, outputParsers, promptContext } = app;
  return {
    config,
    tasks: createTasks({
      prompts: settings.prompts,
      promptingMode: settings.prompting_mode,
      instructions: settings.instructions,
      sampleConversation: settings.sample_conversation,
      lowestTemperature: settings.lowest_temperature,
      historyPrinter: settings.colang_version === "2.x" ? printEither : printHistory,
      libraryPrompts: LIBRARY_PROMPTS,
      filters,
      outputParsers,
      promptContext,
      clock,
    }),
    models,
    kb: await openKnowledgeBase(config, input),
    actionParams: {
      ...app.actionParams,
      ...input.actionParams,
      runWithConfig: input.runWithConfig,
      [TOOL_RULES_SERVICE]: toolRules,
    },
    clock,
    limits: turnLimits(settings.limits),
    tracker: input.tracker,
    timeoutMs: input.timeoutMs ?? DEFAULT_RAIL_TIMEOUT_MS,
    onError: input.onError ?? "block",
    onDecision: observeDecisions(input),
    logger: input.logger,
  };
}
