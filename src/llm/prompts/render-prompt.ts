import type { PromptMessage } from "../../config/settings.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { firstTurns } from "../templates/filters/messages.js";
import { LimitError, TemplateError } from "../../diagnostics/errors.js";
import type { ModelPrompt } from "../model.js";
import { promptLength } from "./prompt-text.js";
import type { TaskHistory, TaskRequest } from "../task/task.js";
import type { PreparedPrompt } from "./task-prompts.js";
import type { ResolveVariable } from "../templates/render-template.js";

/** Registered values; functions are called when a template reads them. */
export type PromptContext = Readonly<Record<string, unknown>>;

export interface RenderSource {
  /** Values for every prompt of a configuration. */
  readonly settings: { readonly generalInstructions: string; readonly sampleConversation: string };
  readonly promptContext: PromptContext;
}

/**
 * Renders a prompt within its `max_length` by dropping the oldest turns of the conversation.
 *
 * @param maximum - a limit in characters below that of the prompt
 * @throws LimitError PR-107 if it is too long even without them
 */
export function renderPrompt(
  prepared: PreparedPrompt,
  request: Pick<TaskRequest, "task" | "events" | "context" | "variables">,
  source: RenderSource,
  maximum: number = prepared.prompt.max_length,
): ModelPrompt {
  const { fixed } = prepared;
  const isFixed = fixed !== undefined && !FIXED_NAMES.some((name) => Object.hasOwn(request.variables ?? {}, name));
  const parts = isFixed ? fixed : prepared;
  const render = (events: TaskHistory): ModelPrompt => {
    const resolve = variableSource(request, events, source);
    if (parts.content) return { kind: "text", text: parts.content.render(resolve) };
    const messages = parts.messages.flatMap((message) =>
      message.kind === "message"
        ? [{ type: message.type, content: message.template.render(resolve) }]
        : toPromptMessages(message.template.evaluate(resolve), request.task),
    );
    return { kind: "messages", messages: messages.filter(({ content }) => content.trim() !== "") };
  };
  const fits = (prompt: ModelPrompt): boolean => promptLength(prompt) <= maximum;
  const whole = prepared.usesHistory ? fitHistory(eventsOf(request.events), render, fits) : render(request.events);
  if (whole && fits(whole)) return whole;
  const message = `prompt of task \`${request.task}\` is longer than its limit of ${maximum} characters`;
  throw new LimitError(message, { code: "PR-107", limit: "max_length", maximum });
}

const FIXED_NAMES = ["sample_conversation", "sample_conversation_two_turns"] as const;

/**
 * Values of variables that follow from the settings, used to prepare prompts.
 *
 * @returns undefined if registered values replace them
 */
export function fixedValues({ settings, promptContext }: RenderSource): Readonly<Record<string, unknown>> | undefined {
  const { sampleConversation } = settings;
  if (FIXED_NAMES.some((name) => Object.hasOwn(promptContext, name))) return undefined;
  return {
    sample_conversation: sampleConversation,
    sample_conversation_two_turns: firstTurns(sampleConversation, 2),
  } satisfies Record<(typeof FIXED_NAMES)[number], string>;
}

/**
 * Precedence: registered values, variables of the task, built-in names, context variables; a context variable `history`
 * must not replace the conversation.
 */
function variableSource(
  request: Pick<TaskRequest, "context" | "variables">,
  events: TaskHistory,
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
        return eventsOf(events);
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

function eventsOf(events: TaskHistory): readonly GuardrailsEvent[] {
  return typeof events === "function" ? events() : events;
}

const TYPES: ReadonlyMap<unknown, PromptMessage["type"]> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["bot", "assistant"],
]);

/**
 * Reads the messages rendered from a string among the messages of a prompt: a list, or JSON of one.
 *
 * @param task - named in the error if it is neither
 */
function toPromptMessages(value: unknown, task: string): readonly PromptMessage[] {
  if (value === undefined || value === null) return [];
  let list = value;
  try {
    if (typeof value === "string") list = value.trim() === "" ? [] : JSON.parse(value);
  } catch (error) {
    throw notMessages(task, error);
  }
  if (!Array.isArray(list)) throw notMessages(task);
  return list.map((item: unknown) => {
    const { type, content } = typeof item === "object" && item !== null ? (item as Partial<PromptMessage>) : {};
    const known = TYPES.get(type);
    if (known === undefined || typeof content !== "string") throw notMessages(task);
    return { type: known, content };
  });
}

function notMessages(task: string, cause?: unknown): TemplateError {
  const message = `expected a template among the messages of prompt \`${task}\` to render a list of messages`;
  return new TemplateError(message, { cause });
}

/** A conversation up to this length is rendered whole before turns are dropped. */
const SHORT = 200;

const FIRST_TRY = 8;

/**
 * Renders with as many of the last turns as the limit allows; whole turns are dropped, the last one stays. Doubling and
 * halving from the end finds the number of turns, so the number of renderings depends on what fits rather than on the
 * length of the conversation.
 *
 * @returns the longest rendering that fits, or undefined if the last turn alone is too long
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
  const starts = turnStarts(events);
  /** Events before the first turn, such as a greeting, belong to it. */
  const renderLast = (turns: number): Rendered | undefined => {
    const rendered = render(turns >= starts.length ? events : events.slice(starts.at(-turns)));
    return fits(rendered) ? rendered : undefined;
  };
  let [low, high] = [0, FIRST_TRY];
  let best: Rendered | undefined;
  for (let found = renderLast(high); found !== undefined; found = renderLast(high)) {
    if (high >= starts.length) return found;
    [low, best, high] = [high, found, high * 2];
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const found = renderLast(middle);
    if (found !== undefined) [low, best] = [middle, found];
    else high = middle;
  }
  if (best !== undefined || starts.length !== 1) return best;
  const only = render(events.slice(starts[0]));
  return fits(only) ? only : undefined;
}

/**
 * Returns the positions where turns of a conversation begin: at the user's utterance, at a `UserMessage` without a
 * preceding utterance, or, in an interaction log, at the user's first action.
 */
function turnStarts(events: readonly GuardrailsEvent[]): readonly number[] {
  const starts: number[] = [];
  let isUttered = false;
  for (const [index, { type }] of events.entries()) {
    const isUtterance = type === "UtteranceUserActionFinished";
    const isMessage = type === "UserMessage";
    const isFirstAction = type === "UserActionLog" && events[index - 1]?.type !== type;
    if (isUtterance || isFirstAction || (isMessage && !isUttered)) starts.push(index);
    if (isUtterance || isMessage) isUttered = isUtterance;
  }
  return starts;
}
