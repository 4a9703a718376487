import { omitUndefined } from "../../engine/variables.js";
import { concat } from "@langchain/core/utils/stream";
import { GuardrailsError } from "../../diagnostics/errors.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { AnswerReview } from "../../turn/options.js";
import type { StreamPlan } from "../../turn/stream-plan.js";
import { WindowBuffer, type Window } from "../../rails/review/window-buffer.js";
import type { Answer } from "../values/answer.js";
import { withoutAnswer } from "../isolation/ask-inner.js";
import type { Ending } from "../../runtime/guarded-answer.js";
import type { TurnOutcome } from "../review/guarded-turn.js";
import { withHandedOut } from "../tools/delegated-calls.js";
import type { ChunkFormat } from "./chunk-format.js";
import type { Sink } from "./sink.js";
import type { Upstream } from "./upstream.js";

export interface StreamedAnswerInput {
  readonly plan: StreamPlan;
  readonly sink: Sink;
  /** The form of a stream, told by its first chunks; undefined when it can only be read as a whole. */
  readonly formatOf: (chunk: unknown, review: AnswerReview) => ChunkFormat | undefined;
  /** Reads a complete value. */
  readonly read: (whole: unknown) => Answer;
  /** Reviews what stands beside the text of a value that is read as a whole. */
  readonly prepare?: (whole: unknown) => Promise<unknown>;
  /** How long the answer may take from one chunk to the next, in milliseconds; zero for any time. */
  readonly stallMs: number;
}

/** How a turn ends that was not blocked. */
type Spoken = Exclude<Ending<Answer>, { readonly kind: "blocked" }> & Pick<TurnOutcome, "calls">;

/** Chunks that have not left, with what each says. */
interface Pending {
  readonly items: unknown[];
  readonly texts: string[];
  readonly reasoningParts: string[];
}

/**
 * One answer on its way from whoever makes it to whoever reads it, window by window. INVARIANT: a chunk leaves only after
 * the rails have passed a window with all of its text, unless the plan says that they come later.
 */
export class StreamedAnswer {
  readonly #input: StreamedAnswerInput;
  readonly #chunks: unknown[] = [];
  readonly #pending: Pending = { items: [], texts: [], reasoningParts: [] };
  readonly #parts: string[] = [];
  #form: ChunkFormat | undefined;
  #buffer: WindowBuffer<unknown> | undefined;
  #text = "";
  #thought = "";
  #released = "";
  #releasedThought = "";
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

  /** Pulls the answer, and hands on what the review passes. It ends at a block; what comes upstream then is called off. */
  async ask(open: () => Promise<Upstream>, review: AnswerReview): Promise<Answer> {
    this.#hasBegun = true;
    let upstream: Upstream | undefined;
    try {
      upstream = await open();
      for (
        let next = await upstream.next(this.#input.stallMs);
        !next.done;
        next = await upstream.next(this.#input.stallMs)
      ) {
        if (!this.#take(next.value, review)) continue;
        for (let window = this.#buffer?.take(); window !== undefined; window = this.#buffer?.take()) {
          if (!(await this.#pass(window, review))) return this.#answer();
        }
      }
      await this.#finish(review);
      const { prepare } = this.#input;
      if (this.#form === undefined && prepare !== undefined) this.#prepared = { whole: await prepare(this.whole()) };
      return this.#answer();
    } catch (error) {
      throw withoutAnswer(error);
    } finally {
      upstream?.leave();
    }
  }

  /** Returns true if the outcome of the turn ends this stream, and does not replace it. */
  goesOnTo(outcome: Spoken): boolean {
    return this.#hasBegun && (outcome.kind === "answer" || this.hasLeft);
  }

  /** True if any text or reasoning of the answer has left. */
  get hasLeft(): boolean {
    return this.#released !== "" || this.#releasedThought !== "";
  }

  /**
   * Ends the stream after the turn: with what was held back, what is left of the text, and the verdict.
   *
   * @throws GuardrailsError `RL-107` when the turn made something of the answer that does not go on from what has left
   */
  async end(outcome: Spoken): Promise<void> {
    const { text, verdict, calls = [] } = outcome;
    const { sink, read } = this.#input;
    const form = this.#form;
    const complete = this.#complete;
    const answer = outcome.kind === "answer" ? outcome.answer : complete;
    const value = answer?.rewrite(text);
    const final = (): unknown => withHandedOut(read(value).mark(verdict), calls);
    if (form === undefined || (complete !== undefined && !this.hasLeft)) return sink.put(final());
    const left = restOf(this.#mainOf(text, value), this.#released);
    const { items, texts, reasoningParts } = this.#pending;
    const pending = texts.join("");
    const reasoning = { texts: reasoningParts, text: this.#restOfThought(outcome) };
    if (complete !== undefined && value === complete.value) {
      await this.#put(form.release(items, { texts, text: pending }, reasoning));
      return this.#put(form.close({ rest: "", verdict, calls, final }));
    }
    if (complete !== undefined && !form.isComposite) {
      await this.#put(form.replace?.(final(), { text: left, reasoning: reasoning.text }, items) ?? fail());
      return this.#put(form.close({ rest: "", verdict, final }));
    }
    if (complete !== undefined && (complete.mainText ?? complete.text) !== this.#text) throw rewrittenLate();
    const kept = left.startsWith(pending) || items.length === 0 ? pending : left;
    if (items.length > 0) await this.#put(form.release(items, { texts, text: kept }, reasoning));
    await this.#put(form.close({ rest: left.slice(kept.length), verdict, calls, final }));
  }

  /** The text of the answer itself: other keys of an object leave at the end. */
  #mainOf(text: string, value: unknown): string {
    if (this.#complete?.mainText === undefined) return text;
    const answer = this.#input.read(value);
    return answer.mainText ?? answer.text;
  }

  /** INVARIANT: of thoughts that nobody has read, and of those behind a text in the place of the answer, none leaves. */
  #restOfThought(outcome: Spoken): string {
    if (this.#thought === "" || outcome.kind !== "answer") return "";
    return restOf(outcome.answer.reasoning(), this.#releasedThought);
  }

  /** The chunk that ends the stream after a block. */
  refuse(refusal: string, verdict: GuardrailsMetadata): unknown {
    const form = this.#form;
    if (form === undefined) return this.#input.read(this.whole()).refuse(refusal, verdict);
    const marked = this.hasLeft ? replacing(verdict) : verdict;
    return form.refuse(refusal, marked, this.#pending.items, () => this.#input.read(this.whole()));
  }

  /** Takes a chunk in; false while there is nothing to look at yet. */
  #take(chunk: unknown, review: AnswerReview): boolean {
    this.#chunks.push(chunk);
    if (this.#chunks.length === 1) this.#open(chunk, review);
    if (this.#form === undefined || this.#buffer === undefined) return false;
    const { text, reasoning = "", waits } = this.#form.read(chunk);
    this.#text += text;
    this.#thought += reasoning;
    if (waits) this.#buffer.wait();
    this.#buffer.push(chunk, text, reasoning);
    // An answer of spaces is none, and then something else is said.
    return this.hasLeft || this.#says;
  }

  get #says(): boolean {
    return this.#text.trim() !== "" || this.#thought.trim() !== "";
  }

  #open(chunk: unknown, review: AnswerReview): void {
    this.#form = this.#input.formatOf(chunk, review);
    // Nobody looks, so there is nothing to collect for.
    const chunkSize = review.guarded ? this.#input.plan.chunkSize : 1;
    this.#buffer = new WindowBuffer({ chunkSize, unit: review.guarded ? review.unit : "chunk" });
  }

  /**
   * The rails over a window; false at a block.
   *
   * @param stays - whether the window waits for the end of the turn although it passed
   */
  async #pass(window: Window<unknown>, review: AnswerReview, stays = false): Promise<boolean> {
    const { items, texts, reasoningParts } = window;
    const looked = [texts.join(""), reasoningParts.join("")] as const;
    this.#parts.push(...looked.filter((part) => part !== ""));
    const early = this.#input.plan.streamFirst && !this.#isHeld && !stays;
    if (early) await this.#release(window, ...looked);
    else this.#hold(window);
    const { relevantChunks } = this.#form?.surroundings() ?? {};
    const evidence = omitUndefined({ relevantChunks });
    const verdict = await review.check({ texts, ...(looked[1] === "" ? {} : { reasoningParts }), ...evidence });
    if (verdict.kind === "blocked") return false;
    if (verdict.kind === "held") {
      this.#isHeld = true;
      this.#buffer?.wait();
    } else if (!early && !stays) {
      this.#pending.items.splice(-items.length, items.length);
      this.#pending.texts.splice(-items.length, items.length);
      this.#pending.reasoningParts.splice(-items.length, items.length);
      await this.#release(window, verdict.text, verdict.reasoning ?? looked[1]);
    }
    return true;
  }

  async #finish(review: AnswerReview): Promise<void> {
    const rest = this.#buffer?.finish();
    if (this.#form === undefined || rest === undefined) return;
    const complete = this.#settle();
    if (this.#isHeld || (complete !== undefined && complete.text !== this.#text) || !this.#says) {
      this.#hold(rest);
    } else if (rest.items.length > 0) {
      // Calls of tools have rails of their own, which decide when the message is complete.
      await this.#pass(rest, review, this.#buffer?.isWaiting === true || (complete !== undefined && !this.hasLeft));
    }
  }

  /** Reads the complete value where its text may be more than that of its chunks. */
  #settle(): Answer | undefined {
    const isOne = this.#chunks.length === 1 && !this.hasLeft;
    if (isOne || this.#buffer?.isWaiting === true || this.#form?.isComposite === true) {
      this.#complete = this.#input.read(this.whole());
    }
    return this.#complete;
  }

  #answer(): Answer {
    const parts = this.#parts;
    if (this.#form === undefined) return (this.#complete = this.#input.read(this.whole()));
    const { relevantChunks } = this.#form.surroundings();
    if (this.#complete !== undefined) return { ...this.#complete, parts };
    const text = this.#text;
    // The form writes the chunks; nobody needs the joined value unless it is asked for.
    const written: Answer = {
      value: this,
      text,
      parts,
      ...omitUndefined({ relevantChunks }),
      reasoning: () => this.#thought,
      replaceReasoning: (reasoning) => ({ ...written, reasoning: () => reasoning }),
      rewrite: () => this,
      refuse: () => this,
      mark: () => this,
    };
    return written;
  }

  #hold({ items, texts, reasoningParts }: Window<unknown>): void {
    this.#pending.items.push(...items);
    this.#pending.texts.push(...texts);
    this.#pending.reasoningParts.push(...reasoningParts);
  }

  async #release({ items, texts, reasoningParts }: Window<unknown>, text: string, reasoning: string): Promise<void> {
    this.#released += text;
    this.#releasedThought += reasoning;
    await this.#put(this.#form?.release(items, { texts, text }, { texts: reasoningParts, text: reasoning }) ?? []);
  }

  #put(chunks: readonly unknown[]): Promise<void> {
    return this.#input.sink.putAll(chunks);
  }
}

/** Verdict on a refusal that stands in the place of what has left. */
export function replacing(verdict: GuardrailsMetadata): GuardrailsMetadata {
  return { ...verdict, replaces: true };
}

/** @throws GuardrailsError `RL-107` when the text does not go on from what has left */
function restOf(text: string, released: string): string {
  if (!text.startsWith(released)) throw rewrittenLate();
  return text.slice(released.length);
}

function fail(): never {
  throw rewrittenLate();
}

function rewrittenLate(): GuardrailsError {
  return new GuardrailsError(
    "what became of the answer at the end of the turn does not go on from what was streamed already; give the output " +
      'rail that rewrites it `meta {"stream": "answer"}`, or stream with `mode: "buffer"`',
    { code: "RL-107" },
  );
}
