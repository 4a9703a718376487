import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import { ensureConfig } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";
import { closing, type GuardedCall, type GuardrailsCallOptions, openCall, traced } from "./call.js";
import { type Host, type HostSource, resolveHost } from "./host.js";
import { GuardedBase } from "./models/retries-and-fallbacks.js";

/**
 * A runnable of ours: one traced run, the whole input read before anything leaves, errors of earlier steps handed on.
 * Subclasses say what happens in `process`.
 */
export abstract class GuardrailsStep<Input, Output> extends GuardedBase<Input, Output, GuardrailsCallOptions> {
  static override lc_name(): string {
    return "GuardrailsStep";
  }

  override lc_serializable = false;
  override lc_namespace = ["langchain_guardrails", "steps"];
  readonly #host: HostSource;

  constructor(host: HostSource, name: string) {
    super({});
    this.#host = host;
    this.name = name;
  }

  protected abstract process(input: Input, call: GuardedCall, host: Host): Promise<Output>;

  /** Buffered unless a step says otherwise: a rail that sees a fragment decides about a fragment. */
  protected async *processStream(chunks: AsyncGenerator<Input>, call: GuardedCall, host: Host): AsyncGenerator<Output> {
    yield await this.process(await joinStream(chunks), call, host);
  }

  override async invoke(input: Input, options?: Partial<GuardrailsCallOptions>): Promise<Output> {
    rethrowError(input);
    return this._callWithConfig(
      (value: Input, config?: Partial<GuardrailsCallOptions>, run?: CallbackManagerForChainRun) =>
        this.#run(value, config ?? {}, run),
      input,
      traced(options, this.#host),
    );
  }

  override async *transform(
    generator: AsyncGenerator<Input>,
    options: Partial<GuardrailsCallOptions>,
  ): AsyncGenerator<Output> {
    yield* this._transformStreamWithConfig(
      generator,
      (chunks, run, config) => this.#runStream(chunks, config ?? {}, run),
      traced(ensureConfig(options), this.#host),
    );
  }

  override async *_streamIterator(input: Input, options?: Partial<GuardrailsCallOptions>): AsyncGenerator<Output> {
    rethrowError(input);
    yield* this.transform(one(input), ensureConfig(options));
  }

  async *#runStream(
    chunks: AsyncGenerator<Input>,
    config: Partial<GuardrailsCallOptions>,
    run: CallbackManagerForChainRun | undefined,
  ): AsyncGenerator<Output> {
    const host = await resolveHost(this.#host);
    const call = openCall(config, run, host);
    try {
      yield* this.processStream(chunks, call, host);
    } finally {
      call.close();
    }
  }

  async #run(
    input: Input,
    config: Partial<GuardrailsCallOptions>,
    run: CallbackManagerForChainRun | undefined,
  ): Promise<Output> {
    const host = await resolveHost(this.#host);
    return closing(openCall(config, run, host), (call) => this.process(input, call, host));
  }
}

/** Throws an error that is the input: a batch with `returnExceptions` passes the errors of one step to the next. */
export function rethrowError(input: unknown): void {
  if (input instanceof Error) throw input;
}

/** The whole input of a stream. */
export async function joinStream<Input>(chunks: AsyncIterable<Input>): Promise<Input> {
  let whole: Input | undefined;
  for await (const chunk of chunks) whole = whole === undefined ? (chunk as Input) : joinChunks(whole, chunk as Input);
  rethrowError(whole);
  return whole as Input;
}

/** Streams of prompts and documents give the whole value again; text, messages and objects add up. */
function joinChunks<Input>(whole: Input, chunk: Input): Input {
  return concat(whole as never, chunk as never) as Input;
}

async function* one<Input>(input: Input): AsyncGenerator<Input> {
  yield input;
}
