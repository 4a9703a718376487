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

type Run = CallbackManagerForChainRun | undefined;
type Derive = "withConfig" | "withRetry" | "withFallbacks";

/** Methods of guarded runnables: a block ends retries, starts no fallback, and keeps its error type in both. */
const DERIVED: Pick<Runnable, Derive> & ThisType<Runnable> = {
  withConfig(config) {
    return new GuardedBinding({ bound: this, config, kwargs: {} });
  },
  withRetry({ stopAfterAttempt, ...options } = {}) {
    const attempts = stopAfterAttempt === undefined ? {} : { maxAttemptNumber: stopAfterAttempt };
    return new GuardedRetry({ bound: this, kwargs: {}, config: {}, ...attempts, ...options });
  },
  withFallbacks(fallbacks) {
    return new GuardedFallbacks({
      runnable: this,
      fallbacks: Array.isArray(fallbacks) ? fallbacks : fallbacks.fallbacks,
    });
  },
};

/** Adds these methods to a class of runnables, for its `static` block. A binding keeps its own `withConfig`. */
export function guardDerived(runnableClass: { readonly prototype: object }): void {
  const names: readonly Derive[] = ["withRetry", "withFallbacks"];
  for (const name of runnableClass.prototype instanceof RunnableBinding ? names : (["withConfig", ...names] as const)) {
    Object.defineProperty(runnableClass.prototype, name, { value: DERIVED[name], writable: true, configurable: true });
  }
}

/** A stream of one value. */
export async function* streamOf<Input>(input: Input): AsyncGenerator<Input> {
  yield input;
}

class GuardedBinding<Input, Output, Options extends RunnableConfig> extends RunnableBinding<Input, Output, Options> {
  static {
    guardDerived(this);
  }
}

/** LangChain's agents wrap errors of their middleware and keep them as `cause`. */
function isBlock(error: unknown): boolean {
  const seen = new Set<unknown>();
  for (let cause = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    if (GuardrailViolationError.isInstance(cause)) return true;
    seen.add(cause);
  }
  return false;
}

class GuardedRetry<Input, Output, Options extends RunnableConfig> extends RunnableRetry<Input, Output, Options> {
  static {
    guardDerived(this);
  }

  constructor(fields: ConstructorParameters<typeof RunnableRetry<Input, Output, Options>>[0]) {
    const { onFailedAttempt } = fields;
    super({
      ...fields,
      onFailedAttempt: async (error, input) => {
        // LangChain awaits the handler, although its type is synchronous.
        await (onFailedAttempt?.(error, input) as unknown);
        if (isBlock(error) || getRetryable(error as Error) === false) throw error;
      },
    });
  }

  /** LangChain's handler ignores the signal of its call, which also ends the retries. */
  protected override _invoke(input: Input, config?: Partial<Options>, run?: Run): Promise<Output> {
    const handle = this.onFailedAttempt;
    const onFailedAttempt = async (error: Error, given: Input): Promise<void> => {
      await (handle(error, given) as unknown);
      if (config?.signal?.aborted === true) throw error;
    };
    const retrying = Object.create(this, { onFailedAttempt: { value: onFailedAttempt } }) as this;
    return super._invoke.call(retrying, input, config, run) as Promise<Output>;
  }

  /** Retries each input separately. LangChain reruns blocked inputs while any other input fails. */
  override batch(...args: Parameters<Runnable<Input, Output, Options>["batch"]>): Promise<never[]> {
    return Runnable.prototype.batch.apply(this, args as never) as Promise<never[]>;
  }
}

class GuardedFallbacks<Input, Output> extends RunnableWithFallbacks<Input, Output> {
  static {
    guardDerived(this);
  }

  override invoke(input: Input, options?: Partial<RunnableConfig>): Promise<Output> {
    return this._callWithConfig(
      (value: Input, config?: Partial<RunnableConfig>, run?: Run) =>
        this.#firstOf(config, run, (runnable, child) => runnable.invoke(value, child)),
      input,
      options,
    );
  }

  override async *_streamIterator(input: Input, options?: Partial<RunnableConfig>): AsyncGenerator<Output> {
    yield* this._transformStreamWithConfig(
      streamOf(input),
      (inputs, run, config) => this.#stream(inputs, config, run),
      ensureConfig(options),
    );
  }

  /** Handles each input separately. LangChain sends all of them to the fallback when one fails. */
  override batch(...args: Parameters<Runnable<Input, Output>["batch"]>): Promise<never[]> {
    return Runnable.prototype.batch.apply(this, args as never) as Promise<never[]>;
  }

  async *#stream(inputs: AsyncIterable<Input>, config: Partial<RunnableConfig> | undefined, run: Run) {
    for await (const input of inputs)
      yield* await this.#firstOf(config, run, (runnable, child) => runnable.stream(input, child));
  }

  /** Returns the result of the first runnable that succeeds. */
  async #firstOf<Result>(
    config: Partial<RunnableConfig> | undefined,
    run: Run,
    call: (runnable: Runnable<Input, Output>, child: Partial<RunnableConfig>) => Promise<Result>,
  ): Promise<Result> {
    const errors: unknown[] = [];
    for (const runnable of this.runnables()) {
      config?.signal?.throwIfAborted();
      try {
        const child = run === undefined ? { ...config } : patchConfig(config, { callbacks: run.getChild() });
        return await call(runnable, child);
      } catch (error) {
        if (isBlock(error)) throw error;
        errors.push(error);
      }
    }
    throw errors[0];
  }
}
