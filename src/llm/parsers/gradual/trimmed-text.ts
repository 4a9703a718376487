import type { GradualText } from "./gradual-text.js";

/** A text without the white space around it: what stands at the end of a piece waits for a word. */
export class TrimmedText implements GradualText {
  readonly isOver = false;
  #hasBegun = false;
  #space = "";

  push(fresh: string): string {
    const text = this.#hasBegun ? fresh : fresh.trimStart();
    if (text === "") return "";
    this.#hasBegun = true;
    const words = text.trimEnd();
    if (words === "") {
      this.#space += text;
      return "";
    }
    const given = this.#space + words;
    this.#space = text.slice(words.length);
    return given;
  }

  end(): string {
    return "";
  }
}
