import type { ActionContext } from "../../../actions/action.js";
import type { Colang2Program } from "../../../colang2/program.js";
import type { RailsSettings } from "../../../config/settings.js";
import type { Clock, GuardrailsEvent } from "../../../engine/events.js";
import { modelForTask } from "../../../llm/model.js";
import type { TaskResult } from "../../../llm/task/task.js";
import { type CreateDialogIndex, throughLookup } from "../../../generation/indexes.js";
import { callServicesOf, requireModel, type CallServices, type GenerationCall } from "../../../generation/services.js";
import { type Colang2Access, conversationOf } from "./conversation-access.js";
import { createColang2Indexes, type Colang2Indexes } from "./indexes.js";
import { readHistory } from "../../../llm/templates/filters/messages.js";
import type { HistoryEntry } from "../../../colang2/engine/state/records.js";

export interface Colang2GenerationOptions {
  readonly settings: RailsSettings;
  readonly program: Colang2Program;
  readonly createIndex: CreateDialogIndex;
  /** Makes the index of example utterances. Default: `createIndex`. */
  readonly createExampleIndex?: CreateDialogIndex | undefined;
  readonly clock: Clock;
}

/** Dependencies of generation that are fixed by a Colang 2.x configuration. */
export interface Colang2Generation {
  readonly settings: RailsSettings;
  readonly clock: Clock;
  readonly indexes: Colang2Indexes;
}

/** Prepares generation for a configuration; indexes are created on first use. */
export function createColang2Generation(options: Colang2GenerationOptions): Colang2Generation {
  const { settings, clock, program, createIndex, createExampleIndex } = options;
  return { settings, clock, indexes: createColang2Indexes(program.flows, createIndex, createExampleIndex) };
}

/** Per-call dependencies of a Colang 2.x generation action. */
export interface Colang2Call extends GenerationCall {
  /** Runs the retrieval rails over the chunks among these variables. */
  readonly filterChunks: (context: Readonly<Record<string, unknown>>) => Promise<{
    readonly context: Readonly<Record<string, unknown>>;
    readonly refusal?: string;
    readonly blocked: boolean;
  }>;
}

/** Dependencies of a generation action: fixed parts, the conversation, and the context of the call. */
export interface Colang2Step extends Colang2Generation, CallServices {
  readonly access: Colang2Access;
  /** Events as the host has them; the request for this action comes last. */
  readonly events: readonly GuardrailsEvent[];
  /** Global variables. */
  readonly globals: Readonly<Record<string, unknown>>;
}

/**
 * Joins the fixed parts with the context of an action.
 *
 * @throws ActionError outside of a Colang 2.x conversation
 */
export function colang2Step(generation: Colang2Generation, context: ActionContext, action: string): Colang2Step {
  const access = conversationOf(context, action);
  const services = callServicesOf(context, generation.clock);
  const { lookup } = services.call;
  return {
    ...services,
    ...generation,
    indexes:
      lookup === undefined
        ? generation.indexes
        : { of: (given) => throughLookup(generation.indexes.of(given), lookup) },
    access,
    events: context.events,
    globals: access.globals,
  };
}

/** A text among the global variables; undefined if it is empty or not a text. */
function globalText({ globals }: Pick<Colang2Step, "globals">, name: string): string | undefined {
  const value = Object.hasOwn(globals, name) ? globals[name] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The user's text after the input rails if there are any, otherwise the original. */
export function userTextOf(step: Pick<Colang2Step, "globals" | "access">): string | undefined {
  return globalText(step, "user_message") ?? globalText(step, "last_user_message") ?? step.access.lastTranscript;
}

/**
 * Runs a task with the interaction history and the global variables of the conversation.
 *
 * @throws ModelError if there is no model or its call fails
 */
export function runColang2Task(
  step: Colang2Step,
  task: string,
  variables: Readonly<Record<string, unknown>>,
  temperature = step.settings.lowest_temperature,
): Promise<TaskResult> {
  step.signal.throwIfAborted();
  const { globals: context, scope } = step;
  return step.tasks.run({
    task,
    model: requireModel(modelForTask(step.models, task), task),
    events: logEvents(step.access.history),
    context,
    variables: { context, sample_conversation: toInteraction(step.settings.sample_conversation), ...variables },
    parameters: { temperature },
    scope,
  });
}

/**
 * A sample conversation as Colang 2.x prompts show it. Conversations in Colang 1.0 notation, such as the default
 * sample, are converted; all others stay unchanged.
 *
 * @example
 * ```ts
 * toInteraction('user "hi"\n  greet\nbot greet\n  "Hello"');
 * // user action: user said "hi"\nuser intent: user greet\n\nbot intent: bot greet\nbot action: bot say "Hello"
 * ```
 */
export function toInteraction(sample: string): string {
  const text = sample.trim();
  if (!/^(?:user "|bot )/.test(text) || /^(?:user|bot) (?:action|intent):/m.test(text)) return text;
  const lines: string[] = [];
  let isUser: boolean | undefined;
  for (const { kind, value } of readHistory(text)) {
    if (kind === "blank" || kind === "other") continue;
    const isOfUser = kind.startsWith("user");
    if (lines.length > 0 && (isOfUser !== isUser || kind === "user-text")) lines.push("");
    isUser = isOfUser;
    if (kind === "user-text") lines.push(`user action: user said "${value}"`);
    else if (kind === "user-intent") lines.push(`user intent: user ${value}`);
    else if (kind === "bot-intent") lines.push(`bot intent: bot ${value}`);
    else lines.push(`bot action: bot say "${value.replaceAll("\n", "\\n")}"`);
  }
  return lines.join("\n");
}

/** Log entries of a conversation as events, for prompts. */
export function logEvents(history: readonly HistoryEntry[]): readonly GuardrailsEvent[] {
  return history.map(({ name, flow, parameter, intent }) => ({
    type: name,
    flow_id: flow,
    parameter,
    ...(intent === undefined ? {} : { intent_flow_id: intent }),
  }));
}
