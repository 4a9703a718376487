import type { EventDraft, GuardrailsEvent } from "../engine/events.js";
import { InputShapeError } from "../diagnostics/errors.js";
import type { TurnMessage } from "./options.js";

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
