import { startIdleTimer } from "../../engine/events.js";
import { LimitError } from "../../diagnostics/errors.js";
import { Cancellation } from "../../engine/async.js";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Host } from "../host.js";
import { toChunk } from "../verdict.js";

/** Receiver of reviewed chunks. */
export interface Sink {
  /**
   * Passes chunks to the reader one by one and waits until they are taken, so a response is generated no faster than it
   * is read.
   *
   * @throws the reason why the stream is no longer read
   */
  put(chunks: readonly unknown[]): Promise<void>;
}

interface Offer {
  readonly chunks: readonly unknown[];
  readonly taken: () => void;
  readonly refused: (reason: unknown) => void;
}

/** Work that emits chunks while it runs. */
type Work = (sink: Sink, signal: AbortSignal) => Promise<void>;

/**
 * Turns work that emits chunks into a stream. If its reader leaves or the signal fires, the work is aborted and not
 * awaited; later chunks and errors are dropped.
 *
 * @param unreadMs - milliseconds that a chunk may wait for the reader; 0 for no limit
 * @throws LimitError (`unreadStream`) if a chunk waited for the reader longer than the limit
 */
export async function* streamFrom<Chunk>(
  outer: AbortSignal | undefined,
  unreadMs: number,
  work: Work,
): AsyncGenerator<Chunk> {
  const { channel, leave } = startWork(outer, unreadMs, work);
  try {
    for (let offer = await channel.take(); offer !== undefined; offer = await channel.take()) {
      for (const [index, chunk] of offer.chunks.entries()) {
        channel.throwIfFailed();
        channel.read();
        // The next chunk may be produced while the last one is read.
        if (index === offer.chunks.length - 1) channel.taken();
        yield chunk as Chunk;
      }
    }
  } finally {
    leave();
  }
}

/**
 * Streams as `streamFrom` does, in batches: all chunks of one `put`, such as a window that has passed its rails.
 */
export async function* batchesFrom<Chunk>(
  outer: AbortSignal | undefined,
  unreadMs: number,
  work: Work,
): AsyncGenerator<readonly Chunk[]> {
  const { channel, leave } = startWork(outer, unreadMs, work);
  try {
    for (let offer = await channel.take(); offer !== undefined; offer = await channel.take()) {
      channel.taken();
      yield offer.chunks as readonly Chunk[];
    }
  } finally {
    leave();
  }
}

/** Wraps a stream as batches of one. */
export async function* inBatchesOfOne<Chunk>(chunks: AsyncIterable<Chunk>): AsyncGenerator<readonly Chunk[]> {
  for await (const chunk of chunks) yield [chunk];
}

/** @returns the chunks of the work, and a function that ends it when its reader leaves */
function startWork(outer: AbortSignal | undefined, unreadMs: number, work: Work) {
  outer?.throwIfAborted();
  const cancellation = Cancellation.following(outer);
  const channel = new Channel(unreadMs, () => {
    // The work sees a reader who left; an error of the limit would count as a failed turn.
    const left = readerLeft();
    const message = `the stream was not read for ${unreadMs} ms, so its conversation continues without this turn`;
    channel.fail(left, new LimitError(message, { limit: "unreadStream", maximum: unreadMs }));
    cancellation.abort(left);
  });
  cancellation.onAbort(() => channel.fail(cancellation.reason));
  work(channel, cancellation.signal).then(
    () => channel.end(),
    (error: unknown) => channel.fail(error),
  );
  return { channel, leave: () => cancellation.abort(readerLeft()) };
}

function readerLeft(): DOMException {
  return new DOMException("this stream is no longer read", "AbortError");
}

/** A channel for one offer between a writer and a reader. */
class Channel implements Sink {
  readonly #unreadMs: number;
  readonly #onUnread: () => void;
  #stopTimer: (() => void) | undefined;
  /** Chunks that the reader has not taken yet. */
  #offer: Offer | undefined;
  /** Wakes a reader that waits for an offer. */
  #wake: (() => void) | undefined;
  #closed: { readonly error?: { readonly reason: unknown } } | undefined;

  constructor(unreadMs: number, onUnread: () => void) {
    this.#unreadMs = unreadMs;
    this.#onUnread = onUnread;
  }

  put(chunks: readonly unknown[]): Promise<void> {
    return new Promise((taken, refused) => {
      if (this.#closed) refused(this.#closed.error?.reason);
      else if (chunks.length === 0) taken();
      else {
        this.#offer = { chunks, taken, refused };
        this.#watch();
        this.#wake?.();
      }
    });
  }

  /** Returns the next offer; undefined at the end. */
  async take(): Promise<Offer | undefined> {
    if (this.#offer === undefined && this.#closed === undefined) {
      await new Promise<void>((wake) => (this.#wake = wake));
    }
    if (this.#offer === undefined) this.throwIfFailed();
    return this.#offer;
  }

  /** Starts the timer again for each chunk that the reader takes. */
  #watch(): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#unreadMs > 0 ? startIdleTimer(this.#unreadMs, this.#onUnread) : undefined;
  }

  taken(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#offer?.taken();
    this.#offer = undefined;
  }

  /** Called when the reader requests the next chunk of an offer. */
  read(): void {
    if (this.#stopTimer !== undefined) this.#watch();
  }

  throwIfFailed(): void {
    if (this.#closed?.error !== undefined) throw this.#closed.error.reason;
  }

  end(): void {
    this.#closed ??= {};
    this.#wake?.();
  }

  /** @param shown - the reader's error. Default: `reason`, the writer's */
  fail(reason: unknown, shown: unknown = reason): void {
    if (this.#closed) return;
    this.#stopTimer?.();
    this.#closed = { error: { reason: shown } };
    this.#offer?.refused(reason);
    this.#offer = undefined;
    this.#wake?.();
  }
}

/**
 * Milliseconds that a chunk may wait for the reader of a stream; 0 for no limit. INVARIANT: a reader who left does not
 * delay later turns of a conversation.
 */
export function unreadMsOf({ stallMs }: Pick<Host, "stallMs">, config: RunnableConfig | undefined): number {
  const thread: unknown = config?.configurable?.["thread_id"];
  return thread === undefined || thread === null ? 0 : stallMs;
}

/** Forwards messages as chunks, as streams of chat models consist of. */
export function chunkSink(sink: Sink): Sink {
  return { put: (messages) => sink.put((messages as readonly BaseMessage[]).map(toChunk)) };
}
