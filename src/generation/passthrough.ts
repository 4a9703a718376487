import type { GuardrailsEvent } from "../engine/events.js";
import { callModel } from "../llm/task/call-model.js";
import { TrimmedText, UnquotedText } from "../llm/parsers/gradual/text-readers.js";
import { adaptPrompt, promptText } from "../llm/prompts/prompt-text.js";
import { RunningCall } from "../llm/task/running-call.js";
import { type GeneratedText, requireModel, type CallServices } from "./services.js";
import { currentUserText } from "./history.js";
import { SOURCES_VARIABLE, retrieveRelevantChunks } from "./retrieve-chunks.js";
import type { GeneratedAnswer, Generator } from "../turn/answer.js";
import { writeCall, askForWords } from "./gradual-words.js";
import { modelForTask } from "../llm/model.js";

interface PassthroughInput {
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
}

/** Set while the bot text brought its own evidence, which turns the fact rails on. */
export const OWN_EVIDENCE = "_own_evidence";

const TASK = "passthrough";

/** The answer of the wrapped chain or model, which stands in for the message task. */
export async function askGenerator(
  generator: Generator,
  input: PassthroughInput,
  services: CallServices,
): Promise<GeneratedText> {
  const { text: userMessage, rewritten } = currentUserText(input.events);
  const answer = await generator({
    userMessage,
    rewritten,
    context: input.context,
    config: services.config,
    signal: services.signal,
    llmParams: services.call.llmParams,
  });
  return { text: answer.text, source: "generator", contextUpdates: evidenceUpdates(answer) };
}

/** Variables that hold the evidence an answer came with. */
export function evidenceUpdates({
  relevantChunks: chunks,
  sources,
}: GeneratedAnswer): Readonly<Record<string, unknown>> {
  if (chunks === undefined) return {};
  return {
    relevant_chunks: chunks.join("\n"),
    relevant_chunks_sep: [...chunks],
    [SOURCES_VARIABLE]: sources ?? chunks.map(() => ({ title: "", file: "" })),
    [OWN_EVIDENCE]: true,
  };
}

/** Sends the user's text to the main model as it is, without a prompt of ours (spec rails 2.19). */
export async function askModelDirectly(input: PassthroughInput, services: CallServices): Promise<GeneratedText> {
  const { scope, clock, call } = services;
  const model = requireModel(services.models.main, TASK);
  const { text } = currentUserText(input.events);
  const prompt = adaptPrompt({ kind: "text", text }, model.family);
  const parameters = call.llmParams ? { extra: call.llmParams } : {};
  const request = { task: TASK, model, scope };
  const contextUpdates = { _last_bot_prompt: promptText(prompt) };
  const { writeText, atEnd } = call;
  if (writeText === undefined) {
    const completion = await callModel(request, prompt, parameters, clock);
    return { text: completion.text.trim(), source: "llm", contextUpdates };
  }
  const running = new RunningCall({
    request,
    prompt,
    parameters,
    clock,
    streaming: true,
    byPieces: true,
    endless: true,
  });
  const said = await writeCall(running, new TrimmedText(), { writeText, atEnd }, contextUpdates);
  return { text: said, source: "llm", contextUpdates };
}

const GENERAL_TASK = "general";

interface GeneralInput {
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
    task: GENERAL_TASK,
    model: requireModel(modelForTask(services.models, GENERAL_TASK), GENERAL_TASK),
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
