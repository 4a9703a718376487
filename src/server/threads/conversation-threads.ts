import { createHash } from "node:crypto";
import type { AbortSource } from "../../engine/async.js";
import type { Clock } from "../../engine/events.js";
import type { Logger } from "../../diagnostics/logger.js";
import { CallStore } from "../../threads/call-store.js";
import { StoreAccess } from "../../threads/store-access.js";
import { type StoredThread, type ThreadStore, ThreadQueue, ThreadStoreError } from "../../threads/thread-store.js";
import type { Caller } from "../access.js";
import { ApiError, storeUnavailable, threadConflict } from "../errors.js";
import type { ConversationMessage } from "../openai-format/messages.js";
import { replyTo, type TurnKey, withTurn } from "./idempotency.js";
import { EMPTY_RECORD, readRecord, type StoredReply, type ThreadRecord } from "./record.js";

/** A request that uses a conversation. */
export interface ThreadRequest {
  readonly caller: Caller;
  readonly config: string;
  readonly thread: string;
  readonly turn: TurnKey | undefined;
}

/** A turn to store. */
export interface KeptTurn {
  /** The whole conversation; undefined leaves it unchanged. */
  readonly messages?: readonly ConversationMessage[] | undefined;
  /** Creates the reply for requests with the same idempotency key. */
  readonly reply: () => StoredReply;
}

/** Settings of a server's threads. */
interface ThreadSettings {
  /** Time limit of each call to the store, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
}

/** Conversations by caller, configuration and id. INVARIANT: a caller cannot access the conversation of another caller. */
export class ConversationThreads {
  readonly #store: ThreadStore | undefined;
  readonly #queue = new ThreadQueue();
  readonly #access: StoreAccess;
  readonly #clock: Clock;

  /** @param store - undefined for a server that stores no conversations */
  constructor(store: ThreadStore | undefined, { timeoutMs, clock, logger }: ThreadSettings) {
    this.#store = store;
    this.#access = new StoreAccess({ timeoutMs, logger });
    this.#clock = clock;
  }

  /**
   * Opens a conversation when no other request of this process uses it.
   *
   * @throws ApiError 400 if the server stores no conversations, 422 for a key of another request; ThreadStoreError
   */
  async open({ caller, config, thread, turn }: ThreadRequest, signal: AbortSource): Promise<OpenThread> {
    const store = this.#store;
    if (store === undefined) throw noThreads();
    const id = idOf([caller.id, config, thread]);
    return this.#queue.run(id, signal, async (hold) => {
      let release = (): void => undefined;
      hold(new Promise<void>((resolve) => (release = resolve)));
      try {
        const opened = { store, access: this.#access, id, turn, now: () => this.#clock.now(), release };
        return new OpenThread(await this.#access.read(store, id, signal), opened);
      } catch (error) {
        release();
        throw error;
      }
    });
  }
}

/** Returns a digest of 64 digits, which stores keep unchanged. Neither stores nor errors reveal the names that callers chose. */
function idOf(names: readonly string[]): string {
  return `thread-${createHash("sha256").update(JSON.stringify(names)).digest("hex")}`;
}

function noThreads(): ApiError {
  const message = "This server keeps no conversations: leave out 'thread_id'.";
  return new ApiError(400, message, { param: "thread_id", code: "threads_unavailable" });
}

interface Opened {
  readonly store: ThreadStore;
  readonly access: StoreAccess;
  readonly id: string;
  readonly turn: TurnKey | undefined;
  readonly now: () => number;
  readonly release: () => void;
}

/** A stored conversation while one request uses it. */
export class OpenThread {
  /** State of the flows, for the turns of the request. */
  readonly dialog: CallStore;
  /** Reply to an earlier request with the same key. */
  readonly replayed: StoredReply | undefined;
  /** Lets the next request of the conversation start. */
  readonly release: () => void;
  readonly #version: number;
  readonly #record: ThreadRecord;
  readonly #opened: Opened;

  constructor(stored: StoredThread | undefined, opened: Opened) {
    this.#opened = opened;
    this.#version = stored?.version ?? 0;
    this.#record = stored === undefined ? EMPTY_RECORD : readRecord(opened.id, stored.state);
    this.replayed = replyTo(this.#record.turns, opened.turn);
    this.dialog = new CallStore(opened.id, this.#record.dialog);
    this.release = opened.release;
  }

  /** Earlier messages, as rails left them. */
  get messages(): readonly ConversationMessage[] {
    return this.#record.messages;
  }

  /**
   * Stores a turn in one write: its messages, the state of the flows and the reply for its key. Writes nothing if the turn has
   * none of them.
   *
   * @returns the reply of a concurrent request with the same key that finished first; then nothing is stored
   * @throws ApiError 409 if the conversation was changed meanwhile, 503 if the store failed
   */
  async save({ messages, reply }: KeptTurn): Promise<StoredReply | undefined> {
    const { store, access, id, turn, now } = this.#opened;
    const { turns } = this.#record;
    if (messages === undefined && !this.dialog.isChanged && turn === undefined) return undefined;
    const dialog = this.dialog.state;
    const state: ThreadRecord = {
      form: EMPTY_RECORD.form,
      messages: messages === undefined ? this.messages : newest(messages),
      ...(dialog === undefined ? {} : { dialog }),
      turns: turn === undefined ? turns : withTurn(turns, { ...turn, at: now(), reply: reply() }),
    };
    try {
      if (await access.write(store, id, { state, expectedVersion: this.#version })) return undefined;
      const stored = turn === undefined ? undefined : await access.read(store, id, undefined);
      const known = stored === undefined ? undefined : replyTo(readRecord(id, stored.state).turns, turn);
      if (known !== undefined) return known;
    } catch (error) {
      // Without a key, a retry could run the turn twice, so clients must not retry automatically.
      if (ThreadStoreError.isInstance(error) && error.code === "RL-404")
        throw storeUnavailable(turn !== undefined, error);
      throw error;
    }
    throw threadConflict(await access.isGone(store, id, this.#version));
  }
}

/** Maximum number and total characters of stored messages of a conversation; the oldest turns are removed first. */
const MAX_MESSAGES = 512;
const MAX_CHARACTERS = 1_048_576;

/** Returns the latest messages, starting with a user message: tool results need the preceding tool calls. */
function newest(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const from = firstWithin(messages);
  if (from === 0) return messages;
  const at = messages.findIndex(({ role }, index) => index >= from && role === "user");
  return at === -1 ? [] : messages.slice(at);
}

/** Returns the index of the first message within the limits. */
function firstWithin(messages: readonly ConversationMessage[]): number {
  let characters = 0;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    characters += lengthOf(messages[index]);
    if (messages.length - index > MAX_MESSAGES || characters > MAX_CHARACTERS) return index + 1;
  }
  return 0;
}

function lengthOf(message: ConversationMessage | undefined): number {
  const content = message?.content;
  const calls = message?.role === "assistant" ? message.tool_calls : undefined;
  const own = typeof content === "string" ? content.length : content ? JSON.stringify(content).length : 0;
  return own + (calls ? JSON.stringify(calls).length : 0);
}
