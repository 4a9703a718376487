import { omitUndefined } from "../../engine/plain-data.js";
import { concat } from "@langchain/core/utils/stream";
import { GuardrailsError } from "../../diagnostics/errors.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { PartVerdict } from "../../turn/response.js";
import type { ResponseReview } from "../../turn/options.js";
import type { StreamPlan } from "../../turn/stream-plan.js";
import { type Piece, WindowBuffer, type Window } from "../../rails/review/window-buffer.js";
import { type BotResponse, withEvidence } from "../values/response.js";
import { withoutResponse } from "../callbacks.js";
import type { Ending } from "../../runtime/responder.js";
import type { TurnOutcome } from "../review/review.js";
import { withDelegatedCalls } from "../tools/tool-calls.js";
import type { ChunkFormat } from "./message-format.js";
import { type QueuedWindow, ReleaseQueue } from "./release-queue.js";
import type { Sink } from "./sink.js";
import type { Upstream } from "./upstream.js";

export interface StreamedResponseInput {
  readonly plan: StreamPlan;
  readonly sink: Sink;
  /** Chunk format, detected from the first chunk; undefined if the stream must be buffered. */
  readonly formatOf: (chunk: unknown, review: ResponseReview) => ChunkFormat | undefined;
  /** Reads a complete value. */
  readonly read: (whole: unknown) => BotResponse;
  /** Reviews the extra texts of a value that is read whole. */
  readonly prepare?: (whole: unknown) => Promise<unknown>;
  /** Longest pause between two chunks in milliseconds; 0 for no limit. */
  readonly stallMs: number;
}

/** Outcome of a turn without a block. */
type Passed = Exclude<Ending<BotResponse>, { readonly kind: "blocked" }> & Pick<TurnOutcome, "calls">;

/** A window under review. */
interface LookedWindow extends QueuedWindow {
  readonly pieces: Window<unknown>;
  readonly text: string;
  readonly reasoning: string;
  /** True if released before its review. */
  readonly isEarly: boolean;
  /** True if it waits for the end of the turn even if it passes. */
  readonly stays: boolean;
  /** Everything read from the source when the review began. */
  readonly read: ReadSoFar;
}

interface ReadSoFar {
  readonly chunks: number;
  readonly text: number;
  readonly reasoning: number;
  readonly relevantChunks: readonly string[] | undefined;
}

/**
 * One streamed response, from its source to its reader, window by window. INVARIANT: a chunk is released only after the
 * rails have passed a window with all of its text, unless the plan reviews after release.
 */
export class StreamedResponse {
  readonly #input: StreamedResponseInput;
  readonly #chunks: unknown[] = [];
  /** Chunks not yet released. */
  readonly #pending: Piece<unknown>[] = [];
  readonly #parts: string[] = [];
  #format: ChunkFormat | undefined;
  #buffer: WindowBuffer<unknown> | undefined;
  #text = "";
  #reasoning = "";
  /** True once a non-blank character has arrived. */
  #hasText = false;
  #released = "";
  #releasedReasoning = "";
  #hasStarted = false;
  /** The first window that the rails held back; later ones wait for the end of the turn. */
  #held: LookedWindow | undefined;
  #complete: BotResponse | undefined;
  #prepared: { readonly whole: unknown } | undefined;
  /** Set on a block: the evidence received by then. */
  #blocked: Pick<ReadSoFar, "relevantChunks"> | undefined;
  /** Evidence of the caller, for a response without evidence of its own. */
  #given: readonly string[] | undefined;

  constructor(input: StreamedResponseInput) {
    this.#input = input;
  }

  /** Sets the evidence that came with the input: rails compare a response without evidence of its own with it. */
  compareWith(evidence: readonly string[] | undefined): void {
    this.#given = evidence;
  }

  /** True if the turn has used this stream. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Everything received so far, joined. */
  whole(): unknown {
    if (this.#prepared !== undefined) return this.#prepared.whole;
    return this.#chunks.length === 0
      ? undefined
      : this.#chunks.reduce((sum, chunk) => concat(sum as never, chunk as never));
  }

  /** Reads the response and releases what passes the review. A block ends it and cancels the source. */
  async ask(open: () => Promise<Upstream>, review: ResponseReview): Promise<BotResponse> {
    this.#hasStarted = true;
    const { prepare } = this.#input;
    const queue = new ReleaseQueue<LookedWindow>(review.concurrency ?? 1, {
      reach: ({ isEarly, pieces, text, reasoning }) => {
        if (this.#held === undefined) this.#parts.push(...[text, reasoning].filter((part) => part !== ""));
        if (!isEarly) this.#pending.push(...pieces);
      },
      pass: (window, verdict) => this.#pass(window, verdict),
    });
    let upstream: Upstream | undefined;
    try {
      upstream = await open();
      await Promise.race([this.#readAll(upstream, review, queue), queue.over]);
      if (this.#format === undefined && prepare !== undefined) this.#prepared = { whole: await prepare(this.whole()) };
      return this.#response();
    } catch (error) {
      review.cancel?.();
      throw withoutResponse(error);
    } finally {
      upstream?.leave();
    }
  }

  /**
   * Reads the source to its end, unless the queue ends first. Chunks received before a failure are released before it.
   */
  async #readAll(upstream: Upstream, review: ResponseReview, queue: ReleaseQueue<LookedWindow>): Promise<void> {
    try {
      while (!queue.isOver) {
        if (queue.isFull) await queue.room();
        const next = await upstream.next(this.#input.stallMs);
        if (queue.isOver) return;
        if (next.done === true) break;
        if (!this.#take(next.value, review)) continue;
        for (let window = this.#buffer?.take(); window !== undefined; window = this.#buffer?.take()) {
          queue.add(this.#look(window, review));
          await queue.room();
          if (queue.isOver) return;
        }
      }
    } catch (error) {
      if (await queue.drain()) throw error;
      return;
    }
    await this.#finish(review, queue);
  }

  /** Returns true if the turn's outcome completes this stream rather than replacing it. */
  continuesWith(outcome: Passed): boolean {
    return this.#hasStarted && (outcome.kind === "response" || this.hasLeft);
  }

  /** True if any text or reasoning of the response has been released. */
  get hasLeft(): boolean {
    return this.#released !== "" || this.#releasedReasoning !== "";
  }

  /**
   * Ends the stream after the turn with the held-back chunks, the remaining text and the verdict.
   *
   * @throws GuardrailsError `RL-107` if the final text does not continue the released text
   */
  async end(outcome: Passed): Promise<void> {
    const { text, verdict, calls = [] } = outcome;
    const { sink, read } = this.#input;
    const format = this.#format;
    const complete = this.#complete;
    const response = outcome.kind === "response" ? outcome.response : complete;
    const value = response?.rewrite(text);
    const final = (): unknown => withDelegatedCalls(read(value).mark(verdict), calls);
    if (format === undefined || (complete !== undefined && !this.hasLeft)) return sink.put([final()]);
    // Text of the response itself: other keys of an object are released at the end.
    const main = complete?.mainText === undefined ? undefined : read(value);
    const unreleased = restOf(main === undefined ? text : (main.mainText ?? main.text), this.#released);
    const { items, texts, reasoningParts } = columnsOf(this.#pending);
    const pending = texts.join("");
    // INVARIANT: unreviewed reasoning is never released, nor the reasoning of a response that was replaced.
    const isReasoned = this.#reasoning !== "" && outcome.kind === "response";
    const restOfReasoning = isReasoned ? restOf(outcome.response.reasoning(), this.#releasedReasoning) : "";
    const reasoning = { texts: reasoningParts, text: restOfReasoning };
    if (complete !== undefined && value === complete.value) {
      await this.#put(format.release(items, { texts, text: pending }, reasoning, complete.message));
      return this.#put(format.close({ rest: "", verdict, calls, final }));
    }
    if (complete !== undefined && !format.isComposite) {
      if (format.replace === undefined) throw rewrittenLate();
      await this.#put(format.replace(final(), { text: unreleased, reasoning: reasoning.text }, items));
      return this.#put(format.close({ rest: "", verdict, final }));
    }
    if (complete !== undefined && (complete.mainText ?? complete.text) !== this.#text) throw rewrittenLate();
    const held = unreleased.startsWith(pending) || items.length === 0 ? pending : unreleased;
    if (items.length > 0) await this.#put(format.release(items, { texts, text: held }, reasoning, complete?.message));
    await this.#put(format.close({ rest: unreleased.slice(held.length), verdict, calls, final }));
  }

  /** Returns the chunk that ends the stream after a block. */
  refuse(refusal: string, verdict: GuardrailsMetadata): unknown {
    const format = this.#format;
    if (format === undefined) return this.#input.read(this.whole()).refuse(refusal, verdict);
    const marked: GuardrailsMetadata = this.hasLeft ? { ...verdict, replaces: true } : verdict;
    return format.refuse(refusal, marked, columnsOf(this.#pending).items, () => this.#input.read(this.whole()));
  }

  /** Adds a chunk; returns false while there is nothing to review. */
  #take(chunk: unknown, review: ResponseReview): boolean {
    this.#chunks.push(chunk);
    if (this.#chunks.length === 1) {
      this.#format = this.#input.formatOf(chunk, review);
      // Without rails, there is no need to collect chunks.
      const chunkSize = review.guarded ? this.#input.plan.chunkSize : 1;
      this.#buffer = new WindowBuffer({ chunkSize, unit: review.guarded ? review.unit : "chunk", cuts: review.cuts });
    }
    if (this.#format === undefined || this.#buffer === undefined) return false;
    const { text, reasoning = "", waits } = this.#format.read(chunk);
    this.#text += text;
    this.#reasoning += reasoning;
    this.#hasText ||= text.trim() !== "" || reasoning.trim() !== "";
    if (waits) this.#buffer.wait();
    this.#buffer.push(chunk, text, reasoning);
    // A blank response counts as none: the turn may produce another text.
    return this.#hasText;
  }

  /**
   * Starts the review of a window.
   *
   * @param stays - true if the window waits for the end of the turn even if it passes
   */
  #look(pieces: Window<unknown>, review: ResponseReview, stays = false): LookedWindow {
    const { texts, reasoningParts } = columnsOf(pieces);
    const text = texts.join("");
    const reasoning = reasoningParts.join("");
    const relevantChunks = this.#format?.relevantChunks ?? this.#given;
    const read = {
      chunks: this.#chunks.length,
      text: this.#text.length,
      reasoning: this.#reasoning.length,
      relevantChunks,
    };
    const check = (): Promise<PartVerdict> =>
      review.check({ texts, ...(reasoning === "" ? {} : { reasoningParts }), ...omitUndefined({ relevantChunks }) });
    const isEarly = this.#input.plan.streamFirst && this.#held === undefined && !stays;
    const verdict = isEarly ? this.#release(pieces, text, reasoning).then(check) : check();
    return { pieces, text, reasoning, isEarly, stays, read, verdict };
  }

  /** Applies the verdict on a window, whose chunks are the last unreleased ones; returns false on a block. */
  async #pass(window: LookedWindow, verdict: PartVerdict): Promise<boolean> {
    const { pieces, reasoning, isEarly, stays, read } = window;
    if (verdict.kind === "blocked") {
      this.#forgetBehind(read);
      return false;
    }
    if (verdict.kind === "held") {
      this.#held ??= window;
      this.#buffer?.wait();
    } else if (!isEarly && !stays) {
      this.#pending.splice(-pieces.length, pieces.length);
      await this.#release(pieces, verdict.text, verdict.reasoning ?? reasoning);
    }
    return true;
  }

  /** INVARIANT: a block restores the response as it was when the review of the blocked window began. */
  #forgetBehind({ chunks, text, reasoning, relevantChunks }: ReadSoFar): void {
    this.#chunks.length = chunks;
    this.#text = this.#text.slice(0, text);
    this.#reasoning = this.#reasoning.slice(0, reasoning);
    this.#blocked = { relevantChunks };
  }

  async #finish(review: ResponseReview, queue: ReleaseQueue<LookedWindow>): Promise<void> {
    const rest = this.#buffer?.finish();
    const format = this.#format;
    if (format === undefined || rest === undefined) return;
    // The end of any other value depends on how much of it was released.
    const isPlain = this.#chunks.length > 1 && this.#buffer?.isWaiting !== true && !format.isComposite;
    if (!isPlain && !(await queue.drain())) return;
    // The complete value may have more text than its chunks.
    const isOne = this.#chunks.length === 1 && !this.hasLeft;
    if (isOne || this.#buffer?.isWaiting === true || format.isComposite)
      this.#complete = this.#input.read(this.whole());
    const complete = this.#complete;
    let last: LookedWindow | undefined;
    if (this.#held !== undefined || (complete !== undefined && complete.text !== this.#text) || !this.#hasText) {
      this.#pending.push(...rest);
    } else if (rest.length > 0) {
      // Tool calls have their own rails, which decide once the message is complete.
      const stays = this.#buffer?.isWaiting === true || (complete !== undefined && !this.hasLeft);
      queue.add((last = this.#look(rest, review, stays)));
    }
    if (!(await queue.drain())) return;
    // A response held back before its end is read whole.
    if (this.#held !== undefined && this.#held !== last) this.#complete ??= this.#input.read(this.whole());
  }

  #response(): BotResponse {
    const parts = this.#parts;
    if (this.#format === undefined) return withEvidence((this.#complete = this.#input.read(this.whole())), this.#given);
    const { relevantChunks = this.#given } = this.#blocked ?? this.#format;
    if (this.#complete !== undefined) return withEvidence({ ...this.#complete, parts }, this.#given);
    const text = this.#text;
    // The format writes the chunks; the joined value is built only on request.
    const written: BotResponse = {
      value: this,
      text,
      parts,
      ...omitUndefined({ relevantChunks }),
      reasoning: () => this.#reasoning,
      replaceReasoning: (reasoning) => ({ ...written, reasoning: () => reasoning }),
      rewrite: () => this,
      refuse: () => this,
      mark: () => this,
    };
    return written;
  }

  async #release(window: Window<unknown>, text: string, reasoning: string): Promise<void> {
    const { items, texts, reasoningParts } = columnsOf(window);
    this.#released += text;
    this.#releasedReasoning += reasoning;
    await this.#put(this.#format?.release(items, { texts, text }, { texts: reasoningParts, text: reasoning }) ?? []);
  }

  #put(chunks: readonly unknown[]): Promise<void> {
    return this.#input.sink.put(chunks);
  }
}

function columnsOf(pieces: Window<unknown>) {
  return {
    items: pieces.map(({ item }) => item),
    texts: pieces.map(({ text }) => text),
    reasoningParts: pieces.map(({ reasoning }) => reasoning),
  };
}

/** @throws GuardrailsError `RL-107` if the text does not continue the released one */
function restOf(text: string, released: string): string {
  if (!text.startsWith(released)) throw rewrittenLate();
  return text.slice(released.length);
}

function rewrittenLate(): GuardrailsError {
  return new GuardrailsError(
    "expected the final answer to continue the text already streamed; give the output " +
      'rail that rewrites it `meta {"stream": "answer"}`, or stream with `mode: "buffer"`',
    { code: "RL-107" },
  );
}
