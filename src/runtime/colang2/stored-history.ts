import type { GuardrailsEvent } from "../../engine/events.js";
import { type History, historyOfTurns, isHistory } from "../../turn/history.js";

/** What was said in one turn: `["u", text]` by the user, `["b", text]` by the bot, and events of other kinds as they are. */
type StoredTurn = readonly (readonly [by: "u" | "b", text: string] | GuardrailsEvent)[];

/**
 * Turns that are kept. A prompt of 16,000 characters, the default, has no room for more of an ordinary length, and a state of
 * the `guardrails` library stays below 16 KiB with them.
 */
export const MAX_TURNS = 40;

/** What was said so far, compactly: the same words in every turn would be most of a stored conversation. */
export function packHistory({ turns }: History): readonly StoredTurn[] {
  return turns.map(({ events }) => events.map(packEvent));
}

function packEvent(event: GuardrailsEvent): StoredTurn[number] {
  const { type, text, script } = event;
  if (Object.keys(event).length !== 2) return event;
  if (type === "UserMessage" && typeof text === "string") return ["u", text];
  return type === "StartUtteranceBotAction" && typeof script === "string" ? ["b", script] : event;
}

/** The texts in it, by their places; log events of the engine refer to them. */
export function textsOf(turns: readonly StoredTurn[]): string[] {
  const texts: string[] = [];
  for (const turn of turns) for (const event of turn) if (!("type" in event)) texts.push(event[1]);
  return texts;
}

export interface ReadHistory {
  readonly history: History;
  readonly texts: readonly string[];
}

/** What `packHistory` made of it, or a history as the first version kept it; undefined for anything else. */
export function readHistory(stored: unknown): ReadHistory | undefined {
  if (isHistory(stored)) return { history: stored, texts: [] };
  if (!Array.isArray(stored)) return undefined;
  const turns: GuardrailsEvent[][] = [];
  const texts: string[] = [];
  // Runs over everything that is remembered, once in every turn.
  for (const turn of stored as readonly unknown[]) {
    if (!Array.isArray(turn)) return undefined;
    const events: GuardrailsEvent[] = [];
    for (const item of turn as readonly unknown[]) {
      const event = readEvent(item, texts);
      if (event === undefined) return undefined;
      events.push(event);
    }
    turns.push(events);
  }
  return { history: historyOfTurns(turns), texts };
}

function readEvent(item: unknown, texts: string[]): GuardrailsEvent | undefined {
  if (!Array.isArray(item)) return isEvent(item) ? item : undefined;
  const by: unknown = item[0];
  const text: unknown = item[1];
  if (item.length !== 2 || typeof text !== "string" || (by !== "u" && by !== "b")) return undefined;
  texts.push(text);
  return by === "u" ? { type: "UserMessage", text } : { type: "StartUtteranceBotAction", script: text };
}

function isEvent(item: unknown): item is GuardrailsEvent {
  return (
    typeof item === "object" &&
    item !== null &&
    Object.hasOwn(item, "type") &&
    typeof (item as { type: unknown }).type === "string"
  );
}
