import type { RunnableConfig } from "@langchain/core/runnables";
import { startTimer } from "../../actions/timer.js";
import { ModelError } from "../../diagnostics/errors.js";
import { runWithConfig } from "../callbacks.js";

/**
 * The stream that the rails stand before. Leaving it calls off whatever still comes: by its signal, and by closing its
 * iterator.
 */
export class Upstream {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #config: RunnableConfig | undefined;
  readonly #controller: AbortController | undefined;
  #isDone = false;

  /**
   * @param config - what the stream was started with; its steps run where it is found
   * @param controller - of the signal that was given to the stream, where it took one
   */
  constructor(iterator: AsyncIterator<unknown>, config?: RunnableConfig, controller?: AbortController) {
    this.#iterator = iterator;
    this.#config = config;
    this.#controller = controller;
  }

  /**
   * Opens the stream of a runnable, where models that are called without a config find the quarantined one.
   *
   * @param start - starts it with a config whose signal fires when this side leaves
   */
  static async open(
    config: RunnableConfig,
    start: (config: RunnableConfig) => Promise<AsyncIterable<unknown>>,
  ): Promise<Upstream> {
    const controller = new AbortController();
    const signal =
      config.signal === undefined ? controller.signal : AbortSignal.any([config.signal, controller.signal]);
    const inner = { ...config, signal };
    const stream = await runWithConfig(inner, () => start(inner));
    return new Upstream(stream[Symbol.asyncIterator](), inner, controller);
  }

  /** @throws ModelError when nothing comes for that long */
  next(stallMs: number): Promise<IteratorResult<unknown>> {
    return new Promise((resolve, reject) => {
      const stop = startTimer(stallMs, () =>
        reject(new ModelError(`the answer stood still for ${stallMs} ms, so it was given up`)),
      );
      const settle = <Value>(then: (value: Value) => void) => {
        return (value: Value): void => {
          stop();
          then(value);
        };
      };
      this.#step().then(
        settle((result: IteratorResult<unknown>) => {
          this.#isDone = result.done === true;
          resolve(result);
        }),
        settle((error: unknown) => {
          this.#isDone = true;
          reject(error as Error);
        }),
      );
    });
  }

  async #step(): Promise<IteratorResult<unknown>> {
    const config = this.#config;
    return config === undefined ? this.#iterator.next() : runWithConfig(config, () => this.#iterator.next());
  }

  /** INVARIANT: it is not waited for: a stream that stands still would hold back the refusal. */
  leave(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    void this.#close();
  }

  async #close(): Promise<void> {
    try {
      // One more step lets the run inside see its signal and end as aborted; a closed iterator would leave it open. It is
      // taken before the abort, after which a piece that had come ahead of its reader could not be passed.
      const step = this.#controller === undefined ? undefined : this.#iterator.next();
      this.#controller?.abort(new DOMException("the answer is not read to its end", "AbortError"));
      await step;
    } catch {
      // That is how a run ends that was called off.
    }
    await this.#iterator.return?.().catch(() => undefined);
  }
}
