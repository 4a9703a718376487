import { isMap, describeValue, expectPlainData, type Context } from "../engine/plain-data.js";
import { type EventDraft, type GuardrailsEvent, readEvent } from "../engine/events.js";
import { isReservedVariable } from "../engine/context-variables.js";
import { InputShapeError } from "../diagnostics/errors.js";
import type { ExtraText, ExtraTexts } from "./extra-text.js";
import type { TurnMessage } from "./options.js";

const UTTERANCE = "UtteranceUserActionFinished";

/** The messages of one call, split into history and the subject of this turn. */
export interface TurnInput {
  /** Finished exchanges given by the caller; used only without a conversation state. */
  readonly earlier: History;
  /** Consecutive user texts since the last response; the last one is this turn's utterance. */
  readonly userTexts: readonly string[];
  /** Lines that input rails read with these texts. */
  readonly extras?: ExtraTexts | undefined;
  /** Text of a final assistant message, for checks of a given response. */
  readonly assistantText?: string | undefined;
  /** Context variables given as messages, merged in order. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Events since the last response that are followed by others: flows see them, but do not react. */
  readonly events: readonly EventDraft[];
  /** The final event, which drives the turn without a user text, or continues it after one. */
  readonly lastEvent?: EventDraft | undefined;
  /** Texts of system messages, placed before the general instructions of prompts. */
  readonly instructions: readonly string[];
  readonly lastUser?: string | undefined;
  readonly lastBot?: string | undefined;
}

/** A class, because literals with accessors are slow. */
class SortedMessages implements TurnInput {
  readonly userTexts: readonly string[];
  readonly extras: ExtraTexts | undefined;
  readonly assistantText: string | undefined;
  readonly context: Readonly<Record<string, unknown>>;
  readonly events: readonly EventDraft[];
  readonly lastEvent: EventDraft | undefined;
  readonly instructions: readonly string[];
  readonly lastUser: string | undefined;
  readonly lastBot: string | undefined;
  readonly #finished: readonly FinishedTurn[];
  #earlier: History | undefined;

  constructor(sorted: Omit<TurnInput, "earlier">, finished: readonly FinishedTurn[]) {
    this.userTexts = sorted.userTexts;
    this.extras = sorted.extras;
    this.assistantText = sorted.assistantText;
    this.context = sorted.context;
    this.events = sorted.events;
    this.lastEvent = sorted.lastEvent;
    this.instructions = sorted.instructions;
    this.lastUser = sorted.lastUser;
    this.lastBot = sorted.lastBot;
    this.#finished = finished;
  }

  /** Most turns without a dialog never read it. */
  get earlier(): History {
    return (this.#earlier ??= lastTurns(this.#finished));
  }
}

/**
 * Sorts messages. Tool results since the last response count as user-side texts, and so does an event that reports a
 * user's utterance.
 */
export function readMessages(messages: readonly TurnMessage[]): TurnInput {
  const last = messages.findLast(({ role }) => role !== "context" && role !== "system");
  const context: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const instructions: string[] = [];
  const finished: FinishedTurn[] = [];
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
        finished.push({ userTexts: pending, events, script: message.content });
        lastUser = pending.at(-1) ?? lastUser;
        lastBot = message.content;
        pending = [];
        extras = undefined;
        events = [];
        break;
    }
  }
  const assistantText = last?.role === "assistant" ? last.content : undefined;
  const sorted = {
    userTexts: pending,
    extras,
    assistantText,
    context,
    events,
    lastEvent,
    instructions,
    lastUser,
    lastBot,
  };
  return new SortedMessages(sorted, finished);
}

/** An exchange among the given messages. */
interface FinishedTurn {
  readonly userTexts: readonly string[];
  readonly events: readonly EventDraft[];
  readonly script: string;
}

/** The history after appending all turns in order; turns that it would drop are skipped. */
function lastTurns(finished: readonly FinishedTurn[]): History {
  const turns: HistoryTurn[] = [];
  let size = 0;
  for (let at = finished.length - 1; at >= 0 && turns.length < MAX_HISTORY_TURNS; at -= 1) {
    const kept = eventsOfTurn(finished[at] as FinishedTurn);
    if (kept.length === 0) continue;
    const turn = measured(kept);
    if (turns.length > 0 && size + turn.size > MAX_HISTORY_SIZE) break;
    turns.push(turn);
    size += turn.size;
  }
  return { turns: turns.reverse(), size };
}

/** The events of an exchange that a history keeps: all of them, where the exchange has nothing but messages. */
function eventsOfTurn({ userTexts, events, script }: FinishedTurn): GuardrailsEvent[] {
  const exchange = userMessages(userTexts);
  if (events.length > 0) return historyOf([...exchange, ...events, botUtterance(script)]);
  exchange.push(botUtterance(script));
  return exchange;
}

/** User texts as prompts know them. */
export function userMessages(texts: readonly string[]): GuardrailsEvent[] {
  return texts.map((text) => ({ type: "UserMessage", text }));
}

/** Returns the events of earlier turns if all messages belong to those. */
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
 * @throws InputShapeError if the messages make no turn
 */
export function planTurn(input: TurnInput, dialog: boolean): readonly (readonly EventDraft[])[] {
  const { events, lastEvent, assistantText } = input;
  const text = input.userTexts.at(-1);
  // INVARIANT: a user's text passes the input rails, whatever event accompanies it.
  if (text !== undefined && assistantText === undefined) {
    return [[...events, utteranceDraft(text)], ...(lastEvent === undefined ? [] : [[lastEvent]])];
  }
  if (lastEvent !== undefined) return [[...events, lastEvent]];
  if (assistantText === undefined) {
    throw new InputShapeError("expected a user message or an event, got messages without either");
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
 * Copies variables given by a caller as plain data.
 *
 * @throws InputShapeError for an invalid or reserved name, and for a value without a JSON form
 * @throws LimitError for values that are too deep or too large
 */
export function assignContext(target: Record<string, unknown>, values: Context | undefined): void {
  if (values === undefined) return;
  const plain = expectPlainData(values, { at: "context" });
  if (!isMap(plain))
    throw new InputShapeError(`expected \`context\` to be a map of variables, got ${describeValue(values)}`);
  for (const [name, value] of Object.entries(plain)) {
    if (isReservedVariable(name)) {
      throw new InputShapeError(
        `\`${name}\` cannot be a context variable: the engine owns it, or it controls the rails and cannot be set from outside`,
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

/** First event of a turn. */
function utteranceDraft(text: string): EventDraft {
  return { type: UTTERANCE, final_transcript: text };
}

/**
 * Earlier turns as prompts and actions see them: whole turns of events, oldest first, bounded in size so that the cost
 * of a turn does not grow with the conversation.
 */
export interface History {
  readonly turns: readonly HistoryTurn[];
  readonly size: number;
}

interface HistoryTurn {
  readonly events: readonly GuardrailsEvent[];
  /** Total length of its texts, in characters. */
  readonly size: number;
}

export const EMPTY_HISTORY: History = { turns: [], size: 0 };

/** Twice the default prompt length: older turns cannot appear in a prompt. */
const MAX_HISTORY_SIZE = 32_000;

const MAX_HISTORY_TURNS = 200;

const MASK = "mask_prev_user_message";

/** Placeholder for a user text that a rail blocked or masked. */
export const HIDDEN_USER_TEXT = "(this message is hidden)";

/**
 * Event fields that prompts show. Others may be large, or were blocked later: a `BotIntent` carries a bot utterance.
 */
const SHOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["UserMessage", ["text"]],
  ["UserIntent", ["intent"]],
  ["BotIntent", ["intent", "instructions"]],
  ["StartUtteranceBotAction", ["script"]],
  ["StartInternalSystemAction", ["action_uid", "action_name"]],
  ["InternalSystemActionFinished", ["action_uid", "action_name", "return_value"]],
]);

/**
 * Adds a finished turn and drops the oldest ones beyond the bound. A rolled-back turn is not added.
 *
 * @param maxTurns - maximum number of turns to keep
 */
export function appendTurn(
  history: History,
  events: readonly GuardrailsEvent[],
  maxTurns = MAX_HISTORY_TURNS,
): History {
  const kept = historyOf(events);
  if (kept.length === 0) return history;
  const added = measured(kept);
  const turns = [...history.turns, added];
  let total = history.size + added.size;
  let from = 0;
  while (from < turns.length - 1 && (total > MAX_HISTORY_SIZE || turns.length - from > maxTurns)) {
    total -= turns[from]?.size ?? 0;
    from += 1;
  }
  return { turns: from === 0 ? turns : turns.slice(from), size: total };
}

/** A history from turns that were stored without their sizes. */
export function historyOfTurns(turns: readonly (readonly GuardrailsEvent[])[]): History {
  const kept = turns.map(measured);
  return { turns: kept, size: kept.reduce((total, { size }) => total + size, 0) };
}

/** All texts of an event count, so large action results cannot make a conversation grow without bound. */
function measured(events: readonly GuardrailsEvent[]): HistoryTurn {
  let size = 0;
  for (const event of events) {
    size += 24;
    // A loop over the keys themselves makes no list of them: there may be many events.
    for (const key in event) {
      const value = key === "type" ? "" : event[key];
      size += typeof value === "string" ? value.length : (JSON.stringify(value)?.length ?? 0);
    }
  }
  return { events, size };
}

/** INVARIANT: a text that input rails blocked or masked is never stored; prompts show that there was one. */
function historyOf(events: readonly GuardrailsEvent[]): GuardrailsEvent[] {
  const kept: GuardrailsEvent[] = [];
  let userTextAt: number | undefined;
  for (const event of events) {
    if (event.type === MASK && userTextAt !== undefined) {
      kept[userTextAt] = { type: "UserMessage", text: HIDDEN_USER_TEXT };
    }
    const shown = event["is_system_action"] === true ? undefined : SHOWN.get(event.type);
    if (shown === undefined || (event.type === "BotIntent" && event["intent"] === "stop")) continue;
    if (event.type === "UserMessage") userTextAt = kept.length;
    const picked: GuardrailsEvent & Record<string, unknown> = { type: event.type };
    for (const property of shown) if (event[property] !== undefined) picked[property] = event[property];
    kept.push(picked);
  }
  const wasBlockedAtInput =
    events.some(({ type }) => type === UTTERANCE) && !events.some(({ type }) => type === "UserMessage");
  return wasBlockedAtInput ? [{ type: "UserMessage", text: HIDDEN_USER_TEXT }, ...kept] : kept;
}

export function historyEvents(history: History): GuardrailsEvent[] {
  const all: GuardrailsEvent[] = [];
  // Several times faster than `flatMap`, and runs in every turn of a long conversation.
  for (const { events } of history.turns) for (const event of events) all.push(event);
  return all;
}

/** Returns true for a history parsed from JSON. */
export function isHistory(value: unknown): value is History {
  const isListOf = (holder: unknown, key: string, isItem: (item: unknown) => boolean): boolean =>
    isMap(holder) && Number.isFinite(holder["size"]) && Array.isArray(holder[key]) && holder[key].every(isItem);
  return isListOf(value, "turns", (turn) => isListOf(turn, "events", isEvent));
}

export function isEvent(value: unknown): value is GuardrailsEvent {
  return isMap(value) && typeof value["type"] === "string";
}
