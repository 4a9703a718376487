import { Cancellation } from "../../engine/cancellation.js";

/** Where reviewed chunks go. */
export interface Outlet {
  /**
   * Hands a chunk to the reader and waits until it is taken, so that nobody makes an answer faster than it is read.
   *
   * @throws the reason why nobody reads any more
   */
  put(chunk: unknown): Promise<void>;
  /** The same for several, one after the other. */
  putAll(chunks: readonly unknown[]): Promise<void>;
}

interface Offer {
  readonly chunks: readonly unknown[];
  readonly taken: () => void;
  readonly refused: (reason: unknown) => void;
}

/**
 * A stream out of work that hands on chunks while it runs. A reader who leaves, or whose signal fires, ends the work
 * through its signal and does not wait for it; what the work still says then, its errors included, nobody hears.
 */
export async function* streamFrom<Chunk>(
  outer: AbortSignal | undefined,
  work: (outlet: Outlet, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<Chunk> {
  outer?.throwIfAborted();
  const cancellation = Cancellation.following(outer);
  const handover = new Handover();
  cancellation.onAbort(() => handover.fail(cancellation.reason));
  work(handover, cancellation.signal).then(
    () => handover.end(),
    (error: unknown) => handover.fail(error),
  );
  try {
    for (let offer = await handover.take(); offer !== undefined; offer = await handover.take()) {
      for (const [index, chunk] of offer.chunks.entries()) {
        handover.throwIfFailed();
        // What comes next may be made while the last one is read.
        if (index === offer.chunks.length - 1) handover.taken();
        yield chunk as Chunk;
      }
    }
  } finally {
    cancellation.abort(new DOMException("nobody reads this stream any more", "AbortError"));
  }
}

/** One place between a writer and a reader. */
class Handover implements Outlet {
  /** What is offered until its last chunk is taken. */
  #offer: Offer | undefined;
  #wanted: { readonly give: (offer: Offer | undefined) => void; readonly fail: (reason: unknown) => void } | undefined;
  #closed: { readonly error?: { readonly reason: unknown } } | undefined;

  put(chunk: unknown): Promise<void> {
    return this.putAll([chunk]);
  }

  putAll(chunks: readonly unknown[]): Promise<void> {
    return new Promise((taken, refused) => {
      if (this.#closed) refused(this.#closed.error?.reason);
      else if (chunks.length === 0) taken();
      else {
        this.#offer = { chunks, taken, refused };
        this.#wanted?.give(this.#offer);
        this.#wanted = undefined;
      }
    });
  }

  take(): Promise<Offer | undefined> {
    return new Promise((give, fail) => {
      if (this.#offer !== undefined) give(this.#offer);
      else if (this.#closed === undefined) this.#wanted = { give, fail };
      else if (this.#closed.error === undefined) give(undefined);
      else fail(this.#closed.error.reason);
    });
  }

  taken(): void {
    this.#offer?.taken();
    this.#offer = undefined;
  }

  throwIfFailed(): void {
    if (this.#closed?.error !== undefined) throw this.#closed.error.reason;
  }

  end(): void {
    if (this.#closed) return;
    this.#closed = {};
    this.#wanted?.give(undefined);
  }

  fail(reason: unknown): void {
    if (this.#closed) return;
    this.#closed = { error: { reason } };
    this.#offer?.refused(reason);
    this.#offer = undefined;
    this.#wanted?.fail(reason);
  }
}
