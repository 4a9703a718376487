import { parseFlowReference } from "../engine/flow-reference.js";
import { isMap } from "../engine/plain-data.js";
import type { PseudonymTable } from "../actions/pseudonym-table.js";
import { findLibraryFlow } from "../library/manifest.js";
import { type ThreadKeeper, threadIdOf } from "../threads/thread-keeper.js";
import type { Turn } from "../turn/turn.js";
import type { DialectHost, StoredTurn, TakenTurn } from "./dialect-host.js";
import { unreadable } from "./stored-state.js";

/** Returns true for a rail that replaces values by pseudonyms. */
export function isReversible(rail: string): boolean {
  return findLibraryFlow(parseFlowReference(rail).id)?.flow.isReversible === true;
}

/** Returns true for a program that has such a rail. */
export function hasReversible({ services }: DialectHost): boolean {
  return REVERSIBLE.some((rail) => services.rails.has(rail));
}

const REVERSIBLE = ["input", "retrieval", "tool input"].map((words) => `pseudonymise sensitive data on ${words}`);

/** Pseudonyms of one call, and of the stored conversation that it belongs to. */
export class CallPseudonyms {
  readonly #turn: Turn;
  readonly #threads: ThreadKeeper;
  /** True if the program has rails that give pseudonyms. */
  readonly isUsed: boolean;

  constructor(turn: Turn, threads: ThreadKeeper, isUsed: boolean) {
    this.#turn = turn;
    this.#threads = threads;
    this.isUsed = isUsed;
  }

  /** Pseudonyms that rails of the call have given, and those of its stored conversation once it was read. */
  get table(): PseudonymTable | undefined {
    return this.#turn.pseudonyms;
  }

  /** Reads those of the stored conversation, for rails that run before its turn. */
  async read(): Promise<void> {
    const { config, state } = this.#turn.options;
    const thread = threadIdOf(config);
    if (this.table !== undefined || (thread === undefined && state === undefined)) return;
    const stored = state ?? (thread === undefined ? undefined : await this.#threads.peek(thread, config));
    await this.#take(splitStored(stored).pseudonyms);
  }

  /** Takes a turn on a stored conversation; its pseudonyms are read before and kept with it. */
  around(conversation: StoredTurn, take: (conversation: StoredTurn) => Promise<TakenTurn>): Promise<TakenTurn> {
    const { state, pseudonyms } = splitStored(conversation.stored);
    if (pseudonyms === undefined && !this.isUsed) return take(conversation);
    return this.#keep(pseudonyms, () => take({ stored: state, keep: conversation.keep }));
  }

  async #keep(stored: unknown, take: () => Promise<TakenTurn>): Promise<TakenTurn> {
    await this.#take(stored);
    const { result, state } = await take();
    const { table } = this;
    const kept = result.state === undefined ? result : { ...result, state: joinStored(result.state, table) };
    return { result: kept, state: joinStored(state, table) };
  }

  async #take(stored: unknown): Promise<void> {
    if (stored !== undefined) this.#turn.pseudonyms = await readPseudonyms(stored, this.table);
  }
}

/** A conversation as it is stored: with pseudonyms around the state of its dialect, or that state alone. */
interface StoredConversation {
  readonly state: unknown;
  readonly pseudonyms: unknown;
}

/** Separates the pseudonyms from the state of a dialect. */
export function splitStored(stored: unknown): StoredConversation {
  if (!isMap(stored) || !Object.hasOwn(stored, "pseudonyms") || !Object.hasOwn(stored, "conversation")) {
    return { state: stored, pseudonyms: undefined };
  }
  return { state: stored["conversation"], pseudonyms: stored["pseudonyms"] };
}

/** Returns the state to be stored. INVARIANT: a conversation without pseudonyms is stored as it always was. */
function joinStored(state: unknown, table: PseudonymTable | undefined): unknown {
  const pseudonyms = table?.toJSON();
  if (state === undefined || pseudonyms === undefined || pseudonyms.entries.length === 0) return state;
  return { version: 1, pseudonyms, conversation: state };
}

/**
 * Returns the table of a stored conversation.
 *
 * @throws GuardrailsError `RL-402` for what is not such a table, or contradicts the pseudonyms that the call has given before
 */
async function readPseudonyms(stored: unknown, own: PseudonymTable | undefined): Promise<PseudonymTable> {
  const { openPseudonyms } = await import("../library/sensitive-data/pseudonyms.js");
  try {
    if (own === undefined) return openPseudonyms(stored);
    // Validated before it is compared.
    const entries = openPseudonyms(stored)
      .toJSON()
      .entries.map((entry) => JSON.stringify(entry));
    const given = own.toJSON().entries.map((entry) => JSON.stringify(entry));
    const shared = Math.min(entries.length, given.length);
    if (entries.slice(0, shared).some((entry, at) => entry !== given[at])) {
      throw new Error("another call on this conversation gave the same pseudonyms to other values");
    }
    return entries.length > given.length ? openPseudonyms(stored) : own;
  } catch (error) {
    throw unreadable(error);
  }
}
