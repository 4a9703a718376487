import { GuardrailsError } from "../diagnostics/errors.js";
import { restoreState, type Restored, type SerializedState } from "../colang1/engine/snapshot.js";
import { createState, type Colang1State } from "../colang1/engine/state.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { History, TurnInput } from "./conversation.js";
import type { RuntimeServices } from "./services.js";

/** A conversation between two turns, as plain JSON. A released version must stay readable. */
export interface StoredConversation {
  readonly version: 1;
  readonly engine: SerializedState;
  readonly history: History;
}

/** A conversation while a turn runs. */
export interface OpenConversation {
  readonly engine: Colang1State;
  readonly history: History;
  /** What had to be dropped because the configuration changed (CO-502). */
  readonly trace: Restored["trace"];
}

/**
 * Opens a stored conversation, or begins one with the exchanges the caller gave.
 *
 * @throws GuardrailsError `RL-402` for a state of another version or one that was tampered with
 */
export function openConversation(services: RuntimeServices, stored: unknown, input: TurnInput): OpenConversation {
  if (stored === undefined || isEmptyObject(stored)) return beginConversation(services, input);
  const state = stored as Partial<StoredConversation> | null;
  if (typeof state !== "object" || state === null || state.version !== 1 || !isHistory(state.history)) {
    throw unreadable(undefined);
  }
  try {
    const { state: engine, trace } = restoreState(services.program, state.engine);
    return { engine, history: state.history, trace };
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): GuardrailsError {
  const message = "this is not a conversation state of this version; begin a new conversation with `state: {}`";
  return new GuardrailsError(message, { code: "RL-402", cause });
}

function beginConversation(services: RuntimeServices, input: TurnInput): OpenConversation {
  const context = {
    ...(input.lastUser === undefined ? {} : { last_user_message: input.lastUser }),
    ...(input.lastBot === undefined ? {} : { last_bot_message: input.lastBot }),
  };
  return {
    engine: createState(services.program, context, { scope: "conversation", limits: services.limits }),
    history: input.earlier,
    trace: [],
  };
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function isHistory(value: unknown): value is History {
  const history = value as Partial<History> | undefined;
  return (
    typeof history === "object" &&
    history !== null &&
    typeof history.size === "number" &&
    Array.isArray(history.turns) &&
    history.turns.every(
      (turn: unknown) =>
        typeof turn === "object" &&
        turn !== null &&
        Array.isArray((turn as { events?: unknown }).events) &&
        (turn as { events: readonly unknown[] }).events.every(isEvent),
    )
  );
}

function isEvent(value: unknown): value is GuardrailsEvent {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
