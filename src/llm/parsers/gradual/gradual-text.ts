/**
 * Reads a text while it comes in, and gives what is made of it as soon as nothing that may still come can change it.
 *
 * INVARIANT: what `push` and `end` gave, joined, depends on the text alone and not on the pieces in which it came.
 */
export interface GradualText {
  /** What is certain besides what was given before. */
  push(fresh: string): string;
  /** The rest, when nothing more comes. */
  end(): string;
  /** Whether what may still come is of no use: the result is complete, without `end`. */
  readonly isOver: boolean;
}

/** What it makes of a whole text. */
export function readWhole(reader: GradualText, text: string): string {
  const begun = reader.push(text);
  return reader.isOver ? begun : begun + reader.end();
}

/**
 * One reader behind the other: each reads what the one before gave.
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
