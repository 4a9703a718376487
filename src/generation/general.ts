import type { GuardrailsEvent } from "../engine/events.js";
import { modelForTask } from "../llm/model.js";
import type { GeneratedText } from "./generated-text.js";
import { askGenerator, askModelDirectly } from "./passthrough.js";
import { UnquotedText } from "../llm/parsers/gradual/unquoted-text.js";
import { requireModel } from "./require-model.js";
import { retrieveRelevantChunks } from "./retrieve-chunks.js";
import type { CallServices } from "./services.js";
import { askForWords } from "./tell-words.js";

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
  const answer = await runGeneralTask({ ...input, context }, services, contextUpdates);
  return { ...answer, contextUpdates: { ...contextUpdates, ...answer.contextUpdates } };
}

/**
 * The same with the chunks that stand in the context already, for example after the retrieval rails.
 *
 * @param updates - variables that change with the answer
 */
export async function runGeneralTask(
  input: GeneralInput,
  services: CallServices,
  updates: Readonly<Record<string, unknown>> = {},
): Promise<GeneratedText> {
  const request = {
    task: TASK,
    model: requireModel(modelForTask(services.models, TASK), TASK),
    events: input.events,
    context: input.context,
    parameters: services.call.llmParams ? { extra: services.call.llmParams } : {},
    scope: services.scope,
  };
  const { text, promptText } = await askForWords(request, services, { reader: () => new UnquotedText(), updates });
  return orNoAnswer({ text, source: "llm", contextUpdates: { _last_bot_prompt: promptText } }, services);
}

function orNoAnswer(answer: GeneratedText, services: CallServices): GeneratedText {
  return answer.text.trim() === "" ? { ...answer, text: services.settings.messages.no_answer } : answer;
}
