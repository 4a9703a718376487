import type { RunnableConfig } from "@langchain/core/runnables";
import type { ActionContext } from "../../../actions/action.js";
import type { Colang2Program } from "../../../colang2/program.js";
import type { RailsSettings } from "../../../config/settings.js";
import type { Clock } from "../../../engine/clock.js";
import type { GuardrailsEvent } from "../../../engine/events.js";
import { type LanguageModel, modelForTask, type ModelSet } from "../../../llm/model.js";
import type { LlmTasks, TaskResult, TaskScope } from "../../../llm/task/task.js";
import type { CreateDialogIndex } from "../../../generation/indexes.js";
import { requireModel } from "../../../generation/require-model.js";
import type { GenerationCall } from "../../../generation/services.js";
import { type Colang2Access, conversationOf } from "./conversation-access.js";
import { createColang2Indexes, type Colang2Indexes, lookedUp } from "./indexes.js";
import { historyEvents } from "./print-history.js";
import { toInteraction } from "./sample-conversation.js";

export interface Colang2GenerationOptions {
  readonly settings: RailsSettings;
  readonly program: Colang2Program;
  readonly createIndex: CreateDialogIndex;
  /** Makes the index of example utterances; `createIndex` unless given. */
  readonly createExampleIndex?: CreateDialogIndex | undefined;
  readonly clock: Clock;
}

/** The parts of generation that a Colang 2.x configuration fixes once. */
export interface Colang2Generation {
  readonly settings: RailsSettings;
  readonly clock: Clock;
  readonly indexes: Colang2Indexes;
}

/** Prepares generation for a configuration; indexes are made when they are first needed. */
export function createColang2Generation(options: Colang2GenerationOptions): Colang2Generation {
  const { settings, clock, program, createIndex, createExampleIndex } = options;
  return { settings, clock, indexes: createColang2Indexes(program.flows, createIndex, createExampleIndex) };
}

/** Everything an action needs: what is fixed, the conversation, and the surroundings of the call. */
export interface Colang2Step extends Colang2Generation {
  readonly access: Colang2Access;
  readonly tasks: LlmTasks;
  readonly models: ModelSet;
  readonly scope: TaskScope;
  readonly signal: AbortSignal;
  readonly config: RunnableConfig;
  readonly kb: unknown;
  readonly call: GenerationCall;
  /** Events as the host has them, the request for this action last. */
  readonly events: readonly GuardrailsEvent[];
  /** Global variables. */
  readonly globals: Readonly<Record<string, unknown>>;
}

/**
 * Joins what is fixed with what an action is given.
 *
 * @throws ActionError outside of a Colang 2.x conversation
 */
export function colang2Step(generation: Colang2Generation, context: ActionContext, action: string): Colang2Step {
  const access = conversationOf(context, action);
  const given = Object.hasOwn(context.services, "call") ? context.services["call"] : undefined;
  const call: GenerationCall = typeof given === "object" && given !== null ? given : {};
  return {
    ...generation,
    indexes: call.lookup === undefined ? generation.indexes : lookedUp(generation.indexes, call.lookup),
    access,
    tasks: context.tasks,
    models: context.models,
    scope: context.scope,
    signal: context.signal,
    config: context.runnableConfig,
    kb: context.kb,
    call,
    events: context.events,
    globals: access.globals,
  };
}

/** A text among the global variables; undefined when it is empty or none. */
export function globalText({ globals }: Pick<Colang2Step, "globals">, name: string): string | undefined {
  const value = Object.hasOwn(globals, name) ? globals[name] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The user's text after the input rails, where there are any; else as it came in. */
export function userTextOf(step: Pick<Colang2Step, "globals" | "access">): string | undefined {
  return globalText(step, "user_message") ?? globalText(step, "last_user_message") ?? step.access.lastTranscript;
}

export interface TaskInput {
  readonly task: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly temperature?: number;
  readonly model?: LanguageModel;
}

/**
 * Runs a task with the interaction history and the global variables of the conversation.
 *
 * @throws ModelError when there is no model or its call fails
 */
export function runColang2Task(step: Colang2Step, input: TaskInput): Promise<TaskResult> {
  step.signal.throwIfAborted();
  const { task, temperature } = input;
  return step.tasks.run({
    task,
    model: input.model ?? requireModel(modelForTask(step.models, task), task),
    events: historyEvents(step.access.history),
    context: step.globals,
    variables: {
      context: step.globals,
      sample_conversation: toInteraction(step.settings.sample_conversation),
      ...input.variables,
    },
    parameters: { temperature: temperature ?? step.settings.lowest_temperature },
    scope: step.scope,
  });
}
