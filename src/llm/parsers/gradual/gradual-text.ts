/**
 * Transforms a streamed text, and returns each part of the result as soon as no further text can change it.
 *
 * INVARIANT: the joined results of `push` and `end` depend on the text alone and not on its pieces.
 */
export interface GradualText {
  /** Returns the part of the result that has become certain. */
  push(fresh: string): string;
  /** Returns the rest, at the end of the text. */
  end(): string;
  /** True if the result is complete, without `end`, whatever text follows. */
  readonly isOver: boolean;
}

/** Transforms a whole text. */
export function readWhole(reader: GradualText, text: string): string {
  const begun = reader.push(text);
  return reader.isOver ? begun : begun + reader.end();
}

/**
 * Joins readers: each reads the result of the one before.
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
