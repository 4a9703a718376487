import { Cancellation } from "../../engine/cancellation.js";
import type { Clock } from "../../engine/clock.js";
import { modelFailure } from "./call-model.js";
import type { ModelParameters, ModelPiece, ModelPrompt } from "../model.js";
import { estimateUsage } from "./estimate-usage.js";
import { StopGate } from "../parsers/gradual/stop-gate.js";
import { promptText } from "../prompts/prompt-text.js";
import type { TaskRequest } from "./task.js";

/** Far more than any answer; a reply that never ends is cut here. */
const MAX_LENGTH = 100_000;
const MAX_PIECES = 200_000;

/** Readers look again when a line is complete, or when one has grown by this much. */
const GROWTH = 1_000;

/** A look costs as much as the text is long: after so many, the text has to grow by a part of itself before the next. */
const EAGER_LOOKS = 400;
const GROWN_PART = 16;

export interface RunningCallInput {
  readonly request: Pick<TaskRequest, "task" | "model" | "scope">;
  readonly prompt: ModelPrompt;
  readonly parameters: ModelParameters;
  readonly clock: Clock;
  /** False for a call whose parts are of no use before it is over. */
  readonly streaming: boolean;
  /**
   * For a reader who hands on what comes in: pieces are kept for `piece`, and the model is asked for the next one only when
   * somebody waits for it.
   */
  readonly byPieces?: boolean | undefined;
  /** No end is made of a long reply: its reader makes one. */
  readonly endless?: boolean | undefined;
}

/**
 * A model call whose completion is read while it comes in, and which can be cut when nobody needs the rest.
 * INVARIANT: nobody has to wait for it. A failure reaches those who read; without readers it is dropped.
 */
export class RunningCall {
  readonly #input: RunningCallInput;
  readonly #startedAt: number;
  /** Of the model's call; follows the caller. */
  readonly #cancellation: Cancellation;
  readonly #gate: StopGate;
  readonly #pieces: string[] = [];
  /** Those who wait for a line or the end, and for the next piece. */
  readonly #readers: (() => void)[] = [];
  readonly #listeners: (() => void)[] = [];
  #demand: (() => void) | undefined;
  #text = "";
  #seen = 0;
  #looks = 0;
  #pieceCount = 0;
  #usage: ModelPiece["usage"];
  #modelName: string | undefined;
  /** The last piece that knows the message. */
  #speaker: ModelPiece | undefined;
  #over = false;
  #mayEnd = false;
  #wasOfUse = false;
  #failure: { readonly error: unknown } | undefined;

  /** @throws LimitError when the turn has spent its calls; the signal's reason when it is aborted already */
  constructor(input: RunningCallInput) {
    const { signal: caller, beforeCall } = input.request.scope;
    caller?.throwIfAborted();
    beforeCall?.();
    this.#input = input;
    this.#gate = new StopGate(input.parameters.stop);
    this.#startedAt = input.clock.now();
    this.#cancellation = Cancellation.following(caller);
    this.#cancellation.onAbort(() => this.#fail(this.#cancellation.reason));
    void this.#pump();
  }

  /**
   * What `find` makes of the text, as early as it makes something of it. It is asked with what has come in and, at the
   * end, once more with the whole completion; nothing found there is undefined.
   *
   * @throws ModelError when the call failed before that; the signal's reason on abort
   */
  async read<Found>(find: (text: string, isWhole: boolean) => Found | undefined): Promise<Found | undefined> {
    for (;;) {
      this.#input.request.scope.signal?.throwIfAborted();
      const isWhole = this.#over && this.#failure === undefined;
      // Lines that came in before a failure count, whoever was faster.
      const found = find(this.#text, isWhole);
      if (found !== undefined) this.#noteUse();
      if (found !== undefined || isWhole) return found;
      if (this.#failure) throw this.#failure.error;
      // `find` itself may have cut the call.
      if (this.#over) continue;
      await this.#wait(this.#readers);
    }
  }

  /**
   * The text of a piece, in the order in which they come; undefined behind the last one. The call was made `byPieces`.
   *
   * @throws ModelError when the call failed before that; the signal's reason on abort
   */
  async piece(index: number): Promise<string | undefined> {
    for (;;) {
      this.#input.request.scope.signal?.throwIfAborted();
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

  /** Ends the call here. It is recorded with what it said so far; for readers that is the whole completion. */
  cut(): void {
    if (this.#over) return;
    this.#finish();
    this.#cancellation.abort(new DOMException("the rest of the completion is not needed", "AbortError"));
  }

  /**
   * Nobody reads on: whatever else the model says cuts the call. An end that comes by itself is better, since many
   * providers tell the tokens only there.
   */
  letEnd(): void {
    this.#mayEnd = true;
    this.#demand?.();
  }

  #wait(where: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      where.push(resolve);
      this.#demand?.();
    });
  }

  /** Until somebody wants more than came in. */
  #wanted(): Promise<void> | undefined {
    const isWanted = this.#readers.length > 0 || this.#listeners.length > 0 || this.#mayEnd || this.#over;
    if (this.#input.byPieces !== true || isWanted) return undefined;
    return new Promise((resolve) => (this.#demand = resolve));
  }

  async #pump(): Promise<void> {
    try {
      for await (const piece of this.#stream()) {
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
    const surroundings = { ...scope, signal: this.#cancellation.signal };
    if (this.#isStreamed && model.stream) return model.stream(prompt, parameters, surroundings);
    return {
      async *[Symbol.asyncIterator]() {
        yield await model.generate(prompt, parameters, surroundings);
      },
    };
  }

  #take(piece: ModelPiece): void {
    this.#usage = piece.usage ?? this.#usage;
    this.#modelName = piece.modelName ?? this.#modelName;
    // Pieces may join the message only when it is asked for.
    if ("message" in piece) this.#speaker = piece;
    this.#pieceCount += 1;
    if (this.#mayEnd && piece.text.trim() !== "") {
      this.cut();
      return;
    }
    const fresh = this.#gate.push(piece.text);
    const { endless } = this.#input;
    const left = endless === true ? fresh.length : MAX_LENGTH - this.#text.length;
    this.#add(fresh.slice(0, left));
    const isLong = endless !== true && (fresh.length > left || this.#pieceCount >= MAX_PIECES);
    if (this.#gate.isOver || isLong) this.cut();
    else if (this.#isWorthALook(fresh)) this.#wake();
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#input.byPieces !== true || text === "") return;
    this.#pieces.push(text);
    this.#call(this.#listeners);
  }

  #isWorthALook(fresh: string): boolean {
    const grown = this.#text.length - this.#seen;
    if (this.#looks >= EAGER_LOOKS) return grown >= Math.max(GROWTH, this.#text.length / GROWN_PART);
    return grown >= GROWTH || fresh.includes("\n");
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancellation.release();
    // What might have been the beginning of a stop sequence is none.
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
    this.#wake();
  }

  /** A call that failed is recorded when what came in before led somewhere. */
  #noteUse(): void {
    if (this.#failure && !this.#wasOfUse) this.#record();
    this.#wasOfUse = true;
  }

  #record(): void {
    const { request, prompt, clock } = this.#input;
    const finishedAt = clock.now();
    const usage = this.#usage;
    const message = this.#speaker?.message;
    const sent = promptText(prompt);
    request.scope.record?.({
      task: request.task,
      model: this.#modelName ?? request.model.name,
      provider: request.model.engine,
      prompt: sent,
      completion: this.#text,
      ...(usage === undefined && this.#isStreamed
        ? { usage: estimateUsage(sent, this.#text), isUsageEstimated: true }
        : { usage }),
      ...(message === undefined ? {} : { rawResponse: message }),
      startedAt: this.#startedAt,
      finishedAt,
      durationMs: finishedAt - this.#startedAt,
    });
  }

  #wake(): void {
    this.#seen = this.#text.length;
    this.#looks += 1;
    this.#call(this.#readers);
    if (this.#over) this.#call(this.#listeners);
    this.#demand?.();
  }

  #call(waiting: (() => void)[]): void {
    for (const resume of waiting.splice(0)) resume();
  }
}
