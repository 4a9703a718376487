/**
 * The unit that a window of a streamed answer must not split: none, a word, a line. Rails that rewrite words or lines give
 * the same text for a stream of windows as for the whole text, as long as none of their units is cut.
 */
export type WindowUnit = "chunk" | "word" | "line";

/** Chunks that are reviewed together. */
export interface Window<Item> {
  readonly items: readonly Item[];
  /** The text of each item, in order. */
  readonly texts: readonly string[];
  /** The reasoning in each item, in order. */
  readonly reasoningParts: readonly string[];
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
 * buffer.take()?.texts.join(""); // "Hello"
 * ```
 */
export class WindowBuffer<Item> {
  readonly #size: number;
  readonly #unit: WindowUnit;
  #items: Item[] = [];
  #texts: string[] = [];
  #reasoning: string[] = [];
  /** How many of the texts say something. */
  #spoken = 0;
  /** How many chunks lie before the last place where the stream may be cut. */
  #cut = 0;
  #last = "";
  #lastThought = "";
  #waits = false;

  /** @param chunkSize - how many chunks with text make a window */
  constructor({ chunkSize, unit }: { readonly chunkSize: number; readonly unit: WindowUnit }) {
    this.#size = chunkSize;
    this.#unit = unit;
  }

  /** @param reasoning - what the item says of what was thought, which is a text of its own */
  push(item: Item, text: string, reasoning = ""): void {
    if (text !== "" || reasoning !== "") {
      if (this.#mayCut(text, reasoning)) this.#cut = this.#items.length;
      if (text !== "") this.#last = text;
      // What is said ends a thought; the next one begins anew.
      this.#lastThought = reasoning;
      this.#spoken += 1;
    }
    this.#items.push(item);
    this.#texts.push(text);
    this.#reasoning.push(reasoning);
    if (this.#unit === "chunk" || this.#spoken === 0 || this.#mayCut("", "")) this.#cut = this.#items.length;
  }

  /** Returns true if a window may end before these texts. */
  #mayCut(text: string, reasoning: string): boolean {
    const unit = this.#unit;
    const thinksOn = this.#lastThought !== "" && !(reasoning === "" && text !== "");
    return (
      (this.#last === "" || isBorder(this.#last, text, unit)) &&
      (!thinksOn || isBorder(this.#lastThought, reasoning, unit))
    );
  }

  /** From now on nothing leaves before the end of the stream. */
  wait(): void {
    this.#waits = true;
  }

  get isWaiting(): boolean {
    return this.#waits;
  }

  /** The next window, once it is full and can be cut; chunks without text need no review and wait for nothing. */
  take(): Window<Item> | undefined {
    if (this.#waits || this.#cut === 0) return undefined;
    if (this.#spoken > 0 && this.#spoken < this.#size) return undefined;
    return this.#remove(this.#cut);
  }

  /** Everything that is left at the end of the stream. */
  finish(): Window<Item> {
    return this.#remove(this.#items.length);
  }

  #remove(count: number): Window<Item> {
    const items = this.#items;
    const texts = this.#texts;
    const reasoningParts = this.#reasoning;
    this.#items = items.slice(count);
    this.#texts = texts.slice(count);
    this.#reasoning = reasoningParts.slice(count);
    this.#cut = 0;
    this.#spoken = this.#texts.reduce(
      (sum, text, at) => (text === "" && this.#reasoning[at] === "" ? sum : sum + 1),
      0,
    );
    if (this.#spoken === 0) this.#last = this.#lastThought = "";
    return {
      items: items.slice(0, count),
      texts: texts.slice(0, count),
      reasoningParts: reasoningParts.slice(0, count),
    };
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
