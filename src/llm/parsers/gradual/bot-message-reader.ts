import { BOT_MESSAGE, labelAt, replaceLabel } from "../labels.js";
import type { GradualText } from "./gradual-text.js";
import { SpokenText } from "./spoken-text.js";
import { tagText, ThinkTags } from "./think-tags.js";
import { TrimmedText } from "./trimmed-text.js";

/**
 * `Bot message: "x"` → the indented quoted text. What stands before the label or the quote may be what a model thinks, and
 * a text with neither may be nothing else: it waits for the end, since only the tag that closes the thinking tells.
 */
export class BotMessageReader implements GradualText {
  readonly isOver = false;
  readonly #tags = new ThinkTags();
  readonly #spoken = new SpokenText();
  readonly #trimmed = new TrimmedText();
  #depth = 0;
  #isFree = false;
  #hasBegun = false;
  readonly #seen: string[] = [];

  push(fresh: string): string {
    if (this.#hasBegun) return this.#say(fresh);
    const tokens = this.#tags.push(fresh);
    for (const [index, token] of tokens.entries()) {
      if (token.kind === "open") this.#depth += 1;
      else if (token.kind === "close") this.#close();
      else if (this.#depth === 0) {
        this.#seen.push(token.text);
        const begun = this.#begin();
        if (begun === undefined) continue;
        // What stood behind the first word is read once more, as what was said.
        const rest =
          tokens
            .slice(index + 1)
            .map(tagText)
            .join("") + this.#tags.end();
        return begun + this.#say(rest);
      }
    }
    return "";
  }

  end(): string {
    if (this.#hasBegun) return this.#trimmed.push(this.#spoken.end());
    return this.#depth > 0 ? "" : replaceLabel((this.#seen.join("") + this.#tags.end()).trim(), BOT_MESSAGE);
  }

  #close(): void {
    if (this.#depth > 0) this.#depth -= 1;
    else {
      // The tag that opened it stood in the prompt.
      this.#seen.length = 0;
      this.#isFree = false;
    }
  }

  #begin(): string | undefined {
    if (this.#isFree) return undefined;
    const text = this.#seen.join("").trimStart();
    const label = text.startsWith('"') ? 0 : labelAt(text, BOT_MESSAGE);
    if (label === undefined) this.#isFree = text !== "";
    if (typeof label !== "number") return undefined;
    this.#hasBegun = true;
    return (label === 0 ? "" : BOT_MESSAGE.colang) + this.#say(text.slice(label));
  }

  #say(text: string): string {
    return this.#trimmed.push(this.#spoken.push(text));
  }
}
