import type { RailsConfig } from "../../config/rails-config.js";
import type { Clock, GuardrailsEvent } from "../../engine/events.js";
import { LIBRARY_PROMPTS } from "../../library/assets.js";
import { printHistory } from "../../llm/print-history.js";
import { printInteractionHistory } from "../../llm/prompts/interaction-history.js";
import { createTasks } from "../../llm/task/run-task.js";
import type { LlmTasks } from "../../llm/task/task.js";
import type { GuardrailsApp } from "./app.js";

/** Creates the tasks of a configuration, including registrations by `init` of its code. */
export function createConfiguredTasks({ settings }: RailsConfig, app: GuardrailsApp, clock: Clock): LlmTasks {
  const { filters, outputParsers, promptContext } = app;
  return createTasks({
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
  });
}

/** Prints log events of Colang 2.x, otherwise the utterances, which rails read. */
function printEither(events: readonly GuardrailsEvent[]): string {
  const history = printInteractionHistory(events);
  return history === "" ? printHistory(events) : history;
}
