import { ensureConfig, raceWithSignal, Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { Cancellation, untilAborted } from "../../engine/async.js";
import { createWatch, startTimer, type Watch } from "../../engine/events.js";
import { ModelError } from "../../diagnostics/errors.js";
import { ConfiguredSteps, runWithConfig } from "../run-with-config.js";

/**
 * The stream that rails review. Leaving it cancels the chunks that still come, by its signal and by closing its iterator.
 */
export class Upstream {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #steps: ConfiguredSteps | undefined;
  readonly #cancellation: Cancellation | undefined;
  /** The chunk that was read to open the stream. */
  #first: Promise<IteratorResult<unknown>> | undefined;
  /** Ends the wait of the reader for the next chunk. */
  #resolve: ((result: IteratorResult<unknown>) => void) | undefined;
  #reject: ((reason: unknown) => void) | undefined;
  #watch: Watch | undefined;
  #isDone = false;

  /**
   * @param config - what the stream was started with; its steps run where it is found
   * @param cancellation - of the signal that was given to the stream, where it took one; released when the stream ends
   */
  constructor(iterator: AsyncIterator<unknown>, config?: RunnableConfig, cancellation?: Cancellation) {
    this.#iterator = iterator;
    this.#steps = config && new ConfiguredSteps(config);
    this.#cancellation = cancellation;
    cancellation?.onAbort(() => this.#fail(errorOf(cancellation.reason)));
  }

  /**
   * Opens the stream of a runnable, where models that are called without a config find the quarantined one.
   *
   * @param source - the runnable, and the milliseconds that its first chunk may take; 0 for any time
   * @param config - the runnable gets it with a signal that also aborts when the reader leaves
   * @param options - options of the call besides the config
   * @throws ModelError when nothing comes for `stallMs`
   */
  static async open(
    { runnable, stallMs }: { readonly runnable: Runnable; readonly stallMs: number },
    input: unknown,
    config: RunnableConfig,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<Upstream> {
    const cancellation = Cancellation.following(config.signal);
    const inner = { ...config, signal: cancellation.signal };
    const stopTimer = startTimer(stallMs, () => cancellation.abort(stalled(stallMs)));
    const starting = runWithConfig(inner, () => startStream(runnable, input, { ...options, ...inner }));
    try {
      const begun = await untilAborted(starting, cancellation);
      const upstream = new Upstream(begun.iterator, inner, cancellation);
      upstream.#first = begun.first;
      return upstream;
    } catch (error) {
      // A stream that begins although its signal has fired is closed.
      starting.then(({ iterator }) => iterator.return?.(undefined), ignore).catch(ignore);
      cancellation.release();
      throw error;
    } finally {
      stopTimer();
    }
  }

  /** @throws ModelError when nothing comes for that long */
  next(stallMs: number): Promise<IteratorResult<unknown>> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (this.#cancellation?.aborted === true) {
        this.#fail(errorOf(this.#cancellation.reason));
        return;
      }
      this.#watch ??= createWatch(stallMs, () => this.#fail(stalled(stallMs)));
      this.#watch.restart();
      this.#step().then(this.#onStep, this.#onError);
    });
  }

  // Made once and not for each of the chunks.
  readonly #onStep = (result: IteratorResult<unknown>): void => {
    if (result.done === true) this.#finish();
    else this.#watch?.pause();
    this.#resolve?.(result);
  };

  readonly #onError = (error: unknown): void => {
    this.#finish();
    this.#fail(error);
  };

  readonly #nextOfIterator = (): Promise<IteratorResult<unknown>> => this.#iterator.next();

  #step(): Promise<IteratorResult<unknown>> {
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      return first;
    }
    return this.#steps === undefined ? this.#iterator.next() : this.#steps.run(this.#nextOfIterator);
  }

  #fail(error: unknown): void {
    this.#watch?.end();
    this.#reject?.(error);
  }

  #finish(): void {
    this.#isDone = true;
    this.#watch?.end();
    this.#cancellation?.release();
  }

  /** INVARIANT: leaving does not wait: a stalled stream would hold back the refusal. */
  leave(): void {
    if (this.#isDone) return;
    this.#finish();
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
      // A cancelled run ends with an error.
    }
    await this.#iterator.return?.().catch(() => undefined);
  }
}

const ignore = (): void => undefined;

function stalled(stallMs: number): ModelError {
  return new ModelError(`the answer stood still for ${stallMs} ms, so it was cancelled`);
}

/** Begins at once, and waits until there is something to read or the runnable has failed. */
async function startStream(runnable: Runnable, input: unknown, given: Partial<RunnableConfig>) {
  if (runnable.stream !== Runnable.prototype.stream) {
    return { iterator: (await runnable.stream(input, given))[Symbol.asyncIterator]() };
  }
  // `stream` would keep the config and the signal with every step of this generator, which happens here already.
  const config = ensureConfig(given);
  const iterator = runnable._streamIterator(input, config);
  const first = iterator.next();
  try {
    await raceWithSignal(first, config.signal as AbortSignal);
  } catch (error) {
    // Ends the generator once it goes on, if its model has not seen the signal.
    void iterator.return(undefined).catch(ignore);
    throw error;
  }
  return { iterator, first };
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(typeof reason === "string" ? reason : "Aborted");
}
