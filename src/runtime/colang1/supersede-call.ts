import type { EventDraft } from "../../engine/events.js";
import { BETWEEN_INTENT_AND_WORDS } from "./pipeline-actions.js";
import { mergedSlotOf } from "./merged-slot.js";
import type { Run } from "./run.js";
import type { RuntimeServices } from "./services.js";

/**
 * Ends the model call of the turn as soon as the engine decided on a step that does not need the rest of it: a flow runs
 * an action of its own, or what is said needs no model.
 */
export function cutOvertakenCall(services: RuntimeServices, run: Run, drafts: readonly EventDraft[]): void {
  const { call } = mergedSlotOf(run.turn);
  const step = drafts.at(-1);
  // Rails run beside the turn and decide nothing about it.
  if (call === undefined || step === undefined || run.scope === "rail") return;
  if (isOwnAction(step) || isSaidWithoutModel(services, step)) call.cut();
}

function isOwnAction(step: EventDraft): boolean {
  return step.type === "StartInternalSystemAction" && !BETWEEN_INTENT_AND_WORDS.has(String(step["action_name"]));
}

function isSaidWithoutModel(services: RuntimeServices, step: EventDraft): boolean {
  if (step.type !== "BotIntent") return false;
  const intent = String(step["intent"]);
  const isGiven = typeof step["text"] === "string" || Object.hasOwn(step, "value") || intent.startsWith("$");
  return isGiven || intent === "stop" || services.generation.messages.has(intent);
}
