import { onAbortOf, untilAborted } from "../../engine/async.js";

/**
 * A stream that can be reread from its start. It is pulled only as far as its furthest reader. INVARIANT: a reader that
 * leaves does not end the stream for the next one.
 */
export class SharedPieces<Piece> {
  readonly #iterator: AsyncIterator<Piece>;
  readonly #pieces: Piece[] = [];
  readonly #release: () => void;
  #pulling: Promise<void> | undefined;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;

  /** @param signal - ends the stream for all readers */
  constructor(source: AsyncIterable<Piece>, signal: AbortSignal) {
    this.#iterator = source[Symbol.asyncIterator]();
    // A stream waiting to be pulled notices the end, and notifies its listeners, only when pulled.
    this.#release = onAbortOf(signal, () => void this.#pull().then(() => this.#end()));
  }

  async *read(signal: AbortSignal | undefined): AsyncGenerator<Piece> {
    for (let index = 0; ; index += 1) {
      while (index >= this.#pieces.length) {
        if (this.#failure) throw this.#failure.error;
        if (this.#isOver) return;
        await untilAborted(this.#pull(), signal);
      }
      yield this.#pieces[index] as Piece;
    }
  }

  /** For the last reader, which ends the stream when it leaves. */
  async *readToEnd(signal: AbortSignal | undefined): AsyncGenerator<Piece> {
    try {
      yield* this.read(signal);
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#release();
    // Not awaited: a stalled stream would block the reader that leaves it.
    void this.#iterator.return?.()?.catch(() => undefined);
  }

  #pull(): Promise<void> {
    this.#pulling ??= this.#next().finally(() => (this.#pulling = undefined));
    return this.#pulling;
  }

  async #next(): Promise<void> {
    if (this.#isOver) return;
    try {
      const { value, done } = await this.#iterator.next();
      if (done === true) this.#isOver = true;
      else this.#pieces.push(value);
    } catch (error) {
      this.#failure = { error };
    }
  }
}
