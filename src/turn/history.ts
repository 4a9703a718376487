import type { GuardrailsEvent } from "../engine/events.js";
import { isMap } from "../engine/variables.js";

/**
 * The part of earlier turns that prompts and actions see: whole turns of events, oldest first, bounded in size so that a turn
 * costs the same however long the conversation is.
 */
export interface History {
  readonly turns: readonly HistoryTurn[];
  readonly size: number;
}

interface HistoryTurn {
  readonly events: readonly GuardrailsEvent[];
  /** In characters of the texts it holds. */
  readonly size: number;
}

export const EMPTY_HISTORY: History = { turns: [], size: 0 };

/** Twice the default prompt length: what is older cannot appear in a prompt. */
const MAX_HISTORY_SIZE = 32_000;
const MAX_HISTORY_TURNS = 200;

const MASK = "mask_prev_user_message";
/** Stands where a text of the user was that a rail blocked or masked. */
export const HIDDEN_USER_TEXT = "(this message is hidden)";

/** Fields of events that prompts show. The others may be large, or were blocked later: a `BotIntent` carries a bot utterance. */
const SHOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["UserMessage", ["text"]],
  ["UserIntent", ["intent"]],
  ["BotIntent", ["intent", "instructions"]],
  ["StartUtteranceBotAction", ["script"]],
  ["StartInternalSystemAction", ["action_uid", "action_name"]],
  ["InternalSystemActionFinished", ["action_uid", "action_name", "return_value"]],
]);

/**
 * Adds a finished turn and forgets the oldest ones beyond the bound. A rolled-back turn is not added at all.
 *
 * @param maxTurns - how many are kept at most
 */
export function appendTurn(
  history: History,
  events: readonly GuardrailsEvent[],
  maxTurns: number = MAX_HISTORY_TURNS,
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

/** A history of turns that were stored without their sizes. */
export function historyOfTurns(turns: readonly (readonly GuardrailsEvent[])[]): History {
  const kept = turns.map(measured);
  return { turns: kept, size: kept.reduce((total, { size }) => total + size, 0) };
}

function measured(events: readonly GuardrailsEvent[]): HistoryTurn {
  let size = 0;
  for (const event of events) size += 24 + eventTextLength(event);
  return { events, size };
}

/** INVARIANT: a text that was blocked at input or masked is never stored; prompts show that there was one. */
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
    kept.push(pick(event, shown));
  }
  return wasBlockedAtInput(events) ? [{ type: "UserMessage", text: HIDDEN_USER_TEXT }, ...kept] : kept;
}

function pick(event: GuardrailsEvent, properties: readonly string[]): GuardrailsEvent {
  const picked: Record<string, unknown> & { type: string } = { type: event.type };
  for (const property of properties) if (event[property] !== undefined) picked[property] = event[property];
  return picked;
}

function wasBlockedAtInput(events: readonly GuardrailsEvent[]): boolean {
  return (
    events.some(({ type }) => type === "UtteranceUserActionFinished") &&
    !events.some(({ type }) => type === "UserMessage")
  );
}

export function historyEvents(history: History): GuardrailsEvent[] {
  const all: GuardrailsEvent[] = [];
  // Several times faster than `flatMap`, and this runs once in every turn of a long conversation.
  for (const { events } of history.turns) for (const event of events) all.push(event);
  return all;
}

/** All texts of an event count, so that large results of actions cannot make a conversation grow without bound. */
function eventTextLength(event: GuardrailsEvent): number {
  let length = 0;
  for (const key of Object.keys(event)) {
    if (key === "type") continue;
    const value = event[key];
    length += typeof value === "string" ? value.length : (JSON.stringify(value)?.length ?? 0);
  }
  return length;
}

/** Returns true for a history as `JSON` carries it. */
export function isHistory(value: unknown): value is History {
  const isTurn = (turn: unknown): boolean =>
    isMap(turn) && Number.isFinite(turn["size"]) && Array.isArray(turn["events"]) && turn["events"].every(isEvent);
  return (
    isMap(value) && Number.isFinite(value["size"]) && Array.isArray(value["turns"]) && value["turns"].every(isTurn)
  );
}

function isEvent(value: unknown): boolean {
  return isMap(value) && typeof value["type"] === "string";
}
