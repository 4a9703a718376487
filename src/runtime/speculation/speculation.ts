import type { CallAccess, Generator, GeneratorRequest, RequestKey } from "../../turn/response.js";
import type { LanguageModel, ModelPiece } from "../../llm/model.js";
import { type Cancellation, untilAborted } from "../../engine/async.js";
import { SharedPieces } from "./shared-pieces.js";

/**
 * Speculative calls of a turn, made while its input rails still run.
 *
 * INVARIANT: a call is taken over only by an identical request, so speculation never changes the result of a turn. All
 * other calls are cancelled: at a block, at the first different request, or with the turn.
 */
export class Speculation {
  readonly #calls: StartedCalls;
  readonly #lookups: StartedCalls;
  readonly #speculative: Cancellation;

  constructor(turn: Cancellation) {
    this.#calls = new StartedCalls(turn);
    this.#lookups = new StartedCalls(turn);
    this.#speculative = turn.child();
  }

  /** Aborts with the verdict, so that the speculative run does not continue next to the committed one. */
  get signal(): AbortSignal {
    return this.#speculative.signal;
  }

  /** For the speculative run. */
  get speculative(): CallAccess {
    const calls = this.#calls;
    return {
      isSpeculative: true,
      model: (model) => ({
        ...describeModel(model),
        generate: (prompt, parameters, scope) => {
          const start = (signal: AbortSignal) => model.generate(prompt, parameters, { ...scope, signal });
          return untilAborted(calls.begin(["generate", model, prompt, parameters], start), scope.signal);
        },
        ...streamOf(model, (stream, prompt, parameters, scope) => {
          const start = (signal: AbortSignal) =>
            new SharedPieces(stream(prompt, parameters, { ...scope, signal }), signal);
          return calls.begin(["stream", model, prompt, parameters], start).read(scope.signal);
        }),
      }),
      generate: (generator, request) => {
        const { begin } = generator;
        const { review, ...asked } = request;
        const early = { ...asked, streams: review !== undefined };
        const start = (signal: AbortSignal): unknown => {
          return begin?.({ ...early, config: { ...request.config, signal }, signal });
        };
        if (begin !== undefined) calls.begin(requestKey(generator, request), start);
        // After a response come the output rails, which wait for the verdict anyway.
        return untilAborted(new Promise<never>(() => undefined), request.signal);
      },
      lookup: (key, signal, search) => untilAborted(this.#lookups.begin(key, search), signal),
      close: () => undefined,
    };
  }

  /** For the committed run. */
  get committed(): CallAccess {
    return {
      isSpeculative: false,
      model: (model) => ({
        ...describeModel(model),
        generate: (prompt, parameters, scope) => {
          const started = this.#take<Promise<never>>(["generate", model, prompt, parameters], scope.signal);
          if (started === undefined) return model.generate(prompt, parameters, scope);
          return untilAborted(started.value, scope.signal);
        },
        ...streamOf(model, (stream, prompt, parameters, scope) => {
          const key = ["stream", model, prompt, parameters];
          const started = this.#take<SharedPieces<ModelPiece>>(key, scope.signal);
          return started === undefined ? stream(prompt, parameters, scope) : started.value.readToEnd(scope.signal);
        }),
      }),
      generate: (generator, request) => {
        const started = this.#take<unknown>(requestKey(generator, request), request.signal);
        return generator(started === undefined ? request : { ...request, started: started.value });
      },
      lookup: (key, signal, search) =>
        this.#lookups.take<ReturnType<typeof search>>(key, signal)?.value ?? search(signal),
      close: () => this.#close(),
    };
  }

  /** The rails passed the text: no new calls are started, and started ones wait to be taken over. */
  finish(): void {
    this.#speculative.abort(new DOMException("the input rails have decided", "AbortError"));
    this.#speculative.release();
  }

  /** Cancels all calls that were not taken over. */
  discard(): void {
    this.finish();
    this.#calls.discard();
    this.#lookups.discard();
  }

  #close(): void {
    this.finish();
    this.#calls.close();
    this.#lookups.close();
  }

  /** Takes over a call; a different request discards all others, since the turn has left the predicted path. */
  #take<Value>(key: RequestKey, signal: AbortSignal | undefined): { readonly value: Value } | undefined {
    const started = this.#calls.take<Value>(key, signal);
    if (started === undefined) this.#calls.discard();
    return started;
  }
}

function describeModel(model: LanguageModel): Omit<LanguageModel, "generate" | "stream"> {
  const { engine, name, family, native } = model;
  const count = model.countTokens?.bind(model);
  return { engine, name, family, native, ...(count === undefined ? {} : { countTokens: count }) };
}

type Stream = NonNullable<LanguageModel["stream"]>;

/** A model that cannot stream stays without `stream`. */
function streamOf(
  model: LanguageModel,
  wrapped: (stream: Stream, ...request: Parameters<Stream>) => AsyncIterable<ModelPiece>,
): Pick<LanguageModel, "stream"> {
  if (model.stream === undefined) return {};
  const stream = model.stream.bind(model);
  return { stream: (...request) => wrapped(stream, ...request) };
}

/** Key of the request for a response. */
function requestKey(generator: Generator, { userMessages, userMessage, llmParams }: GeneratorRequest): RequestKey {
  return ["answer", generator, userMessages ?? [userMessage], llmParams];
}

interface StartedCall {
  readonly key: RequestKey;
  readonly value: unknown;
  readonly cancellation: Cancellation;
}

/** Speculative calls, until an identical request takes one over or it is cancelled. */
class StartedCalls {
  readonly #turn: Cancellation;
  #started: StartedCall[] = [];
  readonly #taken: Cancellation[] = [];

  /** @param turn - cancellation that ends all started calls */
  constructor(turn: Cancellation) {
    this.#turn = turn;
  }

  begin<Value>(key: RequestKey, start: (signal: AbortSignal) => Value): Value {
    const cancellation = this.#turn.child();
    const value = start(cancellation.signal);
    // INVARIANT: an unused speculative call never surfaces: its rejection is handled.
    if (value instanceof Promise) value.catch(() => undefined);
    this.#started.push({ key, value, cancellation });
    return value;
  }

  /** Returns the call started for an identical request; from now on the signal cancels it too. */
  take<Value>(key: RequestKey, signal: AbortSignal | undefined): { readonly value: Value } | undefined {
    const at = this.#started.findIndex((started) => isSameRequest(started.key, key));
    const [started] = at < 0 ? [] : this.#started.splice(at, 1);
    if (started === undefined) return undefined;
    started.cancellation.follow(signal);
    this.#taken.push(started.cancellation);
    return { value: started.value as Value };
  }

  /** Cancels the calls that were not taken over. */
  discard(): void {
    const started = this.#started;
    this.#started = [];
    for (const { cancellation } of started) {
      cancellation.abort(new DOMException("the speculative call is not needed", "AbortError"));
    }
  }

  /** Cancels the remaining calls and detaches the signals of taken ones, since the turn is over. */
  close(): void {
    this.discard();
    for (const cancellation of this.#taken.splice(0)) cancellation.release();
  }
}

/**
 * Returns true for equal requests. Plain data is compared by value; anything else, such as messages and functions, by
 * identity.
 */
function isSameRequest(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSameRequest(item, right[index]));
  }
  if (!isPlain(left) || !isPlain(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSameRequest(left[key], right[key]))
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
