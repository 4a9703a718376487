import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import { ensureConfig, Runnable } from "@langchain/core/runnables";
import { concat } from "@langchain/core/utils/stream";
import { lazily } from "../engine/async.js";
import {
  runAndClose,
  type GuardedCall,
  type GuardrailsCallOptions,
  openCall,
  Pseudonymised,
  rethrowError,
  traced,
} from "./call.js";
import type { PseudonymTable } from "../actions/pseudonym-table.js";
import { restoreValue } from "./values/restore.js";
import { type HostSource, resolveHost } from "./host.js";
import { guardDerived, streamOf } from "./models/retries-and-fallbacks.js";

const restoring = lazily(() => import("./streaming/restored-stream.js"));

type Process<Input, Output> = (value: Input, call: GuardedCall) => Promise<Output>;
type ProcessStream<Input, Output> = (chunks: AsyncGenerator<Input>, call: GuardedCall) => AsyncGenerator<Output>;

/**
 * Use of pseudonyms by a runnable: `turn` surrounds a whole turn and restores those of its call; `restore` runs after
 * the model and restores those of the thread; `keep` runs before the model and stores those it creates in the thread.
 */
export type PseudonymUse = "turn" | "restore" | "keep";

async function openPseudonyms(
  call: GuardedCall,
  use: PseudonymUse | undefined,
  followed: Pseudonymised,
): Promise<void> {
  followed.follow(call);
  if (use === "restore") await followed.read();
}

/** Reads the thread's pseudonyms with the first chunk: in a stream, earlier steps have only run by then. */
async function* withPseudonymsRead<Chunk>(
  chunks: AsyncIterable<Chunk>,
  pseudonyms: Pseudonymised,
): AsyncGenerator<Chunk> {
  let isRead = false;
  for await (const chunk of chunks) {
    if (!isRead) await pseudonyms.read();
    isRead = true;
    yield chunk;
  }
}

/**
 * A runnable of this package: one traced run, the whole input read before anything is released, errors of earlier steps
 * rethrown. Subclasses implement `process`.
 */
export abstract class GuardrailsStep<Input, Output> extends Runnable<Input, Output, GuardrailsCallOptions> {
  static override lc_name(): string {
    return "GuardrailsStep";
  }

  static {
    guardDerived(this);
  }

  override lc_serializable = false;
  override lc_namespace = ["langchain_guardrails", "steps"];
  readonly #host: HostSource;

  constructor(host: HostSource, name: string) {
    super({});
    this.#host = host;
    this.name = name;
  }

  protected abstract process(input: Input, call: GuardedCall): Promise<Output>;

  /** Buffers by default: a rail that sees a fragment decides about a fragment. */
  protected async *processStream(chunks: AsyncGenerator<Input>, call: GuardedCall): AsyncGenerator<Output> {
    yield await this.process(await joinStream(chunks), call);
  }

  override async invoke(input: Input, options?: Partial<GuardrailsCallOptions>): Promise<Output> {
    rethrowError(input);
    const use = this.#use;
    if (use === undefined) return this.runCall(input, options, (call) => this.process(input, call));
    const pseudonyms = new Pseudonymised();
    const result = await this.runCall(input, options, async (call) => {
      await openPseudonyms(call, use, pseudonyms);
      const processed = await this.process(input, call);
      if (use === "keep") await call.conversation.pseudonyms.keep();
      return processed;
    });
    return use === "keep" ? result : this.restored(result, pseudonyms.table);
  }

  /** Use of pseudonyms by this runnable; undefined for none. */
  protected get pseudonymUse(): PseudonymUse | undefined {
    return undefined;
  }

  /** Returns the result with values restored. */
  protected restored(result: Output, table: PseudonymTable | undefined): Output | Promise<Output> {
    return restoreValue(result, table);
  }

  get #use(): PseudonymUse | undefined {
    const use = this.pseudonymUse;
    if (use === undefined || typeof this.#host === "function") return undefined;
    return this.#host.runtime.hasPseudonyms ? use : undefined;
  }

  /** One traced run with one guarded call, which is always closed. */
  protected runCall<Result>(
    input: unknown,
    options: Partial<GuardrailsCallOptions> | undefined,
    work: (call: GuardedCall) => Promise<Result>,
  ): Promise<Result> {
    const run = async (_: unknown, config: Partial<GuardrailsCallOptions> = {}, manager?: CallbackManagerForChainRun) =>
      runAndClose(openCall(config, manager, await resolveHost(this.#host)), work);
    const result: Promise<unknown> = this._callWithConfig(run as never, input as Input, traced(options, this.#host));
    return result as Promise<Result>;
  }

  override async *transform(
    generator: AsyncGenerator<Input>,
    options: Partial<GuardrailsCallOptions>,
  ): AsyncGenerator<Output> {
    const use = this.#use;
    const pseudonyms = use === undefined ? undefined : new Pseudonymised();
    const chunks = this._transformStreamWithConfig(
      generator,
      (given, run, config) => this.#runStream(given, config ?? {}, run, pseudonyms),
      traced(ensureConfig(options), this.#host),
    );
    if (pseudonyms === undefined || use === "keep") yield* chunks;
    else yield* (await restoring()).restoreStream(chunks, () => pseudonyms.table);
  }

  override async *_streamIterator(input: Input, options?: Partial<GuardrailsCallOptions>): AsyncGenerator<Output> {
    rethrowError(input);
    yield* this.transform(streamOf(input), ensureConfig(options));
  }

  async *#runStream(
    chunks: AsyncGenerator<Input>,
    config: Partial<GuardrailsCallOptions>,
    run: CallbackManagerForChainRun | undefined,
    pseudonyms: Pseudonymised | undefined,
  ): AsyncGenerator<Output> {
    const call = openCall(config, run, await resolveHost(this.#host));
    try {
      const use = this.#use;
      if (pseudonyms === undefined) return yield* this.processStream(chunks, call);
      pseudonyms.follow(call);
      const known = use === "restore" ? withPseudonymsRead(chunks, pseudonyms) : chunks;
      for await (const chunk of this.processStream(known, call)) {
        // Stored before it is emitted: a step after the model reads them when the first chunk arrives.
        if (use === "keep") await call.conversation.pseudonyms.keep();
        yield chunk;
      }
    } finally {
      call.close();
    }
  }
}

/** Names of steps in serialized traces, used instead of a class; the stages of a runtime share one. */
const SERIALIZED_NAMES: ReadonlyMap<string, string> = new Map([
  ["guardrails:input", "GuardrailsInput"],
  ["guardrails:output", "GuardrailsOutput"],
  ["guardrails:retrieval", "GuardrailsRetrieval"],
  ["guardrails:branch", "GuardrailsBranch"],
]);

/** Steps around a model of the application: they share only the thread. */
const PSEUDONYM_USES: ReadonlyMap<string, PseudonymUse> = new Map([
  ["guardrails:input", "keep"],
  ["guardrails:retrieval", "keep"],
  ["guardrails:output", "restore"],
]);

/** A step built from functions. */
export class FunctionStep<Input, Output> extends GuardrailsStep<Input, Output> {
  readonly #serializedName: string;
  readonly #process: Process<Input, Output>;
  readonly #stream: ProcessStream<Input, Output> | undefined;

  constructor(host: HostSource, name: string, process: Process<Input, Output>, stream?: ProcessStream<Input, Output>) {
    super(host, name);
    this.#serializedName = SERIALIZED_NAMES.get(name) ?? "RuntimeStep";
    this.#process = process;
    this.#stream = stream;
  }

  override get lc_id(): string[] {
    return [...this.lc_namespace, this.#serializedName];
  }

  protected override get pseudonymUse(): PseudonymUse | undefined {
    return PSEUDONYM_USES.get(this.name ?? "");
  }

  protected override process(value: Input, call: GuardedCall): Promise<Output> {
    return this.#process(value, call);
  }

  protected override processStream(chunks: AsyncGenerator<Input>, call: GuardedCall) {
    return this.#stream?.(chunks, call) ?? super.processStream(chunks, call);
  }
}

/** The whole input of a stream: prompts and documents arrive whole; text, messages and objects are concatenated. */
export async function joinStream<Input>(chunks: AsyncIterable<Input>): Promise<Input> {
  let whole: unknown;
  for await (const chunk of chunks) whole = whole === undefined ? chunk : concat(whole as never, chunk as never);
  rethrowError(whole);
  return whole as Input;
}
