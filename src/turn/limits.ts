import type { LimitSettings } from "../config/settings.js";
import type { EngineLimits } from "../engine/limits.js";

/** The bounds of a turn that a configuration asks for. */
export function turnLimits(settings: LimitSettings): EngineLimits {
  return {
    eventsPerTurn: settings.events_per_turn,
    llmCallsPerTurn: settings.llm_calls_per_turn,
    slideSteps: settings.slide_steps,
    callDepth: settings.call_depth,
  };
}
