import { getRetryable } from "@langchain/core/errors";
import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import {
  ensureConfig,
  patchConfig,
  Runnable,
  RunnableBinding,
  type RunnableConfig,
  RunnableRetry,
  RunnableWithFallbacks,
} from "@langchain/core/runnables";
import { GuardrailViolationError } from "../blocked.js";

/** Options of `withRetry`, as LangChain defines them. */
export type RetryOptions = NonNullable<Parameters<Runnable["withRetry"]>[0]>;

/** Argument of `withFallbacks`, as LangChain defines it. */
export type Fallbacks<Input, Output> = Parameters<Runnable<Input, Output>["withFallbacks"]>[0];

/** Retries a guarded runnable; a block, and every other error that is marked as not retryable, ends it at once. */
export function retryGuarded<Input, Output, Options extends RunnableConfig>(
  bound: Runnable<Input, Output, Options>,
  { stopAfterAttempt, ...options }: RetryOptions = {},
): RunnableRetry<Input, Output, Options> {
  return new GuardedRetry<Input, Output, Options>({
    bound,
    kwargs: {},
    config: {},
    ...(stopAfterAttempt === undefined ? {} : { maxAttemptNumber: stopAfterAttempt }),
    ...options,
  });
}

/** A guarded runnable with fallbacks for its failures; a block is a decision and starts no fallback. */
export function fallBackGuarded<Input, Output, Options extends RunnableConfig>(
  guarded: Runnable<Input, Output, Options>,
  given: Fallbacks<Input, Output>,
): RunnableWithFallbacks<Input, Output> {
  // LangChain's own signature drops the call options here.
  const runnable = guarded as unknown as Runnable<Input, Output>;
  return new GuardedFallbacks({ runnable, fallbacks: Array.isArray(given) ? given : given.fallbacks });
}

/** A guarded runnable with a config of its own, whose retries and fallbacks treat a block alike. */
export function bindGuarded<Input, Output, Options extends RunnableConfig>(
  bound: Runnable<Input, Output, Options>,
  config: Partial<Options>,
): Runnable<Input, Output, Options> {
  return new GuardedBinding<Input, Output, Options>({ bound, config: config as RunnableConfig, kwargs: {} });
}

/** Base of guarded runnables: a block ends retries, starts no fallback, and keeps its type behind both. */
export abstract class GuardedBase<Input, Output, Options extends RunnableConfig> extends Runnable<
  Input,
  Output,
  Options
> {
  override withConfig(config: Partial<Options>): Runnable<Input, Output, Options> {
    return bindGuarded<Input, Output, Options>(this, config);
  }

  override withRetry(options?: RetryOptions): RunnableRetry<Input, Output, Options> {
    return retryGuarded<Input, Output, Options>(this, options);
  }

  override withFallbacks(fallbacks: Fallbacks<Input, Output>): RunnableWithFallbacks<Input, Output> {
    return fallBackGuarded(this, fallbacks);
  }
}

class GuardedBinding<Input, Output, Options extends RunnableConfig> extends RunnableBinding<Input, Output, Options> {
  override withRetry(options?: RetryOptions): RunnableRetry<Input, Output, Options> {
    return retryGuarded<Input, Output, Options>(this, options);
  }

  override withFallbacks(fallbacks: Fallbacks<Input, Output>): RunnableWithFallbacks<Input, Output> {
    return fallBackGuarded(this, fallbacks);
  }
}

/** Agents of LangChain wrap the errors of their middleware, and keep them as `cause`. */
function isBlock(error: unknown): boolean {
  const seen = new Set<unknown>();
  for (let each = error; each instanceof Error && !seen.has(each); each = each.cause) {
    if (GuardrailViolationError.isInstance(each)) return true;
    seen.add(each);
  }
  return false;
}

type Run = CallbackManagerForChainRun | undefined;

class GuardedRetry<Input, Output, Options extends RunnableConfig> extends RunnableRetry<Input, Output, Options> {
  constructor(fields: ConstructorParameters<typeof RunnableRetry<Input, Output, Options>>[0]) {
    const { onFailedAttempt } = fields;
    super({
      ...fields,
      onFailedAttempt: async (error, input) => {
        // LangChain awaits the handler although its type is synchronous.
        await (onFailedAttempt?.(error, input) as unknown);
        if (isBlock(error) || getRetryable(error as Error) === false) throw error;
      },
    });
  }

  /** LangChain's handler does not see the signal of its call, which ends the retries, too. */
  protected override _invoke(input: Input, config?: Partial<Options>, run?: Run): Promise<Output> {
    const handle = this.onFailedAttempt;
    const onFailedAttempt = async (error: Error, given: Input): Promise<void> => {
      await (handle(error, given) as unknown);
      if (config?.signal?.aborted === true) throw error;
    };
    const own = Object.create(this, { onFailedAttempt: { value: onFailedAttempt } }) as this;
    return super._invoke.call(own, input, config, run) as Promise<Output>;
  }

  /** Retries each input by itself. LangChain runs the blocked ones again as long as another one fails. */
  override batch(...args: Parameters<Runnable<Input, Output, Options>["batch"]>): Promise<never[]> {
    return Runnable.prototype.batch.apply(this, args as never) as Promise<never[]>;
  }

  override withRetry(options?: RetryOptions): RunnableRetry<Input, Output, Options> {
    return retryGuarded<Input, Output, Options>(this, options);
  }

  override withFallbacks(fallbacks: Fallbacks<Input, Output>): RunnableWithFallbacks<Input, Output> {
    return fallBackGuarded(this, fallbacks);
  }
}

class GuardedFallbacks<Input, Output> extends RunnableWithFallbacks<Input, Output> {
  override invoke(input: Input, options?: Partial<RunnableConfig>): Promise<Output> {
    return this._callWithConfig(
      (value: Input, config?: Partial<RunnableConfig>, run?: Run) =>
        this.#firstOf(config, run, (runnable, child) => runnable.invoke(value, child)),
      input,
      options,
    );
  }

  override async *_streamIterator(input: Input, options?: Partial<RunnableConfig>): AsyncGenerator<Output> {
    async function* one(): AsyncGenerator<Input> {
      yield input;
    }
    yield* this._transformStreamWithConfig(
      one(),
      (inputs, run, config) => this.#stream(inputs, config, run),
      ensureConfig(options),
    );
  }

  /** Takes each input by itself. LangChain sends all of them to the fallback when one fails. */
  override batch(...args: Parameters<Runnable<Input, Output>["batch"]>): Promise<never[]> {
    return Runnable.prototype.batch.apply(this, args as never) as Promise<never[]>;
  }

  override withRetry(options?: RetryOptions): RunnableRetry<Input, Output> {
    return retryGuarded<Input, Output, RunnableConfig>(this, options);
  }

  override withFallbacks(fallbacks: Fallbacks<Input, Output>): RunnableWithFallbacks<Input, Output> {
    return fallBackGuarded(this, fallbacks);
  }

  async *#stream(
    inputs: AsyncIterable<Input>,
    config: Partial<RunnableConfig> | undefined,
    run: Run,
  ): AsyncGenerator<Output> {
    for await (const input of inputs)
      yield* await this.#firstOf(config, run, (runnable, child) => runnable.stream(input, child));
  }

  /** Result of the first runnable that does not fail. */
  async #firstOf<Result>(
    config: Partial<RunnableConfig> | undefined,
    run: Run,
    call: (runnable: Runnable<Input, Output>, child: Partial<RunnableConfig>) => Promise<Result>,
  ): Promise<Result> {
    const errors: unknown[] = [];
    for (const runnable of this.runnables()) {
      config?.signal?.throwIfAborted();
      try {
        return await call(
          runnable,
          run === undefined ? { ...config } : patchConfig(config, { callbacks: run.getChild() }),
        );
      } catch (error) {
        if (isBlock(error)) throw error;
        errors.push(error);
      }
    }
    throw errors[0];
  }
}
