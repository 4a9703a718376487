import { LimitError } from "../../../diagnostics/errors.js";

/** Number of unread values that are kept. */
const MAX_UNREAD = 10_000;

export interface QueueListeners {
  /** The reader wants no more. */
  onReturn(): void;
  /** Set if a reader waits for the next event. */
  onAwaited?(isAwaited: boolean): void;
}

interface Reader<Value> {
  resolve(result: IteratorResult<Value, undefined>): void;
  reject(error: unknown): void;
}

/** Values on their way from who makes them to who reads them; it ends, or fails, once. */
export class EventQueue<Value> implements AsyncIterator<Value, undefined> {
  readonly #unread: Value[] = [];
  readonly #readers: Reader<Value>[] = [];
  readonly #listeners: QueueListeners;
  #end: { readonly error?: unknown } | undefined;

  constructor(listeners: QueueListeners) {
    this.#listeners = listeners;
  }

  /** @throws LimitError when too much is left unread */
  push(value: Value): void {
    if (this.#end !== undefined) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      if (this.#readers.length === 0) this.#listeners.onAwaited?.(false);
      reader.resolve({ done: false, value });
      return;
    }
    if (this.#unread.length >= MAX_UNREAD) {
      throw new LimitError(`${MAX_UNREAD} events were not read`, { limit: "unreadEvents", maximum: MAX_UNREAD });
    }
    this.#unread.push(value);
  }

  /** Ends the queue. Unread values can still be read; waiting readers are released. */
  end(failure?: { readonly error: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = failure ?? {};
    this.#listeners.onAwaited?.(false);
    for (const reader of this.#readers.splice(0)) this.#close(reader);
  }

  next(): Promise<IteratorResult<Value, undefined>> {
    const [first] = this.#unread;
    if (this.#unread.length > 0) {
      this.#unread.shift();
      return Promise.resolve({ done: false, value: first as Value });
    }
    return new Promise((resolve, reject) => {
      const reader: Reader<Value> = { resolve, reject };
      if (this.#end === undefined) {
        this.#readers.push(reader);
        this.#listeners.onAwaited?.(true);
      } else this.#close(reader);
    });
  }

  return(): Promise<IteratorResult<Value, undefined>> {
    this.#listeners.onReturn();
    return Promise.resolve({ done: true, value: undefined });
  }

  #close({ resolve, reject }: Reader<Value>): void {
    const end = this.#end;
    if (end !== undefined && "error" in end) {
      // A failure is thrown once; after it there is nothing more.
      this.#end = {};
      reject(end.error);
    } else resolve({ done: true, value: undefined });
  }
}
