import type { PromptMessage } from "../../config/settings.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { firstTurns } from "../templates/filters/lines.js";
import { fitHistory } from "./fit-history.js";
import { LimitError } from "../../diagnostics/errors.js";
import type { ModelPrompt } from "../model.js";
import { toPromptMessages } from "./prompt-messages.js";
import { promptLength } from "./prompt-text.js";
import type { TaskRequest } from "../task/task.js";
import type { PreparedPrompt } from "./task-prompts.js";
import type { ResolveVariable } from "../templates/render-template.js";

/** Values for every prompt of a configuration. */
export interface PromptSettings {
  readonly generalInstructions: string;
  readonly sampleConversation: string;
}

/** Registered values; functions are called when a template reads them. */
export type PromptContext = Readonly<Record<string, unknown>>;

export interface RenderSource {
  readonly settings: PromptSettings;
  readonly promptContext: PromptContext;
}

/**
 * Renders a prompt and keeps it within its `max_length` by leaving out the oldest turns of the conversation.
 *
 * @param maximum - a limit in characters below that of the prompt
 * @throws LimitError PR-107 when it is too long without them
 */
export function renderPrompt(
  prepared: PreparedPrompt,
  request: Pick<TaskRequest, "task" | "events" | "context" | "variables">,
  source: RenderSource,
  maximum: number = prepared.prompt.max_length,
): ModelPrompt {
  const render = (events: readonly GuardrailsEvent[]): ModelPrompt => {
    return renderOnce(prepared, variableSource(request, events, source), request.task);
  };
  const fits = (prompt: ModelPrompt): boolean => promptLength(prompt) <= maximum;
  const whole = prepared.usesHistory ? fitHistory(request.events, render, fits) : render(request.events);
  if (whole && fits(whole)) return whole;
  const message = `prompt of task \`${request.task}\` is longer than its limit of ${maximum} characters`;
  throw new LimitError(message, { code: "PR-107", limit: "max_length", maximum });
}

function renderOnce(prepared: PreparedPrompt, resolve: ResolveVariable, task: string): ModelPrompt {
  if (prepared.content) return { kind: "text", text: prepared.content.render(resolve) };
  const messages: PromptMessage[] = [];
  for (const message of prepared.messages) {
    if (message.kind === "message") messages.push({ type: message.type, content: message.template.render(resolve) });
    else messages.push(...toPromptMessages(message.template.evaluate(resolve), task));
  }
  return { kind: "messages", messages: messages.filter(({ content }) => content.trim() !== "") };
}

/**
 * Registered values win over variables of the task, those over our own names, and those over context variables: what a
 * caller puts under `history` must not replace the conversation.
 */
function variableSource(
  request: Pick<TaskRequest, "context" | "variables">,
  events: readonly GuardrailsEvent[],
  source: RenderSource,
): ResolveVariable {
  const { settings, promptContext } = source;
  const variables = request.variables ?? {};
  return (name) => {
    if (Object.hasOwn(promptContext, name)) {
      const value = promptContext[name];
      return typeof value === "function" ? (value as () => unknown)() : value;
    }
    if (Object.hasOwn(variables, name)) return variables[name];
    switch (name) {
      case "history":
        return events;
      case "general_instructions":
        return settings.generalInstructions;
      case "sample_conversation":
        return settings.sampleConversation;
      case "sample_conversation_two_turns":
        return firstTurns(settings.sampleConversation, 2);
      default:
        return Object.hasOwn(request.context, name) ? request.context[name] : undefined;
    }
  };
}
