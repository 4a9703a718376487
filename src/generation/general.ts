import type { GuardrailsEvent } from "../engine/events.js";
import { modelForTask } from "../llm/model.js";
import type { GeneratedText } from "./generated-text.js";
import { askGenerator, askModelDirectly } from "./passthrough.js";
import { promptText } from "../llm/prompt-text.js";
import { requireModel } from "./require-model.js";
import { retrieveRelevantChunks } from "./retrieve-chunks.js";
import type { CallServices } from "./services.js";

const TASK = "general";

export interface GeneralInput {
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * The answer where a configuration has no user messages, so that there are no intents to decide on (spec colang-1
 * 11.3): of the wrapped chain, of the main model given the user's own text, or of the `general` task with what the
 * knowledge base has on the question.
 *
 * @throws ModelError when there is no model or its call fails
 */
export async function generateGeneral(input: GeneralInput, services: CallServices): Promise<GeneratedText> {
  const { generator } = services.call;
  if (generator) return orNoAnswer(await askGenerator(generator, input, services), services);
  if (services.settings.passthrough === true) return orNoAnswer(await askModelDirectly(input, services), services);
  const { contextUpdates } = await retrieveRelevantChunks(input, services);
  const context = { ...input.context, ...contextUpdates };
  const answer = await runGeneralTask({ ...input, context }, services);
  return { ...answer, contextUpdates: { ...contextUpdates, ...answer.contextUpdates } };
}

/** The same with the chunks that stand in the context already, for example after the retrieval rails. */
export async function runGeneralTask(input: GeneralInput, services: CallServices): Promise<GeneratedText> {
  const { text, prompt } = await services.tasks.run({
    task: TASK,
    model: requireModel(modelForTask(services.models, TASK), TASK),
    events: input.events,
    context: input.context,
    parameters: services.call.llmParams ? { extra: services.call.llmParams } : {},
    scope: services.scope,
  });
  const contextUpdates = { _last_bot_prompt: promptText(prompt) };
  return orNoAnswer({ text: withoutQuotes(text), source: "llm", contextUpdates }, services);
}

function orNoAnswer(answer: GeneratedText, services: CallServices): GeneratedText {
  return answer.text.trim() === "" ? { ...answer, text: services.settings.messages.no_answer } : answer;
}

/** Models that have seen quoted examples like to quote the whole answer. */
function withoutQuotes(completion: string): string {
  const text = completion.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
