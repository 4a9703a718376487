import type { AIMessage, UsageMetadata } from "@langchain/core/messages";
import { GuardrailsError, ModelError } from "../../diagnostics/errors.js";
import type { AbortSource } from "../../engine/async.js";
import type { Clock } from "../../engine/events.js";
import type { ParentSpan, Span } from "../../engine/span.js";
import type { Made } from "../../engine/plain-data.js";
import type { LanguageModel, ModelCallScope, ModelCompletion, ModelParameters, ModelPrompt } from "../model.js";
import { promptText } from "../prompts/prompt-text.js";

/** One model call, for the log and `explain`. Times are milliseconds since 1970. */
export interface LlmCallRecord {
  readonly task: string;
  readonly model: string;
  /** The engine of the model, such as `openai`. */
  readonly provider: string;
  readonly prompt: string;
  readonly completion: string;
  readonly usage?: UsageMetadata | undefined;
  /** Set if the provider reported no tokens, as for a cancelled stream, so `usage` is an estimate. */
  readonly isUsageEstimated?: true;
  /** The message of a chat model, unchanged; in results of `generate` it is not enumerable. */
  readonly rawResponse?: AIMessage | undefined;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly durationMs: number;
  /** The rail or flow step that made the call. */
  readonly rail?: string | undefined;
}

const CHARACTERS_PER_TOKEN = 4;

/** Estimates the tokens of a call, for streams without usage from the provider. */
function estimateUsage(...texts: readonly [prompt: string, completion: string]): UsageMetadata {
  const [input, output] = texts.map(({ length }) => Math.ceil(length / CHARACTERS_PER_TOKEN)) as [number, number];
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}

/** Environment of a running task; the runtime creates one per action. */
export interface TaskScope extends ModelCallScope {
  /** The rail or flow step that makes the call. */
  readonly rail?: string | undefined;
  /** Used instead of `signal` by a streamed call, which has its own signal. */
  readonly cancellation?: AbortSource | undefined;
  /** Called after every completion; throws `LimitError` if the turn has used up its calls. */
  readonly record?: ((call: LlmCallRecord) => void) | undefined;
  /** Span of the work that makes the call, if it is traced. */
  readonly span?: ParentSpan | undefined;
  /** Called before every model call; throws `LimitError` if the turn has used up its calls. */
  readonly beforeCall?: (() => void) | undefined;
}

/** A model call of a task. */
export interface ModelCall {
  /** Such as `generate_user_intent`, `self_check_input`, `content_safety_check_input $model=guard`. */
  readonly task: string;
  readonly model: LanguageModel;
  readonly scope: TaskScope;
}

/**
 * Calls a model and records the call.
 *
 * @throws ModelError if the provider fails; an aborted call throws the provider's error
 */
export async function callModel(
  request: ModelCall,
  prompt: ModelPrompt,
  parameters: ModelParameters,
  clock: Clock,
): Promise<ModelCompletion> {
  const { model, scope } = request;
  scope.signal?.throwIfAborted();
  scope.beforeCall?.();
  const startedAt = clock.now();
  const span = openModelSpan(request, prompt, parameters);
  let completion: ModelCompletion;
  try {
    completion = await (span === undefined
      ? model.generate(prompt, parameters, scope)
      : span.run(() => model.generate(prompt, parameters, scope)));
  } catch (error) {
    span?.fail(error);
    throw modelFailure(request, error);
  }
  recordCall(request, { prompt, startedAt, clock, span }, completion);
  return completion;
}

/** Starts the span of a model call; undefined if the call is not traced. */
export function openModelSpan(
  { task, model, scope }: ModelCall,
  prompt: ModelPrompt,
  parameters: ModelParameters,
): Span | undefined {
  return scope.span?.start({
    kind: "model",
    task,
    provider: model.engine,
    model: model.name,
    parameters: { ...model.defaults, ...parameters.extra, ...parameters },
    prompt: () => promptText(prompt),
  });
}

/** A started model call. */
interface CallStart {
  readonly prompt: ModelPrompt;
  readonly startedAt: number;
  readonly clock: Clock;
  readonly span: Span | undefined;
}

/** Records a call; `estimates` replace tokens that the provider did not report. */
export function recordCall(
  { task, model, scope }: ModelCall,
  { prompt, startedAt, clock, span }: CallStart,
  { text, usage, message, modelName }: ModelCompletion,
  estimates = false,
): void {
  const finishedAt = clock.now();
  const sent = promptText(prompt);
  const record: Made<LlmCallRecord> = {
    task,
    model: modelName ?? model.name,
    provider: model.engine,
    prompt: sent,
    completion: text,
    usage,
    startedAt,
    finishedAt,
    durationMs: finishedAt - startedAt,
  };
  if (usage === undefined && estimates) {
    record.usage = estimateUsage(sent, text);
    record.isUsageEstimated = true;
  }
  if (message !== undefined) record.rawResponse = message;
  if (scope.rail !== undefined) record.rail = scope.rail;
  span?.end({ usage: record.usage, model: modelName, text, message });
  scope.record?.(record);
}

/** Returns the error of a failed call: aborts and errors of this package unchanged, all others as a `ModelError`. */
export function modelFailure({ task, model, scope }: ModelCall, error: unknown): unknown {
  if ((scope.cancellation ?? scope.signal)?.aborted || GuardrailsError.isInstance(error)) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ModelError(`model call of task \`${task}\` failed: ${detail}`, {
    cause: error,
    task,
    model: `${model.engine}/${model.name}`,
  });
}
