import { restoreState, serializeState, type Restored } from "../../colang1/engine/snapshot.js";
import { createState, type Colang1State } from "../../colang1/engine/state.js";
import { type Context, toPlainData } from "../../engine/plain-data.js";
import { type DataSize, StateSize } from "../../engine/limits.js";
import type { TurnInput, History } from "../../turn/conversation.js";
import { readStored, type StoredConversation } from "./read-stored.js";
import type { Run, RuntimeServices } from "./run.js";
import { isNewState, readPlainState, unreadable } from "../stored-state.js";

/** A conversation during a turn. */
export interface OpenConversation {
  readonly engine: Colang1State;
  /** Returns the previous turns; most turns without a dialog never read them. */
  readonly history: () => History;
  /** Parts dropped because the configuration changed (CO-502). */
  readonly trace: Restored["trace"];
}

/**
 * Opens a stored conversation, or starts one with the exchanges given by the caller.
 *
 * @throws GuardrailsError `RL-402` for a state of another version or one that was tampered with
 */
export function openConversation(services: RuntimeServices, stored: unknown, input: TurnInput): OpenConversation {
  if (stored === undefined || isNewState(stored)) return beginConversation(services, input);
  const resumed = ownConversation(services, stored);
  if (resumed !== undefined) return resumed;
  const plain = readPlainState(stored);
  try {
    const { engine, history } = readStored(services, plain);
    const { state, trace } = restoreState(services.program, engine);
    return { engine: { ...state, limits: services.limits }, history: () => history, trace };
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** Conversations that this process created and an in-memory store returned; they are trusted. */
const made = new WeakSet<object>();

function ownConversation(services: RuntimeServices, stored: unknown): OpenConversation | undefined {
  if (typeof stored !== "object" || stored === null || !made.has(stored)) return undefined;
  const { engine, history } = stored as StoredConversation;
  if (engine.program !== services.program.hash) return undefined;
  return { engine: { ...engine.state, limits: services.limits }, history: () => history, trace: [] };
}

function beginConversation(services: RuntimeServices, input: TurnInput): OpenConversation {
  const context: Record<string, unknown> = {};
  if (input.lastUser !== undefined) context["last_user_message"] = input.lastUser;
  if (input.lastBot !== undefined) context["last_bot_message"] = input.lastBot;
  return {
    engine: createState(services.program, context, { scope: "conversation", limits: services.limits }),
    history: () => input.earlier,
    trace: [],
  };
}

/**
 * The conversation for storage. State that only matters during a turn is left out: it contains the user's original
 * text, and steps that no turn will take any more.
 *
 * @throws LimitError if its variables exceed `stateSize`
 */
export function storeConversation(services: RuntimeServices, run: Run, history: History): StoredConversation {
  const { state } = run;
  const size = new StateSize();
  const quiet: Colang1State = {
    ...state,
    context: plainContext(run, state.context, size),
    turns: state.turns.map((turn) => ({ ...turn, context: plainContext(run, turn.context, size), utterance: null })),
    next: null,
    changed: [],
    running: [],
    lastAction: null,
    announced: [],
    utterance: null,
    failure: null,
    call: null,
    callHas: "nothing",
  };
  const stored: StoredConversation = { version: 1, engine: serializeState(services.program, quiet), history };
  made.add(stored);
  return stored;
}

/** Values already converted to plain data, with their sizes; they pass from state to state without a second check. */
const PLAIN = new WeakMap<object, DataSize>();

/** Variables that JSON can represent; others are dropped with a warning. */
function plainContext(run: Run, context: Context, size: StateSize): Context {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(context)) {
    if (value === undefined) continue;
    const known = typeof value === "object" && value !== null ? PLAIN.get(value) : undefined;
    if (known !== undefined) {
      plain[name] = value;
      size.add(known);
      continue;
    }
    if (typeof value === "string" || typeof value === "boolean") {
      plain[name] = value;
      size.add({ values: 1, characters: typeof value === "string" ? value.length : 0 });
      continue;
    }
    const read = toPlainData(value, { at: name });
    if (!read.ok) {
      warn(run, name);
      continue;
    }
    if (typeof read.value === "object" && read.value !== null) PLAIN.set(read.value, read.size);
    plain[name] = read.value;
    size.add(read.size);
  }
  return plain;
}

function warn(run: Run, name: string): void {
  const message = `the variable \`$${name}\` cannot be stored with the conversation, it is not plain data or too large`;
  const known = run.turn.trace.some((entry) => entry.type === "warning" && entry.message === message);
  if (!known) run.turn.trace.push({ type: "warning", code: "CO-407", message });
}
