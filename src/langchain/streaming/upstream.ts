import { ensureConfig, raceWithSignal, Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { Cancellation } from "../../engine/cancellation.js";
import { createWatch, type Watch } from "../../actions/timer.js";
import { ModelError } from "../../diagnostics/errors.js";
import { runWithConfig } from "../callbacks.js";

/** Whoever waits for the next chunk. */
interface Reader {
  readonly resolve: (result: IteratorResult<unknown>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The stream that the rails stand before. Leaving it calls off whatever still comes: by its signal, and by closing its
 * iterator.
 */
export class Upstream {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #config: RunnableConfig | undefined;
  readonly #cancellation: Cancellation | undefined;
  /** What was read of the stream to open it. */
  #first: Promise<IteratorResult<unknown>> | undefined;
  #reader: Reader | undefined;
  #watch: Watch | undefined;
  #isDone = false;

  /**
   * @param config - what the stream was started with; its steps run where it is found
   * @param cancellation - of the signal that was given to the stream, where it took one; released when the stream ends
   */
  constructor(iterator: AsyncIterator<unknown>, config?: RunnableConfig, cancellation?: Cancellation) {
    this.#iterator = iterator;
    this.#config = config;
    this.#cancellation = cancellation;
    cancellation?.onAbort(() => this.#fail(errorOf(cancellation.reason)));
  }

  /**
   * Opens the stream of a runnable, where models that are called without a config find the quarantined one.
   *
   * @param options - what the runnable is given besides; it gets the config with a signal that fires when this side leaves
   */
  static async open(
    runnable: Runnable,
    input: unknown,
    config: RunnableConfig,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<Upstream> {
    const cancellation = Cancellation.following(config.signal);
    const inner = { ...config, signal: cancellation.signal };
    try {
      const begun = await runWithConfig(inner, () => startStream(runnable, input, { ...options, ...inner }));
      const upstream = new Upstream(begun.iterator, inner, cancellation);
      upstream.#first = begun.first;
      return upstream;
    } catch (error) {
      cancellation.release();
      throw error;
    }
  }

  /** @throws ModelError when nothing comes for that long */
  next(stallMs: number): Promise<IteratorResult<unknown>> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      if (this.#cancellation?.aborted === true) {
        this.#fail(errorOf(this.#cancellation.reason));
        return;
      }
      this.#watch ??= createWatch(stallMs, () =>
        this.#fail(new ModelError(`the answer stood still for ${stallMs} ms, so it was given up`)),
      );
      this.#watch.restart();
      this.#step().then(this.#give, this.#end);
    });
  }

  #step(): Promise<IteratorResult<unknown>> {
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      return first;
    }
    const config = this.#config;
    return config === undefined ? this.#iterator.next() : runWithConfig(config, () => this.#iterator.next());
  }

  readonly #give = (result: IteratorResult<unknown>): void => {
    const reader = this.#reader;
    this.#reader = undefined;
    if (result.done === true) this.#settle();
    else this.#watch?.pause();
    reader?.resolve(result);
  };

  readonly #end = (error: unknown): void => {
    this.#settle();
    this.#fail(error);
  };

  #fail(error: unknown): void {
    this.#watch?.end();
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.reject(error);
  }

  #settle(): void {
    this.#isDone = true;
    this.#watch?.end();
    this.#cancellation?.release();
  }

  /** INVARIANT: it is not waited for: a stream that stands still would hold back the refusal. */
  leave(): void {
    if (this.#isDone) return;
    this.#settle();
    void this.#close();
  }

  async #close(): Promise<void> {
    try {
      // One more step lets the run inside see its signal and end as aborted; a closed iterator would leave it open. It is
      // taken before the abort, after which a piece that had come ahead of its reader could not be passed.
      const step = this.#cancellation === undefined ? undefined : this.#iterator.next();
      this.#cancellation?.abort(new DOMException("the answer is not read to its end", "AbortError"));
      await step;
    } catch {
      // That is how a run ends that was called off.
    }
    await this.#iterator.return?.().catch(() => undefined);
  }
}

interface Begun {
  readonly iterator: AsyncIterator<unknown>;
  readonly first?: Promise<IteratorResult<unknown>>;
}

/** Begins at once, and waits until there is something to read or the runnable has failed. */
async function startStream(runnable: Runnable, input: unknown, given: Partial<RunnableConfig>): Promise<Begun> {
  if (runnable.stream !== Runnable.prototype.stream) {
    return { iterator: (await runnable.stream(input, given))[Symbol.asyncIterator]() };
  }
  // What `stream` puts around this generator keeps the config and the signal with every step, which is done here already.
  const config = ensureConfig(given);
  const iterator = runnable._streamIterator(input, config);
  const first = iterator.next();
  await raceWithSignal(first, config.signal as AbortSignal);
  return { iterator, first };
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(typeof reason === "string" ? reason : "Aborted");
}
