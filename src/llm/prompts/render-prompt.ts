import type { PromptMessage } from "../../config/settings.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { firstTurns } from "../templates/filters/messages.js";
import { LimitError, TemplateError } from "../../diagnostics/errors.js";
import type { ModelPrompt } from "../model.js";
import { promptLength } from "./prompt-text.js";
import type { TaskRequest } from "../task/task.js";
import type { PreparedPrompt } from "./task-prompts.js";
import type { ResolveVariable } from "../templates/render-template.js";

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

/** A conversation this short is rendered whole before anything is dropped. */
const SHORT = 200;

const FIRST_TRY = 8;

/**
 * Renders with as many of the last turns as the limit allows; whole turns go, the last one stays. The number of turns is
 * found from the end by doubling and then halving, so the work depends on what fits and not on the length of the
 * conversation.
 *
 * @returns the longest rendering that fits, or undefined when the last turn alone is too long
 */
function fitHistory<Rendered>(
  events: readonly GuardrailsEvent[],
  render: (events: readonly GuardrailsEvent[]) => Rendered,
  fits: (rendered: Rendered) => boolean,
): Rendered | undefined {
  if (events.length <= SHORT) {
    const whole = render(events);
    if (fits(whole)) return whole;
  }
  const starts: number[] = [];
  const backwards = turnStartsBackwards(events);
  const startOf = (turns: number): number | undefined => {
    while (starts.length < turns) {
      const next = backwards.next();
      if (next.done) return undefined;
      starts.push(next.value);
    }
    return starts[turns - 1];
  };
  const attempt = (turns: number): { readonly rendered: Rendered; readonly isWhole: boolean } | undefined => {
    const start = startOf(turns);
    // Events before the first turn, such as a greeting, count as its part.
    const rendered = render(start === undefined || startOf(turns + 1) === undefined ? events : events.slice(start));
    return fits(rendered) ? { rendered, isWhole: start === undefined || startOf(turns + 1) === undefined } : undefined;
  };

  let low = 0;
  let best: Rendered | undefined;
  let high = FIRST_TRY;
  for (let found = attempt(high); found; found = attempt(high)) {
    if (found.isWhole) return found.rendered;
    [low, best, high] = [high, found.rendered, high * 2];
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const found = attempt(middle);
    if (found) [low, best] = [middle, found.rendered];
    else high = middle;
  }
  if (best === undefined && startOf(1) !== undefined && startOf(2) === undefined) {
    const only = render(events.slice(startOf(1)));
    return fits(only) ? only : undefined;
  }
  return best;
}

/**
 * Yields the places where turns of a conversation begin, from the last one back. A turn begins with the user's utterance, or with the
 * `UserMessage` when there is no utterance before it, or, in an interaction log, with the first action of the user.
 */
function* turnStartsBackwards(events: readonly GuardrailsEvent[]): Generator<number> {
  let pending: number | undefined;
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const type = events[index]?.type;
    if (type === "UtteranceUserActionFinished") {
      pending = undefined;
      yield index;
    } else if (type === "UserMessage") {
      if (pending !== undefined) yield pending;
      pending = index;
    } else if (type === "UserActionLog" && events[index - 1]?.type !== "UserActionLog") yield index;
  }
  if (pending !== undefined) yield pending;
}
