import type { GradualText } from "../llm/parsers/gradual/gradual-text.js";
import type { RunningCall } from "../llm/task/running-call.js";

/**
 * The bot's words in a completion that is still coming in, piece by piece. INVARIANT: joined, the pieces are what the reader
 * makes of the whole completion. Leaving them ends the call, also while it stands still.
 */
export class GradualWords implements AsyncIterableIterator<string> {
  readonly #call: RunningCall;
  readonly #reader: GradualText;
  #skipped: number;
  #index = 0;
  #isDone = false;

  /**
   * @param call - one that was made `byPieces`
   * @param from - where in the completion the words begin
   */
  constructor(call: RunningCall, reader: GradualText, from = 0) {
    this.#call = call;
    this.#reader = reader;
    this.#skipped = from;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string>> {
    while (!this.#isDone) {
      const piece = await this.#call.piece(this.#index);
      this.#index += 1;
      const value = piece === undefined ? this.#reader.end() : this.#reader.push(this.#behindSkipped(piece));
      if (piece === undefined) this.#isDone = true;
      else if (this.#reader.isOver) {
        this.#isDone = true;
        this.#call.letEnd();
      }
      if (value !== "") return { done: false, value };
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<string>> {
    this.#isDone = true;
    this.#call.cut();
    return { done: true, value: undefined };
  }

  #behindSkipped(piece: string): string {
    if (this.#skipped === 0) return piece;
    const skipped = Math.min(this.#skipped, piece.length);
    this.#skipped -= skipped;
    return piece.slice(skipped);
  }
}
