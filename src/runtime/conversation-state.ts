import { GuardrailsError } from "../diagnostics/errors.js";
import { restoreState } from "../colang1/engine/snapshot.js";
import { advanceOptions, createState, type Colang1State } from "../colang1/engine/state.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { History, TurnInput } from "./conversation.js";
import type { RuntimeServices } from "./services.js";

/** A conversation between two turns, as plain JSON. */
export interface Conversation {
  readonly version: 1;
  /** Hash of the program it belongs to. */
  readonly program: string;
  readonly engine: Colang1State;
  readonly history: History;
}

/** States this process made itself need no check when they come back. */
const trusted = new WeakSet<Colang1State>();

export function trustState(state: Colang1State): void {
  trusted.add(state);
}

/**
 * Opens a stored conversation, or begins one with the exchanges the caller gave.
 *
 * @throws GuardrailsError `RL-402` for a state of another version or one that was tampered with
 */
export function openConversation(services: RuntimeServices, stored: unknown, input: TurnInput): Conversation {
  if (stored === undefined || isEmptyObject(stored)) return beginConversation(services, input);
  const state = stored as Partial<Conversation>;
  if (typeof stored !== "object" || stored === null || state.version !== 1 || !isHistory(state.history)) {
    throw new GuardrailsError("this is not a conversation state of this version; begin a new one with `state: {}`", {
      code: "RL-402",
    });
  }
  const { engine, program, history } = state as Conversation;
  if (program === services.program.hash && trusted.has(engine)) return state as Conversation;
  const restored = restoreState(services.program, engine, advanceOptions(services.limits, "conversation"));
  return { version: 1, program: services.program.hash, engine: restored.state, history };
}

function beginConversation(services: RuntimeServices, input: TurnInput): Conversation {
  const context = {
    ...(input.lastUser === undefined ? {} : { last_user_message: input.lastUser }),
    ...(input.lastBot === undefined ? {} : { last_bot_message: input.lastBot }),
  };
  return {
    version: 1,
    program: services.program.hash,
    engine: createState(services.program, context, advanceOptions(services.limits, "conversation")),
    history: input.earlier,
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

