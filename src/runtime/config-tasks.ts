import { printHistory } from "../colang1/print-history.js";
import type { RailsSettings } from "../config/settings.js";
import type { Clock } from "../engine/clock.js";
import { LIBRARY_PROMPTS } from "../library/assets.js";
import { createTasks } from "../llm/run-task.js";
import type { LlmTasks } from "../llm/task.js";
import type { GuardrailsApp } from "./app.js";

/** Of every rail, unless the caller says otherwise. */
export const DEFAULT_RAIL_TIMEOUT_MS = 30_000;

/** The tasks of a configuration: its prompts and those that come with the package. */
export function configTasks(settings: RailsSettings, app: GuardrailsApp, clock: Clock): LlmTasks {
  return createTasks({
    prompts: settings.prompts,
    promptingMode: settings.prompting_mode,
    instructions: settings.instructions,
    sampleConversation: settings.sample_conversation,
    lowestTemperature: settings.lowest_temperature,
    historyPrinter: printHistory,
    libraryPrompts: LIBRARY_PROMPTS,
    filters: app.filters,
    outputParsers: app.outputParsers,
    promptContext: app.promptContext,
    clock,
  });
}
