import { Runnable, type RunnableConfig } from "@langchain/core/runnables";
import type { Cell } from "./cell.js";
import { textOf } from "./observe.js";

/** A chain that returns the value of its cell, in its chunks if streamed, and records its input. */
export class ChainStub extends Runnable<unknown, unknown> {
  override lc_namespace = ["matrix"];
  readonly #cell: Cell;

  constructor(cell: Cell) {
    super({});
    this.#cell = cell;
  }

  override async invoke(input: unknown, config?: RunnableConfig): Promise<unknown> {
    return this._callWithConfig(async (value: unknown) => this.#reply(value).whole, input, config);
  }

  override async *_streamIterator(input: unknown): AsyncGenerator<unknown> {
    const { whole, chunks } = this.#reply(input);
    yield* chunks ?? [whole];
  }

  #reply(input: unknown): { readonly whole: unknown; readonly chunks?: readonly unknown[] } {
    this.#cell.shown.push(textOf(input));
    return this.#cell.reply();
  }
}
