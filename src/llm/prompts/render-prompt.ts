import type { PromptMessage } from "../../config/settings.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { firstTurns } from "../templates/filters/lines.js";
import { fitHistory } from "./fit-history.js";
import { LimitError } from "../../diagnostics/errors.js";
import type { ModelPrompt } from "../model.js";
import { promptLength } from "./prompt-text.js";
import type { TaskRequest } from "../task/task.js";
import type { PreparedPrompt } from "./task-prompts.js";
import type { ResolveVariable } from "../templates/render-template.js";
import { TemplateError } from "../templates/template-error.js";

/** Values for every prompt of a configuration. */
interface PromptSettings {
  readonly generalInstructions: string;
  readonly sampleConversation: string;
}

/** Registered values; functions are called when a template reads them. */
export type PromptContext = Readonly<Record<string, unknown>>;

interface RenderSource {
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
 * Registered values win over variables of the task, those over built-in names, and those over context variables: a context
 * variable `history` must not replace the conversation.
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

const TYPES: ReadonlyMap<unknown, PromptMessage["type"]> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["bot", "assistant"],
]);

/**
 * Reads the messages that a bare string among the messages of a prompt was rendered to: a list, or JSON of one.
 *
 * @param task - named in the error when it is neither
 */
function toPromptMessages(value: unknown, task: string): readonly PromptMessage[] {
  if (value === undefined || value === null) return [];
  const list: unknown = typeof value === "string" ? parseList(value, task) : value;
  if (!Array.isArray(list)) throw notMessages(task);
  return list.map((item: unknown) => {
    const { type, content } = typeof item === "object" && item !== null ? (item as Partial<PromptMessage>) : {};
    const known = TYPES.get(type);
    if (known === undefined || typeof content !== "string") throw notMessages(task);
    return { type: known, content };
  });
}

function parseList(text: string, task: string): unknown {
  if (text.trim() === "") return [];
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw notMessages(task, error);
  }
}

function notMessages(task: string, cause?: unknown): TemplateError {
  const message = `a template among the messages of prompt \`${task}\` does not give a list of messages`;
  return new TemplateError(message, { cause });
}
