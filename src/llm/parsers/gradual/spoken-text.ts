import type { GradualText } from "./gradual-text.js";
import { ThinkTags } from "./think-tags.js";

/**
 * Words of the bot without the blocks in which the model thinks aloud. The words have begun, so a closing tag alone takes
 * nothing back, and a block that is not closed takes only itself along.
 */
export class SpokenText implements GradualText {
  readonly isOver = false;
  readonly #tags = new ThinkTags();
  #depth = 0;

  push(fresh: string): string {
    let said = "";
    for (const token of this.#tags.push(fresh)) {
      if (token.kind === "open") this.#depth += 1;
      else if (token.kind === "close") this.#depth = Math.max(0, this.#depth - 1);
      else if (this.#depth === 0) said += token.text;
    }
    return said;
  }

  end(): string {
    return this.#depth === 0 ? this.#tags.end() : "";
  }
}
