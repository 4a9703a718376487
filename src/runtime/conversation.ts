import type { EventDraft, GuardrailsEvent } from "../engine/events.js";
import { InputShapeError } from "../diagnostics/errors.js";
import type { TurnMessage } from "./options.js";

/**
 * What prompts and actions see of earlier turns: whole turns of events, oldest first, bounded in size so that a turn
 * costs the same however long the conversation is.
 */
export interface History {
  readonly turns: readonly HistoryTurn[];
  readonly size: number;
}

export interface HistoryTurn {
  readonly events: readonly GuardrailsEvent[];
  /** In characters of the texts it holds. */
  readonly size: number;
}

export const EMPTY_HISTORY: History = { turns: [], size: 0 };

/** Twice the default prompt length: what is older cannot appear in a prompt. */
const MAX_HISTORY_SIZE = 32_000;
const MAX_HISTORY_TURNS = 200;

const MASK = "mask_prev_user_message";
const HIDDEN_USER_TEXT = "(this message is hidden)";

const PROMPT_EVENTS = new Set([
  "UserMessage",
  "UserIntent",
  "BotIntent",
  "StartUtteranceBotAction",
  "StartInternalSystemAction",
  "InternalSystemActionFinished",
  "mask_prev_user_message",
]);

/** Adds a finished turn and forgets the oldest ones beyond the bound. A rolled-back turn is not added at all. */
export function appendTurn(history: History, events: readonly GuardrailsEvent[]): History {
  let kept = events
    .filter((event) => PROMPT_EVENTS.has(event.type) && event["is_system_action"] !== true)
    .map(withoutPayload);
  if (kept.length === 0) return history;
  if (wasBlockedAtInput(events)) {
    // INVARIANT: a text that an input rail blocked is never stored; prompts show that there was one.
    kept = [{ type: "UserMessage", text: HIDDEN_USER_TEXT }, ...kept.filter(({ type }) => type !== MASK)];
  }
  let size = 0;
  for (const event of kept) size += 24 + eventTextLength(event);
  const turns = [...history.turns, { events: kept, size }];
  let total = history.size + size;
  let from = 0;
  while (from < turns.length - 1 && (total > MAX_HISTORY_SIZE || turns.length - from > MAX_HISTORY_TURNS)) {
    total -= turns[from]?.size ?? 0;
    from += 1;
  }
  return { turns: from === 0 ? turns : turns.slice(from), size: total };
}

/** What a prompt shows of an action is its name and its result; the rest may be large, or was blocked later. */
function withoutPayload(event: GuardrailsEvent): GuardrailsEvent {
  if (event.type !== "InternalSystemActionFinished" && event.type !== "StartInternalSystemAction") return event;
  const { type, uid, action_uid, action_name, return_value } = event;
  return { type, action_uid, action_name, return_value, ...(uid === undefined ? {} : { uid }) };
}

function wasBlockedAtInput(events: readonly GuardrailsEvent[]): boolean {
  return (
    events.some(({ type }) => type === "UtteranceUserActionFinished") &&
    !events.some(({ type }) => type === "UserMessage")
  );
}

export function historyEvents(history: History): GuardrailsEvent[] {
  return history.turns.flatMap((turn) => turn.events);
}

function eventTextLength(event: GuardrailsEvent): number {
  let length = 0;
  for (const key of ["text", "script", "intent"] as const) {
    const value = event[key];
    if (typeof value === "string") length += value.length;
  }
  return length;
}

/** The messages of one call, sorted into what came before and what this turn is about. */
export interface TurnInput {
  /** Finished exchanges given by the caller; only used when no conversation state exists. */
  readonly earlier: History;
  /** Consecutive user texts since the last answer; the last one is the utterance of this turn. */
  readonly userTexts: readonly string[];
  /** Text of a final assistant message, for checks of a given answer. */
  readonly assistantText?: string;
  /** Context variables given as messages, merged in order. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The event that drives this turn instead of a text. */
  readonly event?: GuardrailsEvent;
  readonly lastUser?: string;
  readonly lastBot?: string;
}

/** Sorts messages (spec rails 4.2). Tool results since the last answer count as user-side text. */
export function readMessages(messages: readonly TurnMessage[]): TurnInput {
  const last = messages.findLast((message) => message.role !== "context" && message.role !== "system");
  const assistantText = last?.role === "assistant" ? last.content : undefined;
  const context: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const draft: GuardrailsEvent[] = [];
  let history = EMPTY_HISTORY;
  let pending: string[] = [];
  let event: GuardrailsEvent | undefined;
  let lastUser: string | undefined;
  let lastBot: string | undefined;
  for (const message of messages) {
    switch (message.role) {
      case "system":
        break;
      case "context":
        assignContext(context, message.content);
        break;
      case "event":
        event = message.event;
        break;
      case "user":
      case "tool":
        pending.push(message.content);
        break;
      case "assistant":
        if (message === last) break;
        for (const text of pending) draft.push({ type: "UserMessage", text });
        draft.push({ type: "StartUtteranceBotAction", script: message.content });
        history = appendTurn(history, draft.splice(0));
        lastUser = pending.at(-1) ?? lastUser;
        lastBot = message.content;
        pending = [];
        break;
    }
  }
  return {
    earlier: history,
    userTexts: event === undefined || pending.length > 0 ? pending : [],
    context,
    ...(assistantText === undefined ? {} : { assistantText }),
    ...(event === undefined || last?.role !== "event" ? {} : { event }),
    ...(lastUser === undefined ? {} : { lastUser }),
    ...(lastBot === undefined ? {} : { lastBot }),
  };
}

const FORBIDDEN_VARIABLES = new Set(["__proto__", "constructor", "prototype", "config", "event"]);
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Copies variables given by a caller; a name that is none, or is reserved, is refused with its name. */
export function assignContext(target: Record<string, unknown>, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (FORBIDDEN_VARIABLES.has(name) || !VARIABLE.test(name)) {
      throw new InputShapeError(
        `\`${name}\` cannot be a context variable; use letters, digits and \`_\`, and not a reserved name`,
      );
    }
    target[name] = value;
  }
}

/** The first event of a turn. */
export function utteranceDraft(text: string): EventDraft {
  return { type: "UtteranceUserActionFinished", final_transcript: text };
}
