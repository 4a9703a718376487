import { AIMessageChunk } from "@langchain/core/messages";
import type { Sink } from "./sink.js";

/**
 * The stream of a turn in which flows speak: each text leaves as soon as it is said. INVARIANT: joined, the chunks are what
 * the turn says in the end; where it says something else after all, that comes behind them.
 */
export class EmittedTexts {
  readonly #outlet: Sink;
  #said: string | undefined;

  constructor(sink: Sink) {
    this.#outlet = sink;
  }

  /** True if a text has left. */
  get hasBegun(): boolean {
    return this.#said !== undefined;
  }

  /** Waits until the text is taken, so that flows go on no faster than they are read. */
  readonly emitText = async (text: string): Promise<void> => {
    const content = this.#said === undefined ? text : `\n${text}`;
    this.#said = (this.#said ?? "") + content;
    await this.#outlet.put(new AIMessageChunk({ content }));
  };

  /** True if texts have left with which the text does not begin. */
  isReplacedBy(text: string): boolean {
    return this.#said !== undefined && !text.startsWith(this.#said);
  }

  /** Returns the part of the turn's text that has not left. */
  restOf(text: string): string {
    if (this.#said === undefined) return text;
    return text.startsWith(this.#said) ? text.slice(this.#said.length) : `\n${text}`;
  }
}
