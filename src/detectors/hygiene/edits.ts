import type { TextLayer } from "../finding.js";

/**
 * Text made of another by edits: a list of ranges that were replaced, in order. Between edits both texts are the same, so that
 * offsets are mapped by one binary search.
 */
export class EditedText {
  readonly source: string;
  readonly text: string;
  readonly #edits: Edits;

  constructor(source: string, text: string, edits: Edits) {
    this.source = source;
    this.text = text;
    this.#edits = edits;
  }

  get isEdited(): boolean {
    return this.#edits.layers.length > 0;
  }

  /** Disguises that the edits removed, each once. */
  get layers(): readonly TextLayer[] {
    return [...new Set(this.#edits.layers)];
  }

  /** Returns the range of the source that a range of the text came from: edits are taken whole. */
  toSource(start: number, end: number): readonly [start: number, end: number] {
    const from = this.#sourceOf(start, false);
    return end <= start ? [from, from] : [from, Math.max(from, this.#sourceOf(end - 1, true))];
  }

  /** Returns the disguises that were removed in a range of the text. */
  layersIn(start: number, end: number): readonly TextLayer[] {
    const { starts, ends, layers } = this.#edits;
    const found = new Set<TextLayer>();
    for (let at = Math.max(0, this.#editAt(start)); at < layers.length && (starts[at] ?? 0) < end; at++) {
      const layer = layers[at];
      // An edit that left nothing counts inside the range, not at its borders.
      const isInside = (ends[at] ?? 0) > start && (starts[at] ?? 0) < (ends[at] ?? 0);
      if (layer !== undefined && (isInside || (starts[at] ?? 0) > start)) found.add(layer);
    }
    return [...found];
  }

  /** Offset in the source of a code unit of the text, or of the place after it. */
  #sourceOf(offset: number, after: boolean): number {
    const { ends, sourceStarts, sourceEnds } = this.#edits;
    const at = this.#editAt(offset);
    if (at < 0) return after ? offset + 1 : offset;
    const end = ends[at] ?? 0;
    const sourceEnd = sourceEnds[at] ?? 0;
    if (offset < end) return after ? sourceEnd : (sourceStarts[at] ?? 0);
    return sourceEnd + offset - end + (after ? 1 : 0);
  }

  /** Index of the last edit that starts at or before an offset of the text; -1 if there is none. */
  #editAt(offset: number): number {
    const { starts } = this.#edits;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }
}

/** Ranges of edits in the text and in its source, and the disguise that each removed. */
interface Edits {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly sourceStarts: readonly number[];
  readonly sourceEnds: readonly number[];
  readonly layers: readonly TextLayer[];
}

/** Writes an edited text from left to right. */
export class TextEditor {
  readonly #source: string;
  readonly #parts: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #sourceStarts: number[] = [];
  readonly #sourceEnds: number[] = [];
  readonly #layers: TextLayer[] = [];
  #read = 0;
  #length = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Replaces a range of the source that starts at or after the end of the last one. */
  replace(start: number, end: number, replacement: string, layer: TextLayer): void {
    this.#copyUntil(start);
    this.#starts.push(this.#length);
    this.#sourceStarts.push(start);
    this.#sourceEnds.push(end);
    this.#layers.push(layer);
    this.#parts.push(replacement);
    this.#length += replacement.length;
    this.#ends.push(this.#length);
    this.#read = end;
  }

  /** Returns the text; undefined if nothing was replaced. */
  finish(): EditedText | undefined {
    if (this.#layers.length === 0) return undefined;
    this.#copyUntil(this.#source.length);
    const edits = {
      starts: this.#starts,
      ends: this.#ends,
      sourceStarts: this.#sourceStarts,
      sourceEnds: this.#sourceEnds,
      layers: this.#layers,
    };
    return new EditedText(this.#source, this.#parts.join(""), edits);
  }

  #copyUntil(end: number): void {
    if (end <= this.#read) return;
    this.#parts.push(this.#source.slice(this.#read, end));
    this.#length += end - this.#read;
  }
}
