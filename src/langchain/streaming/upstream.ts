import { ensureConfig, raceWithSignal, Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { Cancellation, untilAborted } from "../../engine/async.js";
import { createWatch, startTimer, type Watch } from "../../engine/events.js";
import { ModelError } from "../../diagnostics/errors.js";
import { ConfiguredSteps, runWithConfig } from "../run-with-config.js";

/** The stream under review. Leaving it cancels the remaining chunks, by its signal and by closing its iterator. */
export class Upstream {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #steps: ConfiguredSteps | undefined;
  readonly #cancellation: Cancellation | undefined;
  /** The chunk read when the stream was opened. */
  #first: Promise<IteratorResult<unknown>> | undefined;
  /** Resolves the reader's wait for the next chunk. */
  #resolve: ((result: IteratorResult<unknown>) => void) | undefined;
  #reject: ((reason: unknown) => void) | undefined;
  #watch: Watch | undefined;
  #isDone = false;

  /**
   * @param config - config that started the stream; its steps run with it
   * @param cancellation - of the signal given to the stream, if any; released when the stream ends
   */
  constructor(iterator: AsyncIterator<unknown>, config?: RunnableConfig, cancellation?: Cancellation) {
    this.#iterator = iterator;
    this.#steps = config && new ConfiguredSteps(config);
    this.#cancellation = cancellation;
    cancellation?.onAbort(() => this.#fail(errorOf(cancellation.reason)));
  }

  /**
   * Opens the stream of a runnable. Models called in it without a config find the quarantined one.
   *
   * @param source - the runnable, and the limit for its first chunk in milliseconds; 0 for no limit
   * @param config - passed to the runnable with a signal that also aborts when the reader leaves
   * @param options - call options besides the config
   * @throws ModelError if no chunk arrives for `stallMs`
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
      const started = await untilAborted(starting, cancellation);
      const upstream = new Upstream(started.iterator, inner, cancellation);
      upstream.#first = started.first;
      return upstream;
    } catch (error) {
      // Closes a stream that starts after its signal has fired.
      starting.then(({ iterator }) => iterator.return?.(undefined), ignore).catch(ignore);
      cancellation.release();
      throw error;
    } finally {
      stopTimer();
    }
  }

  /** @throws ModelError if no chunk arrives for that long */
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

  // Created once rather than per chunk.
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

  /** INVARIANT: leaving does not wait, since a stalled stream would delay the refusal. */
  leave(): void {
    if (this.#isDone) return;
    this.#finish();
    void this.#close();
  }

  async #close(): Promise<void> {
    try {
      // One more step lets the inner run see its signal and end as aborted; a closed iterator would leave it open. It
      // is taken before the abort, after which a chunk read ahead could not be passed.
      const step = this.#cancellation === undefined ? undefined : this.#iterator.next();
      this.#cancellation?.abort(new DOMException("the reader left before the end of the answer", "AbortError"));
      await step;
    } catch {
      // A cancelled run ends with an error.
    }
    await this.#iterator.return?.().catch(() => undefined);
  }
}

const ignore = (): void => undefined;

function stalled(stallMs: number): ModelError {
  return new ModelError(`no chunk of the answer arrived for ${stallMs} ms, so it was cancelled`);
}

/** Starts the stream and waits until there is something to read or the runnable has failed. */
async function startStream(runnable: Runnable, input: unknown, given: Partial<RunnableConfig>) {
  if (runnable.stream !== Runnable.prototype.stream) {
    return { iterator: (await runnable.stream(input, given))[Symbol.asyncIterator]() };
  }
  // LangChain's `stream` would bind config and signal to every step of this generator again.
  const config = ensureConfig(given);
  const iterator = runnable._streamIterator(input, config);
  const first = iterator.next();
  try {
    await raceWithSignal(first, config.signal as AbortSignal);
  } catch (error) {
    // Closes the generator once it resumes, if its model has not seen the signal.
    void iterator.return(undefined).catch(ignore);
    throw error;
  }
  return { iterator, first };
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(typeof reason === "string" ? reason : "Aborted");
}
