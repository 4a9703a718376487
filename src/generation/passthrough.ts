import type { GuardrailsEvent } from "../engine/events.js";
import { callModel } from "../llm/task/call-model.js";
import { TrimmedText } from "../llm/parsers/gradual/trimmed-text.js";
import { adaptPrompt, promptText } from "../llm/prompts/prompt-text.js";
import { RunningCall } from "../llm/task/running-call.js";
import type { GeneratedText } from "./generated-text.js";
import { currentUserText } from "./history.js";
import { requireModel } from "./require-model.js";
import { SOURCES_VARIABLE } from "./retrieve-chunks.js";
import type { CallServices } from "./services.js";
import type { GeneratedAnswer, Generator } from "../turn/answer.js";
import { tellCall } from "./tell-words.js";

export interface PassthroughInput {
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
  const { tell, atEnd } = call;
  if (tell === undefined) {
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
  const said = await tellCall(running, new TrimmedText(), { tell, atEnd }, contextUpdates);
  return { text: said, source: "llm", contextUpdates };
}
