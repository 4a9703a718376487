import type { RunnableConfig } from "@langchain/core/runnables";
import type { StoredThread, ThreadStore } from "./thread-store.js";

/** Config key of a call's store; LangChain keeps keys with two leading underscores out of metadata. */
const CALL_STORE = "__guardrails_store";

/**
 * Store of one conversation for the duration of one call. Its turns read and write the state here, and the owner of the call
 * stores the result together with its own data in a single write.
 */
export class CallStore implements ThreadStore {
  readonly thread: string;
  #current: StoredThread | undefined;
  #isChanged = false;

  /** @param state - the stored state of the conversation */
  constructor(thread: string, state: unknown) {
    this.thread = thread;
    this.#current = state === undefined ? undefined : { version: 1, state };
  }

  /** Returns the state after the turns of the call; undefined if there is none. */
  get state(): unknown {
    return this.#current?.state;
  }

  /** True if a turn has written a state. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  get(id: string): StoredThread | undefined {
    return id === this.thread ? this.#current : undefined;
  }

  set(id: string, next: StoredThread, { expectedVersion }: { readonly expectedVersion?: number } = {}): boolean {
    const isCurrent = expectedVersion === undefined || (this.#current?.version ?? 0) === expectedVersion;
    if (id !== this.thread || !isCurrent) return false;
    this.#current = next;
    this.#isChanged = true;
    return true;
  }

  delete(): void {
    this.#current = undefined;
    this.#isChanged = true;
  }

  /** Returns the `configurable` of a call that runs its turns on this store. */
  get configurable(): Readonly<Record<string, unknown>> {
    return { [CALL_STORE]: this, thread_id: this.thread };
  }
}

/** Returns the store of a call for this conversation; other conversations used inside the call are unaffected. */
export function callStoreOf(config: RunnableConfig | undefined, thread: string): CallStore | undefined {
  const store: unknown = config?.configurable?.[CALL_STORE];
  return store instanceof CallStore && store.thread === thread ? store : undefined;
}
