import type { ResponseCuts } from "../../turn/response.js";

/**
 * The unit that a window of a streamed response must not split: none, a word, or a line. Rails that rewrite words or
 * lines produce the same text for windows as for the whole text, provided that no unit is split.
 */
export type WindowUnit = "chunk" | "word" | "line";

/** A chunk with its text and its reasoning. */
export interface Piece<Item> {
  readonly item: Item;
  readonly text: string;
  readonly reasoning: string;
}

/** Chunks reviewed together. */
export type Window<Item> = readonly Piece<Item>[];

interface WindowOptions {
  readonly chunkSize: number;
  readonly unit: WindowUnit;
  readonly cuts?: ResponseCuts | undefined;
}

/**
 * Collects the chunks of a stream into windows by their texts only: joined, the windows are exactly the chunks
 * received.
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
  readonly #cuts: ResponseCuts | undefined;
  /** End offsets of the pieces in the text of the stream. */
  readonly #ends: number[] = [];
  #length = 0;
  /** Offset up to which no cut was found. */
  #tried = -1;
  readonly #pieces: Piece<Item>[] = [];
  /** Number of pieces with text or reasoning. */
  #filled = 0;
  /** Number of pieces before the last possible end of a window. */
  #end = 0;
  #last = "";
  #lastReasoning = "";
  /** True if nothing is released before the end of the stream. */
  isWaiting = false;

  /**
   * @param chunkSize - number of chunks with text per window
   * @param cuts - positions where the text may be cut, instead of at units
   */
  constructor({ chunkSize, unit, cuts }: WindowOptions) {
    this.#size = chunkSize;
    this.#unit = unit;
    this.#cuts = cuts;
  }

  /** @param reasoning - reasoning in the item, which is a separate text */
  push(item: Item, text: string, reasoning = ""): void {
    if (text !== "" || reasoning !== "") {
      if (this.#mayEnd(text, reasoning)) this.#end = this.#pieces.length;
      if (text !== "") this.#last = text;
      // A text ends the preceding reasoning.
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
    const continuesReasoning = this.#lastReasoning !== "" && (reasoning !== "" || text === "");
    return (
      (this.#last === "" || isBorder(this.#last, text, unit)) &&
      (!continuesReasoning || isBorder(this.#lastReasoning, reasoning, unit))
    );
  }

  /** Holds everything back until the end of the stream. */
  wait(): void {
    this.isWaiting = true;
  }

  /** Returns the next window once it is full and can be cut; chunks without text need no review and pass at once. */
  take(): Window<Item> | undefined {
    if (this.isWaiting) return undefined;
    if (this.#cuts !== undefined) this.#end = this.#lastCut(this.#cuts);
    if (this.#end === 0) return undefined;
    return this.#filled > 0 && this.#filled < this.#size ? undefined : this.#remove(this.#end);
  }

  /** Number of pieces before the last position where the text may be cut. */
  #lastCut(cuts: ResponseCuts): number {
    let count = this.#ends.length;
    if (this.#filled === 0) return count;
    if (this.#filled < this.#size || cuts.knownTo <= this.#tried) return 0;
    // INVARIANT: each position is tried once, so a long text without a cut takes linear time.
    for (let end = 0; count > 0 && (end = this.#ends[count - 1] ?? 0) > this.#tried; count -= 1) {
      if (end <= cuts.knownTo && cuts.mayCut(end)) return count;
    }
    this.#tried = Math.max(this.#tried, cuts.knownTo);
    return 0;
  }

  /** Returns the rest at the end of the stream. */
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
