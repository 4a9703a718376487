import { callModel } from "../llm/task/call-model.js";
import { TrimmedText, UnquotedText } from "../llm/parsers/gradual/gradual-text.js";
import { adaptPrompt, promptText } from "../llm/prompts/prompt-text.js";
import { RunningCall } from "../llm/task/running-call.js";
import { type DialogInput, type GeneratedText, requireModel, type CallServices } from "./services.js";
import { currentUserText } from "./history.js";
import { SOURCES_VARIABLE, retrieveRelevantChunks } from "./retrieve-chunks.js";
import type { GeneratedResponse, Generator, GeneratorRequest } from "../turn/response.js";
import { askForWords, GradualWords, writeWords } from "./gradual-words.js";
import { modelForTask, type LanguageModel } from "../llm/model.js";

/** Set while the bot text has its own evidence, which enables the fact rails. */
export const OWN_EVIDENCE = "_own_evidence";

const TASK = "passthrough";

/** Calls the wrapped chain or model, which replaces the task that generates a message. */
export function askGenerator(
  generator: Generator,
  question: Pick<GeneratorRequest, "userMessage" | "rewritten" | "context">,
  { config, signal, call }: Pick<CallServices, "config" | "signal" | "call">,
): Promise<GeneratedText> {
  const { userMessage, rewritten, context } = question;
  const request = { userMessage, rewritten, context, config, signal, llmParams: call.llmParams };
  return generator(request).then(textOfResponse);
}

function textOfResponse({ text, relevantChunks: chunks, sources }: GeneratedResponse): GeneratedText {
  if (chunks === undefined) return { text, source: "generator", contextUpdates: {} };
  const contextUpdates = {
    relevant_chunks: chunks.join("\n"),
    relevant_chunks_sep: [...chunks],
    [SOURCES_VARIABLE]: sources ?? chunks.map(() => ({ title: "", file: "" })),
    [OWN_EVIDENCE]: true,
  };
  return { text, source: "generator", contextUpdates };
}

/** Sends the user's text to a model unchanged, without a built-in prompt. */
export async function askModelDirectly(
  text: string,
  { scope, clock, call }: CallServices,
  given: LanguageModel | undefined,
): Promise<GeneratedText> {
  const model = requireModel(given, TASK);
  const prompt = adaptPrompt({ kind: "text", text }, model.family);
  const parameters = call.llmParams ? { extra: call.llmParams } : {};
  const request = { task: TASK, model, scope };
  const contextUpdates = { _last_bot_prompt: promptText(prompt) };
  const { writeText, atEnd } = call;
  if (writeText === undefined) {
    const completion = await callModel(request, prompt, parameters, clock);
    return { text: completion.text.trim(), source: "llm", contextUpdates };
  }
  const how = { streaming: true, byPieces: true, endless: true };
  const running = new RunningCall({ request, prompt, parameters, clock, ...how });
  atEnd?.(() => running.cancelRest());
  const written = await writeWords(new GradualWords(running, new TrimmedText()), writeText, contextUpdates);
  return { text: written, source: "llm", contextUpdates };
}

const GENERAL_TASK = "general";

/**
 * Calls the responder that needs no dialog prompt: the wrapped chain or model, or with `passthrough` the main model.
 * Undefined if the configuration has neither.
 */
export async function askDirectly(
  { events, context }: DialogInput,
  services: CallServices,
): Promise<GeneratedText | undefined> {
  const { generator } = services.call;
  const { text, rewritten } = currentUserText(events);
  if (generator !== undefined) return askGenerator(generator, { userMessage: text, rewritten, context }, services);
  return services.settings.passthrough === true ? askModelDirectly(text, services, services.models.main) : undefined;
}

/**
 * Generates the response of a configuration without user messages, and so without intents: directly, or by the task
 * `general` with chunks of the knowledge base.
 *
 * @throws ModelError if there is no model or its call fails
 */
export async function generateGeneral(input: DialogInput, services: CallServices): Promise<GeneratedText> {
  const direct = await askDirectly(input, services);
  if (direct !== undefined) return orFallbackText(direct, services);
  const { contextUpdates } = await retrieveRelevantChunks(input, services);
  const context = { ...input.context, ...contextUpdates };
  const response = await runGeneralTask({ ...input, context }, services, contextUpdates);
  return { ...response, contextUpdates: { ...contextUpdates, ...response.contextUpdates } };
}

/**
 * Runs the task `general` with the chunks already in the context, for example after the retrieval rails.
 *
 * @param updates - variables that change with the response
 */
export async function runGeneralTask(
  input: DialogInput,
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
  const { text, promptText } = await askForWords(request, services, () => new UnquotedText(), updates);
  return orFallbackText({ text, source: "llm", contextUpdates: { _last_bot_prompt: promptText } }, services);
}

/** Replaces an empty response by the configured text. */
export function orFallbackText(response: GeneratedText, services: Pick<CallServices, "settings">): GeneratedText {
  return response.text.trim() === "" ? { ...response, text: services.settings.messages.no_answer } : response;
}
