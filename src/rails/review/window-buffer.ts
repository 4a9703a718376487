import type { AnswerCuts } from "../../turn/answer.js";

/**
 * The unit that a window of a streamed answer must not split: none, a word, a line. Rails that rewrite words or lines give
 * the same text for a stream of windows as for the whole text, as long as none of their units is cut.
 */
export type WindowUnit = "chunk" | "word" | "line";

/** A chunk with its text and its reasoning. */
export interface Piece<Item> {
  readonly item: Item;
  readonly text: string;
  readonly reasoning: string;
}

/** Chunks that are reviewed together. */
export type Window<Item> = readonly Piece<Item>[];

interface WindowOptions {
  readonly chunkSize: number;
  readonly unit: WindowUnit;
  readonly cuts?: AnswerCuts | undefined;
}

/**
 * Collects the chunks of a stream into windows. It knows nothing of what the chunks are, only of their texts: the windows,
 * one after the other, are the very chunks that came in.
 *
 * @example
 * ```ts
 * const buffer = new WindowBuffer<string>({ chunkSize: 2, unit: "chunk" });
 * buffer.push("Hel", "Hel");
 * buffer.push("lo", "lo");
 * buffer.take()?.map(({ text }) => text).join(""); // "Hello"
 * ```
 */
export class WindowBuffer<Item> {
  readonly #size: number;
  readonly #unit: WindowUnit;
  readonly #cuts: AnswerCuts | undefined;
  /** Ends of the pieces in the text of the stream. */
  readonly #ends: number[] = [];
  #length = 0;
  /** Offset up to which the text cannot be cut. */
  #tried = -1;
  readonly #pieces: Piece<Item>[] = [];
  /** Number of pieces with a text or reasoning. */
  #filled = 0;
  /** Number of pieces before the last place where a window may end. */
  #end = 0;
  #last = "";
  #lastReasoning = "";
  /** True if nothing leaves before the end of the stream. */
  isWaiting = false;

  /**
   * @param chunkSize - how many chunks with text make a window
   * @param cuts - places at which the text may be cut, in the place of units
   */
  constructor({ chunkSize, unit, cuts }: WindowOptions) {
    this.#size = chunkSize;
    this.#unit = unit;
    this.#cuts = cuts;
  }

  /** @param reasoning - reasoning in the item, which is a text of its own */
  push(item: Item, text: string, reasoning = ""): void {
    if (text !== "" || reasoning !== "") {
      if (this.#mayEnd(text, reasoning)) this.#end = this.#pieces.length;
      if (text !== "") this.#last = text;
      // A text ends the reasoning before it.
      this.#lastReasoning = reasoning;
      this.#filled += 1;
    }
    this.#pieces.push({ item, text, reasoning });
    this.#ends.push((this.#length += text.length));
    if (this.#cuts !== undefined) return this.#cuts.push(text);
    if (this.#unit === "chunk" || this.#filled === 0 || this.#mayEnd("", "")) this.#end = this.#pieces.length;
  }

  /** Returns true if a window may end before these texts. */
  #mayEnd(text: string, reasoning: string): boolean {
    const unit = this.#unit;
    const continuesReasoning = this.#lastReasoning !== "" && !(reasoning === "" && text !== "");
    return (
      (this.#last === "" || isBorder(this.#last, text, unit)) &&
      (!continuesReasoning || isBorder(this.#lastReasoning, reasoning, unit))
    );
  }

  /** From now on nothing leaves before the end of the stream. */
  wait(): void {
    this.isWaiting = true;
  }

  /** The next window, once it is full and can be cut; chunks without text need no review and wait for nothing. */
  take(): Window<Item> | undefined {
    if (this.isWaiting) return undefined;
    if (this.#cuts !== undefined) this.#end = this.#lastCut(this.#cuts);
    if (this.#end === 0) return undefined;
    return this.#filled > 0 && this.#filled < this.#size ? undefined : this.#remove(this.#end);
  }

  /** Number of pieces before the last place where the text may be cut. */
  #lastCut(cuts: AnswerCuts): number {
    let count = this.#ends.length;
    if (this.#filled === 0) return count;
    if (this.#filled < this.#size || cuts.knownTo <= this.#tried) return 0;
    // INVARIANT: each place is tried once, so that a long text without a cut takes linear time.
    for (let end = 0; count > 0 && (end = this.#ends[count - 1] ?? 0) > this.#tried; count -= 1) {
      if (end <= cuts.knownTo && cuts.mayCut(end)) return count;
    }
    this.#tried = Math.max(this.#tried, cuts.knownTo);
    return 0;
  }

  /** Everything that is left at the end of the stream. */
  finish(): Window<Item> {
    this.#cuts?.finish();
    return this.#remove(this.#pieces.length);
  }

  #remove(count: number): Window<Item> {
    const window = this.#pieces.splice(0, count);
    this.#ends.splice(0, count);
    this.#end = 0;
    this.#filled = this.#pieces.filter(({ text, reasoning }) => text !== "" || reasoning !== "").length;
    if (this.#filled === 0) this.#last = this.#lastReasoning = "";
    return window;
  }
}

/** Returns true if a window may end here. INVARIANT: no word (or line) is split. */
function isBorder(before: string, after: string, unit: WindowUnit): boolean {
  switch (unit) {
    case "chunk":
      return true;
    case "word":
      return /\s$/.test(before) || /^\s/.test(after);
    case "line":
      return before.endsWith("\n") || after.startsWith("\n");
  }
}
