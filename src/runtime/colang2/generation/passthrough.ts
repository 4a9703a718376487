import { callModel } from "../../../llm/task/call-model.js";
import { modelForTask } from "../../../llm/model.js";
import { adaptPrompt, promptText } from "../../../llm/prompts/prompt-text.js";
import type { GeneratedText } from "../../../generation/generated-text.js";
import { evidenceUpdates } from "../../../generation/passthrough.js";
import { requireModel } from "../../../generation/require-model.js";
import { type Colang2Step, userTextOf } from "./services.js";

const TASK = "passthrough";

/**
 * What the wrapped chain, or else the main model, answers to the user's text without a prompt of ours (spec 9.4.8).
 *
 * @throws ModelError when there is no model or its call fails
 */
export async function passThrough(userMessage: string, step: Colang2Step): Promise<GeneratedText> {
  step.signal.throwIfAborted();
  const { scope, clock, call, config, signal, globals } = step;
  const { llmParams } = call;
  if (call.generator) {
    const rewritten = userMessage !== step.access.lastTranscript;
    const answer = await call.generator({ userMessage, rewritten, context: globals, config, signal, llmParams });
    return { text: answer.text, source: "generator", contextUpdates: evidenceUpdates(answer) };
  }
  const model = requireModel(modelForTask(step.models, TASK), TASK);
  const prompt = adaptPrompt({ kind: "text", text: userMessage }, model.family);
  const parameters = llmParams ? { extra: llmParams } : {};
  const completion = await callModel({ task: TASK, model, scope }, prompt, parameters, clock);
  return { text: completion.text.trim(), source: "llm", contextUpdates: { _last_bot_prompt: promptText(prompt) } };
}

/** The text to pass on: what the action is given, or the last utterance after the input rails. */
export function passedText(given: unknown, step: Colang2Step): string {
  return typeof given === "string" && given !== "" ? given : (userTextOf(step) ?? "");
}
