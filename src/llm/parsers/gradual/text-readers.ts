import type { GradualText } from "./gradual-text.js";

/** A text without the white space around it: white space at the end of a piece is held back. */
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

/**
 * A reply without quotes around the whole of it: models that have seen quoted examples often quote their reply. Only the end
 * decides about a quote at the beginning, so such a text is held back.
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

const ESCAPE = "\\n";

/** A text with line breaks for the two characters `\n`, which models copy from examples. */
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
