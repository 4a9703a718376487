import { BOT_MESSAGE, labelAt, replaceLabel } from "../labels.js";
import type { GradualText } from "./gradual-text.js";
import { ReasoningFilter } from "./reasoning.js";
import { tagText, ReasoningTags } from "./reasoning.js";
import { TrimmedText } from "./text-readers.js";

/**
 * `Bot message: "x"` → the indented quoted text. Text before the label or the quote may be reasoning whose opening tag stood
 * in the prompt; a text with neither is held back to its end, where a closing tag decides.
 */
export class BotMessageReader implements GradualText {
  readonly isOver = false;
  readonly #tags = new ReasoningTags();
  readonly #utterance = new ReasoningFilter();
  readonly #trimmed = new TrimmedText();
  #depth = 0;
  #isFree = false;
  #hasBegun = false;
  readonly #seen: string[] = [];

  push(fresh: string): string {
    if (this.#hasBegun) return this.#emit(fresh);
    const tokens = this.#tags.push(fresh);
    for (const [index, token] of tokens.entries()) {
      if (token.kind === "open") this.#depth += 1;
      else if (token.kind === "close") this.#close();
      else if (this.#depth === 0) {
        this.#seen.push(token.text);
        const begun = this.#begin();
        if (begun === undefined) continue;
        // The text after the beginning is read again, as the message.
        const rest =
          tokens
            .slice(index + 1)
            .map(tagText)
            .join("") + this.#tags.end();
        return begun + this.#emit(rest);
      }
    }
    return "";
  }

  end(): string {
    if (this.#hasBegun) return this.#trimmed.push(this.#utterance.end());
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
    return (label === 0 ? "" : BOT_MESSAGE.colang) + this.#emit(text.slice(label));
  }

  #emit(text: string): string {
    return this.#trimmed.push(this.#utterance.push(text));
  }
}
