import { type AbortSource, Cancellation } from "../../engine/async.js";
import type { Clock } from "../../engine/events.js";
import { type Span, streamWithin } from "../../engine/span.js";
import { type ModelCall, modelFailure, openModelSpan, recordCall } from "./call-model.js";
import type { ModelCallScope, ModelParameters, ModelPiece, ModelPrompt } from "../model.js";
import { StopGate } from "../parsers/gradual/gradual-text.js";

/** Far more than any reply; an endless one is cancelled here. */
const MAX_LENGTH = 100_000;
const MAX_PIECES = 200_000;

/** Shared reason of all such cancellations: creating an error with a stack costs more than cancelling. */
let notNeeded: DOMException | undefined;

/** Readers are called when a line is complete, or when the text has grown by this much. */
const GROWTH = 1_000;

/**
 * A read costs time linear in the text: after this many, the text must grow by a fraction of itself before the next.
 */
const EAGER_READS = 400;
const GROWN_PART = 16;

export interface RunningCallInput {
  readonly request: ModelCall;
  readonly prompt: ModelPrompt;
  readonly parameters: ModelParameters;
  readonly clock: Clock;
  /** False for a call whose pieces are useless before its end. */
  readonly streaming: boolean;
  /**
   * True for a reader that forwards pieces: they are kept for `piece`, and the model is pulled only when a reader
   * waits.
   */
  readonly byPieces?: boolean | undefined;
  /** True if the reader, rather than this call, ends a long reply. */
  readonly endless?: boolean | undefined;
}

/**
 * A model call whose completion is read while it streams, and which can be cancelled once the rest is not needed.
 * INVARIANT: an unread call never surfaces: a failure only reaches readers, and is dropped without any.
 */
export class RunningCall {
  readonly #input: RunningCallInput;
  readonly #startedAt: number;
  readonly #span: Span | undefined;
  /** Cancels the model call; follows the caller's signal. */
  readonly #cancellation: Cancellation;
  readonly #gate: StopGate;
  readonly #pieces: string[] = [];
  /** Continuations waiting for a line or the end, and for the next piece. */
  readonly #readers: (() => void)[] = [];
  readonly #listeners: (() => void)[] = [];
  #demand: (() => void) | undefined;
  #text = "";
  #seen = 0;
  #reads = 0;
  #pieceCount = 0;
  #usage: ModelPiece["usage"];
  #modelName: string | undefined;
  /** The last piece with a message. */
  #messagePiece: ModelPiece | undefined;
  #over = false;
  #mayEnd = false;
  #wasOfUse = false;
  #failure: { readonly error: unknown } | undefined;

  /** @throws LimitError if the turn has used up its calls; the signal's reason if it is already aborted */
  constructor(input: RunningCallInput) {
    this.#input = input;
    this.#throwIfAborted();
    input.request.scope.beforeCall?.();
    this.#gate = new StopGate(input.parameters.stop);
    this.#startedAt = input.clock.now();
    this.#span = openModelSpan(input.request, input.prompt, input.parameters);
    this.#cancellation = Cancellation.following(this.#caller);
    this.#cancellation.onAbort(() => this.#fail(this.#cancellation.reason));
    void this.#pump();
  }

  get #caller(): AbortSource | undefined {
    const { cancellation, signal } = this.#input.request.scope;
    return cancellation ?? signal;
  }

  #throwIfAborted(): void {
    const caller = this.#caller;
    if (caller?.aborted === true) throw caller.reason as Error;
  }

  /**
   * Resolves to the first result of `find` other than undefined. It is called with the text so far and, at the end,
   * once more with the whole completion.
   *
   * @throws ModelError if the call failed before that; the signal's reason on abort
   */
  async read<Found>(find: (text: string, isWhole: boolean) => Found | undefined): Promise<Found | undefined> {
    for (;;) {
      this.#throwIfAborted();
      const isWhole = this.#over && this.#failure === undefined;
      // INVARIANT: lines received before a failure count, in whichever order both are seen.
      const found = find(this.#text, isWhole);
      if (found !== undefined) this.#noteUse();
      if (found !== undefined || isWhole) return found;
      if (this.#failure) throw this.#failure.error;
      // `find` may have cancelled the call.
      if (this.#over) continue;
      await this.#wait(this.#readers);
    }
  }

  /**
   * Resolves to the text of a piece; undefined after the last one. Requires a call made `byPieces`.
   *
   * @throws ModelError if the call failed before that; the signal's reason on abort
   */
  async piece(index: number): Promise<string | undefined> {
    for (;;) {
      this.#throwIfAborted();
      const piece = this.#pieces[index];
      if (piece !== undefined) {
        this.#noteUse();
        return piece;
      }
      if (this.#failure) throw this.#failure.error;
      if (this.#over) return undefined;
      await this.#wait(this.#listeners);
    }
  }

  /** Cancels the rest of the call. It is recorded with the text so far, which readers get as the whole completion. */
  cancelRest(): void {
    if (this.#over) return;
    this.#finish();
    this.#cancellation.abort(
      (notNeeded ??= new DOMException("the rest of the completion is not needed", "AbortError")),
    );
  }

  /**
   * Waits for the end without reading: any further text cancels the call. A regular end is better, since many providers
   * report tokens only there.
   */
  awaitEnd(): void {
    this.#mayEnd = true;
    this.#demand?.();
  }

  #wait(where: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      where.push(resolve);
      this.#demand?.();
    });
  }

  /** Waits until a reader needs more text than was received. */
  #wanted(): Promise<void> | undefined {
    const isWanted = this.#readers.length > 0 || this.#listeners.length > 0 || this.#mayEnd || this.#over;
    if (this.#input.byPieces !== true || isWanted) return undefined;
    return new Promise((resolve) => (this.#demand = resolve));
  }

  async #pump(): Promise<void> {
    try {
      const span = this.#span;
      for await (const piece of span === undefined ? this.#stream() : streamWithin(span, () => this.#stream())) {
        if (this.#over) return;
        this.#take(piece);
        await this.#wanted();
        if (this.#over) return;
      }
      this.#finish();
    } catch (error) {
      const { request } = this.#input;
      this.#fail(modelFailure(request, error));
    }
  }

  get #isStreamed(): boolean {
    return this.#input.streaming && this.#input.request.model.stream !== undefined;
  }

  #stream(): AsyncIterable<ModelPiece> {
    const { request, prompt, parameters } = this.#input;
    const { model, scope } = request;
    const { config, runName, tags, findDefects } = scope;
    const environment: ModelCallScope = { config, signal: this.#cancellation.signal, runName, tags, findDefects };
    if (this.#isStreamed && model.stream) return model.stream(prompt, parameters, environment);
    return {
      async *[Symbol.asyncIterator]() {
        yield await model.generate(prompt, parameters, environment);
      },
    };
  }

  #take(piece: ModelPiece): void {
    this.#usage = piece.usage ?? this.#usage;
    this.#modelName = piece.modelName ?? this.#modelName;
    // Joining pieces may be deferred until the message is requested.
    if ("message" in piece) this.#messagePiece = piece;
    this.#pieceCount += 1;
    if (this.#mayEnd && piece.text.trim() !== "") {
      this.cancelRest();
      return;
    }
    const fresh = this.#gate.push(piece.text);
    const { endless } = this.#input;
    const left = endless === true ? fresh.length : MAX_LENGTH - this.#text.length;
    this.#add(fresh.slice(0, left));
    const isLong = endless !== true && (fresh.length > left || this.#pieceCount >= MAX_PIECES);
    if (this.#gate.isOver || isLong) this.cancelRest();
    else if (this.#isReadWorthwhile(fresh)) this.#wake();
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#input.byPieces !== true || text === "") return;
    this.#pieces.push(text);
    this.#call(this.#listeners);
  }

  #isReadWorthwhile(fresh: string): boolean {
    const grown = this.#text.length - this.#seen;
    if (this.#reads >= EAGER_READS) return grown >= Math.max(GROWTH, this.#text.length / GROWN_PART);
    return grown >= GROWTH || fresh.includes("\n");
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancellation.release();
    // The start of a stop sequence that was never completed is text.
    this.#add(this.#gate.end());
    this.#record();
    this.#wake();
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#failure = { error };
    this.#cancellation.abort(error);
    if (this.#wasOfUse) this.#record();
    this.#span?.fail(error);
    this.#wake();
  }

  /** A failed call is recorded if the text before the failure was used. */
  #noteUse(): void {
    if (this.#failure && !this.#wasOfUse) this.#record();
    this.#wasOfUse = true;
  }

  #record(): void {
    const { request, prompt, clock } = this.#input;
    const message = this.#messagePiece?.message;
    const completion = { text: this.#text, usage: this.#usage, modelName: this.#modelName, message };
    recordCall(request, { prompt, startedAt: this.#startedAt, clock, span: this.#span }, completion, this.#isStreamed);
  }

  #wake(): void {
    this.#seen = this.#text.length;
    this.#reads += 1;
    this.#call(this.#readers);
    if (this.#over) this.#call(this.#listeners);
    this.#demand?.();
  }

  #call(waiting: (() => void)[]): void {
    for (const resume of waiting.splice(0)) resume();
  }
}
