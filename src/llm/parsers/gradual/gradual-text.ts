import { firstStop, truncateAtStop } from "../../prompts/prompt-text.js";

/**
 * Transforms a streamed text, and returns each part of the result once no further text can change it.
 *
 * INVARIANT: the joined results of `push` and `end` depend only on the text, not on how it is split.
 */
export interface GradualText {
  /** Returns the part of the result that is now final. */
  push(fresh: string): string;
  /** Returns the rest, at the end of the text. */
  end(): string;
  /** True if the result is complete, whatever text follows, even without `end`. */
  readonly isOver: boolean;
}

/** Transforms a whole text. */
export function readWhole(reader: GradualText, text: string): string {
  const begun = reader.push(text);
  return reader.isOver ? begun : begun + reader.end();
}

/**
 * Chains readers: each reads the result of the previous one.
 *
 * @example
 * ```ts
 * readWhole(inSequence([new StopGate(["END"]), new TrimmedText()]), " a END b"); // "a"
 * ```
 */
export function inSequence(readers: readonly GradualText[]): GradualText {
  return new Sequence(readers);
}

class Sequence implements GradualText {
  readonly #readers: readonly GradualText[];
  isOver = false;

  constructor(readers: readonly GradualText[]) {
    this.#readers = readers;
  }

  push(fresh: string): string {
    return this.isOver ? "" : this.#pass(fresh, false);
  }

  end(): string {
    return this.isOver ? "" : this.#pass("", true);
  }

  #pass(fresh: string, atEnd: boolean): string {
    let text = fresh;
    let ends = atEnd;
    for (const reader of this.#readers) {
      text = reader.push(text);
      if (reader.isOver) ends = true;
      else if (ends) text += reader.end();
    }
    this.isOver ||= ends && !atEnd;
    return text;
  }
}

/**
 * A text up to its first stop sequence, whose possible start is held back.
 *
 * @example
 * ```ts
 * const gate = new StopGate(["User:"]);
 * gate.push("Hi. Us"); // "Hi. "
 * gate.push("ually."); // "Usually."
 * ```
 */
export class StopGate implements GradualText {
  readonly #stop: readonly string[];
  #held = "";
  isOver = false;

  constructor(stop: readonly string[] = []) {
    this.#stop = stop.filter((sequence) => sequence !== "");
  }

  push(fresh: string): string {
    if (this.isOver) return "";
    if (this.#stop.length === 0) return fresh;
    const text = this.#held + fresh;
    const found = firstStop(text, this.#stop);
    const begun = this.#firstBegunIn(text);
    // A longer sequence may begin before a complete one.
    this.isOver = found !== undefined && (begun === undefined || found <= begun);
    const end = this.isOver ? found : begun;
    this.#held = this.isOver || end === undefined ? "" : text.slice(end);
    return end === undefined ? text : text.slice(0, end);
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return truncateAtStop(rest, this.#stop);
  }

  /** Returns the offset of the first sequence left incomplete by the end of the text. */
  #firstBegunIn(text: string): number | undefined {
    const longest = Math.max(...this.#stop.map(({ length }) => length));
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
      const begun = text.slice(at);
      if (this.#stop.some((sequence) => sequence.length > begun.length && sequence.startsWith(begun))) return at;
    }
    return undefined;
  }
}

/** A trimmed text: white space at the end of a piece is held back. */
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
 * A reply without quotes around it: models that have seen quoted examples often quote their reply. Only the end decides
 * about a leading quote, so such a text is held back.
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

/** A text with line breaks for the characters `\n`, which models copy from examples. */
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

/** Normalizes line ends to one character, also if a piece ends inside one. */
export class LineEnds {
  #endsWithReturn = false;

  normalize(fresh: string): string {
    const text = this.#endsWithReturn && fresh.startsWith("\n") ? fresh.slice(1) : fresh;
    if (fresh !== "") this.#endsWithReturn = fresh.endsWith("\r");
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }
}
