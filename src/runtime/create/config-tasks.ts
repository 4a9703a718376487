import { printHistory } from "../../llm/print-history.js";
import type { RailsSettings } from "../../config/settings.js";
import type { Clock } from "../../engine/clock.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { printInteractionHistory } from "../../llm/prompts/interaction-history.js";
import { LIBRARY_PROMPTS } from "../../library/assets.js";
import { createTasks } from "../../llm/task/run-task.js";
import type { LlmTasks } from "../../llm/task/task.js";
import type { GuardrailsApp } from "./app.js";

/** Of every rail, unless the caller says otherwise. */
export const DEFAULT_RAIL_TIMEOUT_MS = 30_000;

/** Of Colang 2.x log events, where there are any: what flows did. Else what was said, which rails are told. */
function printEither(events: readonly GuardrailsEvent[]): string {
  const history = printInteractionHistory(events);
  return history === "" ? printHistory(events) : history;
}

/** The tasks of a configuration: its prompts and those that come with the package. */
export function configTasks(settings: RailsSettings, app: GuardrailsApp, clock: Clock): LlmTasks {
  return createTasks({
    prompts: settings.prompts,
    promptingMode: settings.prompting_mode,
    instructions: settings.instructions,
    sampleConversation: settings.sample_conversation,
    lowestTemperature: settings.lowest_temperature,
    historyPrinter: settings.colang_version === "2.x" ? printEither : printHistory,
    libraryPrompts: LIBRARY_PROMPTS,
    filters: app.filters,
    outputParsers: app.outputParsers,
    promptContext: app.promptContext,
    clock,
  });
}
