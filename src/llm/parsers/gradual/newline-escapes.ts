import type { GradualText } from "./gradual-text.js";

const ESCAPE = "\\n";

/** Line breaks for the two characters `\n`, as which models write them in examples' manner. */
export class NewlineEscapes implements GradualText {
  readonly isOver = false;
  #held = "";

  push(fresh: string): string {
    const text = this.#held + fresh;
    if (!text.endsWith("\\")) {
      this.#held = "";
      return text.replaceAll(ESCAPE, "\n");
    }
    this.#held = "\\";
    return text.slice(0, -1).replaceAll(ESCAPE, "\n");
  }

  end(): string {
    return this.#held;
  }
}
