import { parseFlowReference } from "../engine/flow-reference.js";
import { isMap } from "../engine/plain-data.js";
import type { PseudonymTable } from "../actions/pseudonym-table.js";
import { findLibraryFlow } from "../library/manifest.js";
import { type ThreadKeeper, threadIdOf } from "../threads/thread-keeper.js";
import type { Turn } from "../turn/turn.js";
import type { DialectHost, StoredTurn, TakenTurn } from "./dialect-host.js";
import { reviewEarlier } from "./history-review.js";
import { selectRails } from "../rails/plan.js";
import { checkStage } from "../rails/stage-check.js";
import { checkTool, selectToolRails } from "../rails/tools/tool-check.js";
import { unreadable } from "./stored-state.js";

/** Returns true for a rail that replaces values by pseudonyms. */
function isReversible(rail: string): boolean {
  return findLibraryFlow(parseFlowReference(rail).id)?.flow.isReversible === true;
}

/** Returns true for a program with such a rail. */
export function hasReversible({ services }: DialectHost): boolean {
  return REVERSIBLE.some((rail) => services.rails.has(rail));
}

const REVERSIBLE = ["input", "retrieval", "tool input"].map((words) => `pseudonymise sensitive data on ${words}`);

/** Texts that change, with their replacements; undefined for a text to hide. */
type ChangedTexts = ReadonlyMap<string, string | undefined>;

const NOTHING_CHANGED: ChangedTexts = new Map();

/** Pseudonyms of one call and of its stored conversation. */
export class CallPseudonyms {
  readonly #turn: Turn;
  readonly #threads: ThreadKeeper;
  readonly #host: DialectHost;
  /** True if the program has rails that create pseudonyms. */
  readonly isUsed: boolean;
  /** Number of stored entries. */
  #stored = 0;

  constructor(turn: Turn, threads: ThreadKeeper, host: DialectHost, isUsed: boolean) {
    this.#turn = turn;
    this.#threads = threads;
    this.#host = host;
    this.isUsed = isUsed;
  }

  /** Pseudonyms created by rails of the call, and those of its stored conversation once read. */
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

  /** Adopts the pseudonyms of another call on the same conversation. */
  adopt(table: PseudonymTable | undefined): void {
    if (table !== undefined) this.#turn.pseudonyms = table;
  }

  /**
   * Stores new pseudonyms with the conversation, for a call without a turn on it. Without a thread, nothing is stored.
   *
   * @throws ThreadStoreError if storing fails, or a concurrent call gave the same pseudonyms to other values
   */
  async keep(): Promise<void> {
    const { table } = this;
    if (table === undefined || table.toJSON().entries.length <= this.#stored) return;
    const { config, state } = this.#turn.options;
    const thread = threadIdOf(config);
    if (thread === undefined || state !== undefined) return;
    await this.#threads.takeTurn(thread, config, async (_, { stored }) => {
      const before = splitStored(stored);
      await this.#take(before.pseudonyms);
      return { result: undefined, state: joinStored(before.state ?? null, this.table) };
    });
    this.#stored = table.toJSON().entries.length;
  }

  /**
   * Replaces restored values in earlier assistant messages by pseudonyms.
   *
   * @returns the texts that change; undefined for a text to hide
   */
  async replaceEarlier(texts: readonly string[]): Promise<ChangedTexts> {
    const rails = this.#inputRails();
    if (rails.length === 0) return NOTHING_CHANGED;
    await this.read();
    const changed = new Map<string, string | undefined>();
    for (const text of texts) {
      const { left } = await reviewEarlier(this.#host.services, this.#turn, rails, text);
      if (left !== text) changed.set(text, left);
    }
    return changed;
  }

  /**
   * Replaces values in texts already reviewed in this turn, for another model call. Neither listeners nor traces see
   * this second review.
   *
   * @param tool - the tool that returned the texts; absent for texts of users and of the assistant
   */
  async replaceAgain(texts: readonly string[], tool?: string): Promise<ChangedTexts> {
    const { services } = this.#host;
    const { options } = this.#turn;
    const input = this.#inputRails();
    const execution =
      tool === undefined ? [] : selectToolRails(services, "tool_input", tool, options).filter(isReversible);
    if (input.length + execution.length === 0) return NOTHING_CHANGED;
    await this.read();
    const config = { ...options.config, callbacks: [] };
    const turn = this.#turn.apart({ ...options, config, rails: { input, execution } }, false);
    const changed = new Map<string, string | undefined>();
    try {
      for (const text of texts) {
        const reviewed =
          tool === undefined || execution.length === 0
            ? await checkStage(services, turn, "input", { userMessage: text })
            : await checkTool(services, turn, "tool_input", { tool, args: {}, result: text });
        const { verdict, exception } = reviewed;
        const left = "result" in reviewed ? reviewed.result : reviewed.userMessage;
        if (verdict.blocked || exception !== undefined) changed.set(text, undefined);
        else if (left !== text) changed.set(text, left);
      }
    } finally {
      turn.close();
    }
    return changed;
  }

  #inputRails(): readonly string[] {
    return selectRails(this.#host.services, this.#turn.options, "input").filter(isReversible);
  }

  /** Runs a turn on a stored conversation, reading its pseudonyms before and storing them with it. */
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
    if (stored === undefined) return;
    const { table, stored: entries } = await readPseudonyms(stored, this.table);
    this.#turn.pseudonyms = table;
    this.#stored = entries;
  }
}

/** A stored conversation: the state of its dialect, wrapped with pseudonyms if there are any. */
interface StoredConversation {
  readonly state: unknown;
  readonly pseudonyms: unknown;
}

/** Separates the pseudonyms from the state of a dialect. */
export function splitStored(stored: unknown): StoredConversation {
  if (!isMap(stored) || !Object.hasOwn(stored, "pseudonyms") || !Object.hasOwn(stored, "conversation")) {
    return { state: stored, pseudonyms: undefined };
  }
  // Calls without a turn have created these pseudonyms.
  return { state: stored["conversation"] ?? undefined, pseudonyms: stored["pseudonyms"] };
}

/** Returns the state to store. INVARIANT: the format of a conversation without pseudonyms is unchanged. */
function joinStored(state: unknown, table: PseudonymTable | undefined): unknown {
  const pseudonyms = table?.toJSON();
  if (state === undefined || pseudonyms === undefined || pseudonyms.entries.length === 0) return state;
  return { version: 1, pseudonyms, conversation: state };
}

/**
 * Returns the pseudonym table of a stored conversation.
 *
 * @throws GuardrailsError `RL-402` for an invalid table, or one that contradicts pseudonyms of the call
 */
async function readPseudonyms(
  stored: unknown,
  callTable: PseudonymTable | undefined,
): Promise<{ readonly table: PseudonymTable; readonly stored: number }> {
  const { openPseudonyms } = await import("../library/sensitive-data/pseudonyms.js");
  try {
    // Validated before it is compared.
    const read = openPseudonyms(stored);
    const entries = read.toJSON().entries.map((entry) => JSON.stringify(entry));
    if (callTable === undefined) return { table: read, stored: entries.length };
    const given = callTable.toJSON().entries.map((entry) => JSON.stringify(entry));
    const shared = Math.min(entries.length, given.length);
    if (entries.slice(0, shared).some((entry, at) => entry !== given[at])) {
      throw new Error("another call on this conversation gave the same pseudonyms to other values");
    }
    return { table: entries.length > given.length ? read : callTable, stored: entries.length };
  } catch (error) {
    throw unreadable(error);
  }
}
