import { actionResult } from "../../../actions/dispatcher.js";
import type { ActionDefinition } from "../../../actions/action.js";
import { defineAction } from "../../../actions/define-action.js";
import type { Clock } from "../../../engine/events.js";
import { runGeneralTask, orFallbackText, askDirectly } from "../../../generation/passthrough.js";
import { retrieveRelevantChunks } from "../../../generation/retrieve-chunks.js";
import { callServicesOf } from "../../../generation/services.js";
import { ANSWER } from "../compile/generated-flows.js";
import type { Colang2Call } from "./services.js";

/**
 * The action of the generated dialog: returns the response of the wrapped chain or model, of the main model to the user's
 * own text, or of the task `general` with chunks of the knowledge base.
 */
export function responseAction(clock: Clock): ActionDefinition {
  return defineAction({ name: ANSWER, system: true, executeAsync: true }, async (_, context) => {
    const { events } = context;
    const services = callServicesOf(context, clock);
    const { filterChunks } = services.call as Colang2Call;
    const direct = await askDirectly({ events, context: context.context }, services);
    if (direct !== undefined) {
      const { text, contextUpdates } = orFallbackText(direct, services);
      return actionResult({ returnValue: text, contextUpdates });
    }
    const retrieved = await retrieveRelevantChunks({ events, context: context.context }, services);
    const filtered = await filterChunks({ ...context.context, ...retrieved.contextUpdates });
    if (filtered.blocked) {
      return actionResult({ returnValue: filtered.refusal ?? context.config.messages.no_answer });
    }
    const updates = { ...retrieved.contextUpdates, ...pickChunks(filtered.context, retrieved.contextUpdates) };
    const response = await runGeneralTask({ events, context: filtered.context }, services, updates);
    return actionResult({ returnValue: response.text, contextUpdates: { ...updates, ...response.contextUpdates } });
  });
}

function pickChunks(
  context: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.keys(found).map((name) => [name, context[name] ?? null]));
}
