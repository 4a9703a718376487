import { LimitError } from "../../../diagnostics/errors.js";

/** Maximum number of unread values. */
const MAX_UNREAD = 10_000;

export interface QueueListeners {
  /** Called when the reader stops. */
  onReturn(): void;
  /** Set if a reader waits for the next event. */
  onAwaited?(isAwaited: boolean): void;
}

interface Reader<Value> {
  resolve(result: IteratorResult<Value, undefined>): void;
  reject(error: unknown): void;
}

/** A queue between a producer and one reader; it ends or fails once. */
export class EventQueue<Value> implements AsyncIterator<Value, undefined> {
  readonly #unread: Value[] = [];
  readonly #readers: Reader<Value>[] = [];
  readonly #listeners: QueueListeners;
  #end: { readonly error?: unknown } | undefined;

  constructor(listeners: QueueListeners) {
    this.#listeners = listeners;
  }

  /** @throws LimitError if too many values are unread */
  push(value: Value): void {
    if (this.#end !== undefined) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      if (this.#readers.length === 0) this.#listeners.onAwaited?.(false);
      reader.resolve({ done: false, value });
      return;
    }
    if (this.#unread.length >= MAX_UNREAD) {
      throw new LimitError(`expected at most ${MAX_UNREAD} unread events`, {
        limit: "unreadEvents",
        maximum: MAX_UNREAD,
      });
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
      // A failure is thrown once; afterwards the queue is empty.
      this.#end = {};
      reject(end.error);
    } else resolve({ done: true, value: undefined });
  }
}
