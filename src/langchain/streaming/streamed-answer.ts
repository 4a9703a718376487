import { omitUndefined } from "../../engine/plain-data.js";
import { concat } from "@langchain/core/utils/stream";
import { GuardrailsError } from "../../diagnostics/errors.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { AnswerReview } from "../../turn/options.js";
import type { StreamPlan } from "../../turn/stream-plan.js";
import { type Piece, WindowBuffer, type Window } from "../../rails/review/window-buffer.js";
import type { Answer } from "../values/answer.js";
import { withoutAnswer } from "../callbacks.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Ending, Responder } from "../../runtime/answer-request.js";
import type { TurnOutcome } from "../review/review.js";
import { withDelegatedCalls } from "../tools/tool-calls.js";
import type { ChunkFormat } from "./message-format.js";
import type { Sink } from "./sink.js";
import type { Upstream } from "./upstream.js";

export interface StreamedAnswerInput {
  readonly plan: StreamPlan;
  readonly sink: Sink;
  /** Chunk format, detected from the first chunk; undefined if the stream must be buffered. */
  readonly formatOf: (chunk: unknown, review: AnswerReview) => ChunkFormat | undefined;
  /** Reads a complete value. */
  readonly read: (whole: unknown) => Answer;
  /** Reviews the extra texts of a value that is read as a whole. */
  readonly prepare?: (whole: unknown) => Promise<unknown>;
  /** Longest pause between two chunks, in milliseconds; 0 for any time. */
  readonly stallMs: number;
}

/** Outcome of a turn that was not blocked. */
type Passed = Exclude<Ending<Answer>, { readonly kind: "blocked" }> & Pick<TurnOutcome, "calls">;

/**
 * One streamed answer, from its source to its reader, window by window. INVARIANT: a chunk leaves only after
 * the rails have passed a window with all of its text, unless the plan says that they come later.
 */
export class StreamedAnswer {
  readonly #input: StreamedAnswerInput;
  readonly #chunks: unknown[] = [];
  /** Chunks that have not left. */
  readonly #pending: Piece<unknown>[] = [];
  readonly #parts: string[] = [];
  #format: ChunkFormat | undefined;
  #buffer: WindowBuffer<unknown> | undefined;
  #text = "";
  #reasoning = "";
  #released = "";
  #releasedReasoning = "";
  #hasBegun = false;
  #isHeld = false;
  #complete: Answer | undefined;
  #prepared: { readonly whole: unknown } | undefined;

  constructor(input: StreamedAnswerInput) {
    this.#input = input;
  }

  /** True if the turn used this stream. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** All that came so far, joined. */
  whole(): unknown {
    if (this.#prepared !== undefined) return this.#prepared.whole;
    return this.#chunks.length === 0
      ? undefined
      : this.#chunks.reduce((sum, chunk) => concat(sum as never, chunk as never));
  }

  /** Reads the answer and passes on what the review passes. A block ends it, and cancels the source. */
  async ask(open: () => Promise<Upstream>, review: AnswerReview): Promise<Answer> {
    this.#hasBegun = true;
    const { prepare, stallMs } = this.#input;
    let upstream: Upstream | undefined;
    try {
      upstream = await open();
      for (let next = await upstream.next(stallMs); !next.done; next = await upstream.next(stallMs)) {
        if (!this.#take(next.value, review)) continue;
        for (let window = this.#buffer?.take(); window !== undefined; window = this.#buffer?.take()) {
          if (!(await this.#pass(window, review))) return this.#answer();
        }
      }
      await this.#finish(review);
      if (this.#format === undefined && prepare !== undefined) this.#prepared = { whole: await prepare(this.whole()) };
      return this.#answer();
    } catch (error) {
      throw withoutAnswer(error);
    } finally {
      upstream?.leave();
    }
  }

  /** Returns true if the outcome of the turn ends this stream, and does not replace it. */
  continuesWith(outcome: Passed): boolean {
    return this.#hasBegun && (outcome.kind === "answer" || this.hasLeft);
  }

  /** True if any text or reasoning of the answer has left. */
  get hasLeft(): boolean {
    return this.#released !== "" || this.#releasedReasoning !== "";
  }

  /**
   * Ends the stream after the turn: with what was held back, what is left of the text, and the verdict.
   *
   * @throws GuardrailsError `RL-107` when the final text does not continue the text that has left
   */
  async end(outcome: Passed): Promise<void> {
    const { text, verdict, calls = [] } = outcome;
    const { sink, read } = this.#input;
    const format = this.#format;
    const complete = this.#complete;
    const answer = outcome.kind === "answer" ? outcome.answer : complete;
    const value = answer?.rewrite(text);
    const final = (): unknown => withDelegatedCalls(read(value).mark(verdict), calls);
    if (format === undefined || (complete !== undefined && !this.hasLeft)) return sink.put([final()]);
    // The text of the answer itself: other keys of an object leave at the end.
    const main = complete?.mainText === undefined ? undefined : read(value);
    const left = restOf(main === undefined ? text : (main.mainText ?? main.text), this.#released);
    const { items, texts, reasoningParts } = columnsOf(this.#pending);
    const pending = texts.join("");
    // INVARIANT: no unreviewed reasoning leaves, and none that comes after a text in the place of the answer.
    const isReasoned = this.#reasoning !== "" && outcome.kind === "answer";
    const restOfReasoning = isReasoned ? restOf(outcome.answer.reasoning(), this.#releasedReasoning) : "";
    const reasoning = { texts: reasoningParts, text: restOfReasoning };
    if (complete !== undefined && value === complete.value) {
      await this.#put(format.release(items, { texts, text: pending }, reasoning));
      return this.#put(format.close({ rest: "", verdict, calls, final }));
    }
    if (complete !== undefined && !format.isComposite) {
      if (format.replace === undefined) throw rewrittenLate();
      await this.#put(format.replace(final(), { text: left, reasoning: reasoning.text }, items));
      return this.#put(format.close({ rest: "", verdict, final }));
    }
    if (complete !== undefined && (complete.mainText ?? complete.text) !== this.#text) throw rewrittenLate();
    const kept = left.startsWith(pending) || items.length === 0 ? pending : left;
    if (items.length > 0) await this.#put(format.release(items, { texts, text: kept }, reasoning));
    await this.#put(format.close({ rest: left.slice(kept.length), verdict, calls, final }));
  }

  /** The chunk that ends the stream after a block. */
  refuse(refusal: string, verdict: GuardrailsMetadata): unknown {
    const format = this.#format;
    if (format === undefined) return this.#input.read(this.whole()).refuse(refusal, verdict);
    const marked: GuardrailsMetadata = this.hasLeft ? { ...verdict, replaces: true } : verdict;
    return format.refuse(refusal, marked, columnsOf(this.#pending).items, () => this.#input.read(this.whole()));
  }

  /** Takes a chunk; returns false while there is nothing to review. */
  #take(chunk: unknown, review: AnswerReview): boolean {
    this.#chunks.push(chunk);
    if (this.#chunks.length === 1) {
      this.#format = this.#input.formatOf(chunk, review);
      // Without rails there is nothing to collect for.
      const chunkSize = review.guarded ? this.#input.plan.chunkSize : 1;
      this.#buffer = new WindowBuffer({ chunkSize, unit: review.guarded ? review.unit : "chunk" });
    }
    if (this.#format === undefined || this.#buffer === undefined) return false;
    const { text, reasoning = "", waits } = this.#format.read(chunk);
    this.#text += text;
    this.#reasoning += reasoning;
    if (waits) this.#buffer.wait();
    this.#buffer.push(chunk, text, reasoning);
    // An answer of blanks counts as none: the turn may give another text.
    return this.hasLeft || this.#hasText;
  }

  get #hasText(): boolean {
    return this.#text.trim() !== "" || this.#reasoning.trim() !== "";
  }

  /**
   * Reviews a window; returns false at a block.
   *
   * @param stays - true if the window waits for the end of the turn although it passed
   */
  async #pass(window: Window<unknown>, review: AnswerReview, stays = false): Promise<boolean> {
    const { texts, reasoningParts } = columnsOf(window);
    const looked = [texts.join(""), reasoningParts.join("")] as const;
    this.#parts.push(...looked.filter((part) => part !== ""));
    const early = this.#input.plan.streamFirst && !this.#isHeld && !stays;
    if (early) await this.#release(window, ...looked);
    else this.#pending.push(...window);
    const evidence = omitUndefined({ relevantChunks: this.#format?.relevantChunks });
    const verdict = await review.check({ texts, ...(looked[1] === "" ? {} : { reasoningParts }), ...evidence });
    if (verdict.kind === "blocked") return false;
    if (verdict.kind === "held") {
      this.#isHeld = true;
      this.#buffer?.wait();
    } else if (!early && !stays) {
      this.#pending.splice(-window.length, window.length);
      await this.#release(window, verdict.text, verdict.reasoning ?? looked[1]);
    }
    return true;
  }

  async #finish(review: AnswerReview): Promise<void> {
    const rest = this.#buffer?.finish();
    if (this.#format === undefined || rest === undefined) return;
    // The text of the complete value may be more than that of its chunks.
    const isOne = this.#chunks.length === 1 && !this.hasLeft;
    if (isOne || this.#buffer?.isWaiting === true || this.#format.isComposite) {
      this.#complete = this.#input.read(this.whole());
    }
    const complete = this.#complete;
    if (this.#isHeld || (complete !== undefined && complete.text !== this.#text) || !this.#hasText) {
      this.#pending.push(...rest);
    } else if (rest.length > 0) {
      // Calls of tools have rails of their own, which decide when the message is complete.
      await this.#pass(rest, review, this.#buffer?.isWaiting === true || (complete !== undefined && !this.hasLeft));
    }
  }

  #answer(): Answer {
    const parts = this.#parts;
    if (this.#format === undefined) return (this.#complete = this.#input.read(this.whole()));
    const { relevantChunks } = this.#format;
    if (this.#complete !== undefined) return { ...this.#complete, parts };
    const text = this.#text;
    // The format writes the chunks; the joined value is needed only on request.
    const written: Answer = {
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

/** Asks for whole answers, and for streamed ones where the rails review them part by part. */
export function responderOver(
  ask: (texts: readonly string[], config: RunnableConfig) => Promise<Answer>,
  open: (texts: readonly string[], config: RunnableConfig) => Promise<Upstream>,
  streamed: StreamedAnswer | undefined,
): Responder<Answer> {
  if (streamed === undefined) return { ask };
  return {
    open,
    ask: (texts, config, review, opened) => {
      if (review === undefined) return ask(texts, config);
      return streamed.ask(() => (opened as Promise<Upstream> | undefined) ?? open(texts, config), review);
    },
  };
}

function columnsOf(pieces: Window<unknown>) {
  return {
    items: pieces.map(({ item }) => item),
    texts: pieces.map(({ text }) => text),
    reasoningParts: pieces.map(({ reasoning }) => reasoning),
  };
}

/** @throws GuardrailsError `RL-107` when the text does not continue the released one */
function restOf(text: string, released: string): string {
  if (!text.startsWith(released)) throw rewrittenLate();
  return text.slice(released.length);
}

function rewrittenLate(): GuardrailsError {
  return new GuardrailsError(
    "the answer at the end of the turn does not continue what was streamed already; give the output " +
      'rail that rewrites it `meta {"stream": "answer"}`, or stream with `mode: "buffer"`',
    { code: "RL-107" },
  );
}
