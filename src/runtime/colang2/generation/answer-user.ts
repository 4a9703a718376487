import { actionResult } from "../../../actions/action-result.js";
import type { ActionContext, ActionDefinition } from "../../../actions/action.js";
import { defineAction } from "../../../actions/define-action.js";
import type { Clock } from "../../../engine/clock.js";
import { runGeneralTask, askGenerator, askModelDirectly } from "../../../generation/passthrough.js";
import { retrieveRelevantChunks } from "../../../generation/retrieve-chunks.js";
import type { CallServices } from "../../../generation/services.js";
import type { Colang2Call } from "../call-services.js";
import { ANSWER } from "../compile/generated-flows.js";

/** Sends chunks through the retrieval rails; undefined when these blocked, with what they say about it. */
export type FilterChunks = (context: Readonly<Record<string, unknown>>) => Promise<{
  readonly context: Readonly<Record<string, unknown>>;
  readonly refusal?: string;
  readonly blocked: boolean;
}>;

/**
 * The action of the generated dialog: the answer of the wrapped chain or model, of the main model given the user's own
 * text, or of the task `general` with what the knowledge base has on the question.
 */
export function answerAction(clock: Clock): ActionDefinition {
  return defineAction({ name: ANSWER, system: true, executeAsync: true }, async (_, context) => {
    const call = context.services["call"] as Colang2Call;
    const { events } = context;
    const services: CallServices = {
      settings: context.config,
      tasks: context.tasks,
      models: context.models,
      scope: context.scope,
      signal: context.signal,
      config: context.runnableConfig,
      kb: context.kb,
      clock,
      call,
    };
    const input = { events, context: context.context };
    if (call.generator !== undefined) {
      const { text, contextUpdates } = await askGenerator(call.generator, input, services);
      return actionResult({ returnValue: orNoAnswer(text, context), contextUpdates: { ...contextUpdates } });
    }
    if (context.config.passthrough === true) {
      const { text, contextUpdates } = await askModelDirectly(input, services);
      return actionResult({ returnValue: orNoAnswer(text, context), contextUpdates: { ...contextUpdates } });
    }
    const found = await retrieveRelevantChunks(input, services);
    const filtered = await call.filterChunks({ ...context.context, ...found.contextUpdates });
    if (filtered.blocked) {
      return actionResult({ returnValue: filtered.refusal ?? context.config.messages.no_answer });
    }
    const updates = { ...found.contextUpdates, ...pickChunks(filtered.context, found.contextUpdates) };
    const answer = await runGeneralTask({ events, context: filtered.context }, services, updates);
    return actionResult({ returnValue: answer.text, contextUpdates: { ...updates, ...answer.contextUpdates } });
  });
}

function pickChunks(
  context: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.keys(found).map((name) => [name, context[name] ?? null]));
}

function orNoAnswer(text: string, context: ActionContext): string {
  return text.trim() === "" ? context.config.messages.no_answer : text;
}
