/** Where reviewed chunks go. */
export interface Outlet {
  /**
   * Hands a chunk to the reader and waits until it is taken, so that nobody makes an answer faster than it is read.
   *
   * @throws the reason why nobody reads any more
   */
  put(chunk: unknown): Promise<void>;
}

interface Offer {
  readonly chunk: unknown;
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
  const controller = new AbortController();
  const handover = new Handover();
  const onAbort = (): void => {
    controller.abort(outer?.reason);
    handover.fail(outer?.reason);
  };
  outer?.throwIfAborted();
  outer?.addEventListener("abort", onAbort, { once: true });
  work(handover, controller.signal).then(
    () => handover.end(),
    (error: unknown) => handover.fail(error),
  );
  try {
    for (let next = await handover.take(); next !== undefined; next = await handover.take()) yield next.chunk as Chunk;
  } finally {
    outer?.removeEventListener("abort", onAbort);
    const reason = new DOMException("nobody reads this stream any more", "AbortError");
    handover.fail(reason);
    controller.abort(reason);
  }
}

/** One place between a writer and a reader. */
class Handover implements Outlet {
  #offer: Offer | undefined;
  #wanted: { readonly give: (offer: Offer | undefined) => void; readonly fail: (reason: unknown) => void } | undefined;
  #closed: { readonly error?: { readonly reason: unknown } } | undefined;

  put(chunk: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(this.#closed.error?.reason as Error);
        return;
      }
      const offer: Offer = { chunk, taken: resolve, refused: reject };
      const wanted = this.#wanted;
      this.#wanted = undefined;
      if (wanted === undefined) this.#offer = offer;
      else {
        wanted.give(offer);
        resolve();
      }
    });
  }

  take(): Promise<Offer | undefined> {
    return new Promise((give, fail) => {
      const offer = this.#offer;
      this.#offer = undefined;
      if (offer !== undefined) {
        give(offer);
        offer.taken();
      } else if (this.#closed === undefined) this.#wanted = { give, fail };
      else if (this.#closed.error === undefined) give(undefined);
      else fail(this.#closed.error.reason);
    });
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
