import { GuardrailsError, ModelError } from "../../diagnostics/errors.js";
import type { Clock } from "../../engine/clock.js";
import type { ModelCompletion, ModelParameters, ModelPrompt } from "../model.js";
import { promptText } from "../prompts/prompt-text.js";
import type { ModelCall } from "./record.js";

/**
 * Calls a model and records the call.
 *
 * @throws ModelError when the provider fails; an aborted call throws the error of the provider
 */
export async function callModel(
  request: ModelCall,
  prompt: ModelPrompt,
  parameters: ModelParameters,
  clock: Clock,
): Promise<ModelCompletion> {
  const { task, model, scope } = request;
  scope.signal?.throwIfAborted();
  scope.beforeCall?.();
  const startedAt = clock.now();
  let completion: ModelCompletion;
  try {
    completion = await model.generate(prompt, parameters, scope);
  } catch (error) {
    throw modelFailure(request, error);
  }
  const finishedAt = clock.now();
  scope.record?.({
    task,
    model: completion.modelName ?? model.name,
    provider: model.engine,
    prompt: promptText(prompt),
    completion: completion.text,
    usage: completion.usage,
    ...(completion.message === undefined ? {} : { rawResponse: completion.message }),
    startedAt,
    finishedAt,
    durationMs: finishedAt - startedAt,
  });
  return completion;
}

/** Returns the error of a failed call: an abort and errors of this package unchanged, anything else as a `ModelError`. */
export function modelFailure({ task, model, scope }: ModelCall, error: unknown): unknown {
  if (scope.signal?.aborted || GuardrailsError.isInstance(error)) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ModelError(`model call of task \`${task}\` failed: ${detail}`, {
    cause: error,
    task,
    model: `${model.engine}/${model.name}`,
  });
}
