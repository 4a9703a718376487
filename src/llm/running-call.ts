import type { Clock } from "../engine/clock.js";
import { modelFailure } from "./call-model.js";
import type { ModelParameters, ModelPiece, ModelPrompt } from "./model.js";
import { promptText, truncateAtStop } from "./prompt-text.js";
import type { TaskRequest } from "./task.js";

/** Far more than any answer; a reply that never ends is cut here. */
const MAX_LENGTH = 100_000;

/** Readers look again when a line is complete, or when one has grown by this much. */
const GROWTH = 1_000;

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
  #last: ModelPiece | undefined;
  #over = false;
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
   * @throws ModelError when the call failed before; the signal's reason on abort
   */
  async read<Found>(find: (text: string, isWhole: boolean) => Found | undefined): Promise<Found | undefined> {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      const isWhole = this.#over;
      const found = find(this.#text, isWhole);
      if (found !== undefined || isWhole) return found;
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

  #pieces(): AsyncIterable<ModelPiece> {
    const { request, prompt, parameters, streaming } = this.#input;
    const { model, scope } = request;
    const own = this.#controller.signal;
    const signal = scope.signal === undefined ? own : AbortSignal.any([scope.signal, own]);
    const surroundings = { ...scope, signal };
    if (streaming && model.stream) return model.stream(prompt, parameters, surroundings);
    return {
      async *[Symbol.asyncIterator]() {
        yield await model.generate(prompt, parameters, surroundings);
      },
    };
  }

  #take(piece: ModelPiece): void {
    this.#last = { ...this.#last, ...piece };
    const whole = this.#text + piece.text;
    // The rest of a stop sequence may still be on its way, so the text is looked through again from its beginning.
    this.#text = truncateAtStop(whole, this.#input.parameters.stop).slice(0, MAX_LENGTH);
    if (this.#text.length < whole.length) this.cut();
    else if (piece.text.includes("\n") || this.#text.length - this.#seen >= GROWTH) this.#wake();
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#release();
    const { request, prompt, clock } = this.#input;
    const finishedAt = clock.now();
    request.scope.record?.({
      task: request.task,
      model: this.#last?.modelName ?? request.model.name,
      provider: request.model.engine,
      prompt: promptText(prompt),
      completion: this.#text,
      usage: this.#last?.usage,
      ...(this.#last?.message === undefined ? {} : { rawResponse: this.#last.message }),
      startedAt: this.#startedAt,
      finishedAt,
      durationMs: finishedAt - this.#startedAt,
    });
    this.#wake();
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#failure = { error };
    this.#release();
    this.#controller.abort(error);
    this.#wake();
  }

  #wake(): void {
    this.#seen = this.#text.length;
    const readers = this.#readers;
    this.#readers = [];
    for (const resume of readers) resume();
  }
}
