import { omitUndefined } from "../engine/variables.js";
import type { EventDraft, GuardrailsEvent } from "../engine/events.js";
import { isReservedVariable } from "../engine/context-variables.js";
import { describeValue } from "../engine/describe-value.js";
import { expectPlainData } from "../engine/plain-data.js";
import { isMap } from "../engine/variables.js";
import { readEvent } from "../engine/wire.js";
import { InputShapeError } from "../diagnostics/errors.js";
import { appendTurn, EMPTY_HISTORY, type History, historyEvents } from "./history.js";
import type { ExtraText, ExtraTexts } from "./extra-text.js";
import type { TurnMessage } from "./options.js";

const UTTERANCE = "UtteranceUserActionFinished";

/** The messages of one call, sorted into what came before and what this turn is about. */
export interface TurnInput {
  /** Finished exchanges given by the caller; only used when no conversation state exists. */
  readonly earlier: History;
  /** Consecutive user texts since the last answer; the last one is the utterance of this turn. */
  readonly userTexts: readonly string[];
  /** Lines that input rails read with these texts. */
  readonly extras?: ExtraTexts;
  /** Text of a final assistant message, for checks of a given answer. */
  readonly assistantText?: string;
  /** Context variables given as messages, merged in order. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Events since the last answer that something else follows: flows see them, and nothing is done about them. */
  readonly events: readonly EventDraft[];
  /** The event at the end, which drives the turn when there is no user text, and goes on with it when there is. */
  readonly lastEvent?: EventDraft;
  /** Texts of system messages, which go before the general instructions of prompts. */
  readonly instructions: readonly string[];
  readonly lastUser?: string;
  readonly lastBot?: string;
}

/**
 * Sorts messages. Tool results since the last answer count as user-side text, and an event that reports
 * a user's utterance is one.
 */
export function readMessages(messages: readonly TurnMessage[]): TurnInput {
  const last = messages.findLast(({ role }) => role !== "context" && role !== "system");
  const context: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const instructions: string[] = [];
  let history = EMPTY_HISTORY;
  let pending: string[] = [];
  let extras: Map<number, ExtraText> | undefined;
  let events: EventDraft[] = [];
  let lastEvent: EventDraft | undefined;
  let lastUser: string | undefined;
  let lastBot: string | undefined;
  for (const message of messages) {
    switch (message.role) {
      case "system":
        if (message.content.trim() !== "") instructions.push(message.content);
        break;
      case "context":
        assignContext(context, message.content);
        break;
      case "event": {
        const event = readEvent(message.event);
        const transcript = event.type === UTTERANCE ? event["final_transcript"] : undefined;
        if (typeof transcript === "string") pending.push(transcript);
        else if (message === last) lastEvent = event;
        else events.push(event);
        break;
      }
      case "user":
        if (message.extra !== undefined) extras = (extras ?? new Map()).set(pending.length, message.extra);
        pending.push(message.content);
        break;
      case "tool":
        pending.push(message.content);
        break;
      case "assistant":
        if (message === last) break;
        history = appendTurn(history, [...userMessages(pending), ...events, botUtterance(message.content)]);
        lastUser = pending.at(-1) ?? lastUser;
        lastBot = message.content;
        pending = [];
        extras = undefined;
        events = [];
        break;
    }
  }
  const assistantText = last?.role === "assistant" ? last.content : undefined;
  const optional = omitUndefined({ extras, assistantText, lastEvent, lastUser, lastBot });
  return { earlier: history, userTexts: pending, context, events, instructions, ...optional };
}

/** User texts as prompts know them. */
export function userMessages(texts: readonly string[]): GuardrailsEvent[] {
  return texts.map((text) => ({ type: "UserMessage", text }));
}

/** Returns the events of earlier turns, where all messages belong to those. */
export function pastOf({ earlier, userTexts, assistantText }: TurnInput): GuardrailsEvent[] {
  const answered = assistantText === undefined ? [] : [botUtterance(assistantText)];
  return [...historyEvents(earlier), ...userMessages(userTexts), ...answered];
}

function botUtterance(script: string): GuardrailsEvent {
  return { type: "StartUtteranceBotAction", script };
}

/**
 * Returns lists of events for the engine, in order; only the last event of each list has an effect.
 *
 * @throws InputShapeError when the messages make no turn
 */
export function planTurn(input: TurnInput, dialog: boolean): readonly (readonly EventDraft[])[] {
  const { events, lastEvent, assistantText } = input;
  const text = input.userTexts.at(-1);
  // INVARIANT: a user's text goes through the input rails, whatever event comes with it.
  if (text !== undefined && assistantText === undefined) {
    return [[...events, utteranceDraft(text)], ...(lastEvent === undefined ? [] : [[lastEvent]])];
  }
  if (lastEvent !== undefined) return [[...events, lastEvent]];
  if (assistantText === undefined) {
    throw new InputShapeError("the messages hold no user message and no event, so there is no turn to take");
  }
  if (dialog) {
    throw new InputShapeError(
      "the last message is from the assistant, so there is nothing to answer; " +
        'check it with `rails: ["output"]`, `check()` or `output()`, or end with a user message',
    );
  }
  return [[...events, utteranceDraft(text ?? input.lastUser ?? "")]];
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const FORBIDDEN = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Copies variables given by a caller, as plain data.
 *
 * @throws InputShapeError for a name that is not valid, or that the engine or the rails own, and for a value without a JSON form
 * @throws LimitError for values that are too deep or too large
 */
export function assignContext(
  target: Record<string, unknown>,
  values: Readonly<Record<string, unknown>> | undefined,
): void {
  if (values === undefined) return;
  const plain = expectPlainData(values, { at: "context" });
  if (!isMap(plain))
    throw new InputShapeError(`expected \`context\` to be a map of variables, got ${describeValue(values)}`);
  for (const [name, value] of Object.entries(plain)) {
    if (isReservedVariable(name)) {
      throw new InputShapeError(
        `\`${name}\` cannot be a context variable: the engine owns it, or it steers the rails and cannot be set from outside`,
      );
    }
    if (FORBIDDEN.has(name) || !VARIABLE.test(name)) {
      throw new InputShapeError(
        `\`${name}\` cannot be a context variable; use letters, digits and \`_\`, and not a reserved name`,
      );
    }
    target[name] = value;
  }
}

/** The first event of a turn. */
function utteranceDraft(text: string): EventDraft {
  return { type: UTTERANCE, final_transcript: text };
}
