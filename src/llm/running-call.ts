import type { Clock } from "../engine/clock.js";
import { modelFailure } from "./call-model.js";
import type { ModelParameters, ModelPiece, ModelPrompt } from "./model.js";
import { estimateUsage } from "./estimate-usage.js";
import { promptText, truncateAtStop } from "./prompt-text.js";
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
}

/**
 * A model call whose completion is read while it comes in, and which can be cut when nobody needs the rest.
 * INVARIANT: nobody has to wait for it. A failure reaches those who read; without readers it is dropped.
 */
export class RunningCall {
  readonly #input: RunningCallInput;
  readonly #startedAt: number;
  readonly #controller = new AbortController();
  readonly #release: () => void;
  #readers: (() => void)[] = [];
  #text = "";
  #seen = 0;
  #looks = 0;
  #pieceCount = 0;
  #last: ModelPiece | undefined;
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
    this.#startedAt = input.clock.now();
    const onAbort = (): void => this.#fail(caller?.reason);
    caller?.addEventListener("abort", onAbort, { once: true });
    this.#release = () => caller?.removeEventListener("abort", onAbort);
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
      await new Promise<void>((resolve) => this.#readers.push(resolve));
    }
  }

  /** Ends the call here. It is recorded with what it said so far; for readers that is the whole completion. */
  cut(): void {
    if (this.#over) return;
    this.#finish();
    this.#controller.abort(new DOMException("the rest of the completion is not needed", "AbortError"));
  }

  /**
   * Nobody reads on: whatever else the model says cuts the call. An end that comes by itself is better, since many
   * providers tell the tokens only there.
   */
  letEnd(): void {
    this.#mayEnd = true;
  }

  async #pump(): Promise<void> {
    try {
      for await (const piece of this.#pieces()) {
        if (this.#over) return;
        this.#take(piece);
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

  #pieces(): AsyncIterable<ModelPiece> {
    const { request, prompt, parameters } = this.#input;
    const { model, scope } = request;
    const own = this.#controller.signal;
    const signal = scope.signal === undefined ? own : AbortSignal.any([scope.signal, own]);
    const surroundings = { ...scope, signal };
    if (this.#isStreamed && model.stream) return model.stream(prompt, parameters, surroundings);
    return {
      async *[Symbol.asyncIterator]() {
        yield await model.generate(prompt, parameters, surroundings);
      },
    };
  }

  #take(piece: ModelPiece): void {
    const { usage, message, modelName } = this.#last ?? {};
    this.#last = {
      text: "",
      usage: piece.usage ?? usage,
      message: piece.message ?? message,
      modelName: piece.modelName ?? modelName,
    };
    this.#pieceCount += 1;
    if (this.#mayEnd && piece.text.trim() !== "") {
      this.cut();
      return;
    }
    const { stop = [] } = this.#input.parameters;
    // Only a stop sequence that is complete by now can be new.
    const from = Math.max(0, this.#text.length - Math.max(0, ...stop.map(({ length }) => length)));
    const whole = this.#text + piece.text;
    this.#text = truncateAtStop(whole, stop, from).slice(0, MAX_LENGTH);
    if (this.#text.length < whole.length || this.#pieceCount >= MAX_PIECES) this.cut();
    else if (this.#isWorthALook(piece.text)) this.#wake();
  }

  #isWorthALook(fresh: string): boolean {
    const grown = this.#text.length - this.#seen;
    if (this.#looks >= EAGER_LOOKS) return grown >= Math.max(GROWTH, this.#text.length / GROWN_PART);
    return grown >= GROWTH || fresh.includes("\n");
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#release();
    this.#record();
    this.#wake();
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#failure = { error };
    this.#release();
    this.#controller.abort(error);
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
    const usage = this.#last?.usage;
    const sent = promptText(prompt);
    request.scope.record?.({
      task: request.task,
      model: this.#last?.modelName ?? request.model.name,
      provider: request.model.engine,
      prompt: sent,
      completion: this.#text,
      ...(usage === undefined && this.#isStreamed
        ? { usage: estimateUsage(sent, this.#text), isUsageEstimated: true }
        : { usage }),
      ...(this.#last?.message === undefined ? {} : { rawResponse: this.#last.message }),
      startedAt: this.#startedAt,
      finishedAt,
      durationMs: finishedAt - this.#startedAt,
    });
  }

  #wake(): void {
    this.#seen = this.#text.length;
    this.#looks += 1;
    const readers = this.#readers;
    this.#readers = [];
    for (const resume of readers) resume();
  }
}
