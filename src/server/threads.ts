import type { AbortSource } from "../engine/async.js";
import { type ThreadStore, ThreadQueue } from "../threads/thread-store.js";
import type { Caller } from "./access.js";
import { ApiError } from "./errors.js";
import type { ConversationMessage } from "./openai-format/messages.js";

/** A conversation that the server keeps, while one request is at work on it. */
export interface OpenThread {
  /** Id of the same conversation for the dialog of the configuration. */
  readonly dialogId: string;
  /** Earlier messages, as rails left them. */
  readonly messages: readonly ConversationMessage[];
  /** @throws ApiError 409 if another process has changed the conversation meanwhile */
  save(messages: readonly ConversationMessage[]): Promise<void>;
  /** Lets the next request of the conversation begin. */
  release(): void;
}

/** Most messages of a conversation that are kept; the oldest turns are forgotten first. */
const MAX_MESSAGES = 512;

/** Conversations by caller, configuration and id. INVARIANT: no caller reaches a conversation of another. */
export class ConversationThreads {
  readonly #store: ThreadStore;
  readonly #queue = new ThreadQueue();

  constructor(store: ThreadStore) {
    this.#store = store;
  }

  /** Opens a conversation once no other request is at work on it. */
  open(caller: Caller, config: string, thread: string, signal: AbortSource): Promise<OpenThread> {
    const name = JSON.stringify([caller.id, config, thread]);
    const id = `messages:${name}`;
    return this.#queue.run(id, signal, async (hold) => {
      let release = (): void => undefined;
      hold(new Promise<void>((resolve) => (release = resolve)));
      try {
        const stored = await this.#store.get(id);
        const { version = 0, state } = stored ?? {};
        const { messages = [] } = (state ?? {}) as { readonly messages?: readonly ConversationMessage[] };
        return { dialogId: `dialog:${name}`, messages, release, save: (all) => this.#save(id, version, all) };
      } catch (error) {
        release();
        throw error;
      }
    });
  }

  async #save(id: string, version: number, messages: readonly ConversationMessage[]): Promise<void> {
    const state = { messages: newest(messages) };
    const isStored = await this.#store.set(id, { version: version + 1, state }, { expectedVersion: version });
    if (isStored) return;
    throw new ApiError(409, "Another request has changed this thread meanwhile.", {
      code: "thread_conflict",
      headers: { "x-should-retry": "true" },
    });
  }
}

/** The last messages, beginning with one of the user: results of tools need their calls before them. */
function newest(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  if (messages.length <= MAX_MESSAGES) return messages;
  const from = messages.length - MAX_MESSAGES;
  const at = messages.findIndex(({ role }, index) => index >= from && role === "user");
  return at === -1 ? [] : messages.slice(at);
}
