import type { RunnableConfig } from "@langchain/core/runnables";
import type { RailsSettings } from "../config/settings.js";
import type { Clock, GuardrailsEvent } from "../engine/events.js";
import type { ModelSet, LanguageModel } from "../llm/model.js";
import type { LlmTasks } from "../llm/task/task.js";
import type { TaskScope } from "../llm/task/call-model.js";
import type { Generator, WriteText } from "../turn/response.js";
import type { Lookup } from "./indexes.js";
import { ModelError } from "../diagnostics/errors.js";
import type { ActionContext } from "../actions/action.js";

/** The bot intent used if no flow decides. */
export const GENERAL_RESPONSE = "general response";

/** Per-call dependencies of a generation action, found as `context.services.call`. */
export interface GenerationCall {
  readonly generator?: Generator | undefined;
  readonly llmParams?: Readonly<Record<string, unknown>> | undefined;
  /** Set if the turn is streamed and the next text may be released in parts. */
  readonly writeText?: WriteText | undefined;
  /** Registers a function to call at the end of the turn. */
  readonly atEnd?: ((end: () => void) => void) | undefined;
  /** Wraps searches; absent without speculation. */
  readonly lookup?: Lookup | undefined;
}

/** The events so far and the current variables. */
export interface DialogInput {
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
}

/** Dependencies for generating a response, for both dialects. */
export interface CallServices {
  readonly settings: RailsSettings;
  readonly clock: Clock;
  readonly tasks: LlmTasks;
  readonly models: ModelSet;
  readonly scope: TaskScope;
  readonly signal: AbortSignal;
  readonly config: RunnableConfig;
  readonly kb: unknown;
  readonly call: GenerationCall;
}

/** Collects the dependencies of a call from the context of its action. */
export function callServicesOf(context: ActionContext, clock: Clock): CallServices {
  const call = Object.hasOwn(context.services, "call") ? context.services["call"] : undefined;
  return {
    settings: context.config,
    clock,
    tasks: context.tasks,
    models: context.models,
    scope: context.scope,
    signal: context.signal,
    config: context.runnableConfig,
    kb: context.kb,
    call: typeof call === "object" && call !== null ? call : {},
  };
}

/** A bot text before the output rails, its source, and the variables that change with it. */
export interface GeneratedText {
  readonly text: string;
  readonly source: "predefined" | "variable" | "llm" | "generator";
  readonly contextUpdates: Readonly<Record<string, unknown>>;
}

/**
 * Returns the model, or throws an error that explains how to configure one.
 *
 * @throws ModelError
 */
export function requireModel(model: LanguageModel | undefined, task: string): LanguageModel {
  if (model) return model;
  const hint = "add an entry with `type: main` to `models`, or pass `llm` when creating the guardrails";
  throw new ModelError(`no main model for the task \`${task}\`: ${hint}`, { code: "CF-119", task });
}
