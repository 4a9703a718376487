import type { GradualText } from "./gradual-text.js";
import { TrimmedText } from "./trimmed-text.js";

/**
 * An answer without the quotes around the whole of it: models that have seen quoted examples like to quote what they say.
 * Whether a quote at the beginning is one of these tells only the end, so such a text waits for it.
 */
export class UnquotedText implements GradualText {
  readonly isOver = false;
  readonly #trimmed = new TrimmedText();
  readonly #pieces: string[] = [];
  #isQuoted: boolean | undefined;

  push(fresh: string): string {
    const text = this.#trimmed.push(fresh);
    if (text === "") return "";
    this.#isQuoted ??= text.startsWith('"');
    if (!this.#isQuoted) return text;
    this.#pieces.push(text);
    return "";
  }

  end(): string {
    const text = this.#pieces.join("");
    return text.length > 1 && text.endsWith('"') ? text.slice(1, -1) : text;
  }
}
