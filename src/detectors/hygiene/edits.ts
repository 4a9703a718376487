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
    return this.#edits.count > 0;
  }

  /** Disguises that the edits removed, each once. */
  get layers(): readonly TextLayer[] {
    return [...this.#edits.layers];
  }

  /** Returns the range of the source that a range of the text came from: edits are taken whole. */
  toSource(start: number, end: number): readonly [start: number, end: number] {
    const from = this.#sourceOf(start, false);
    return end <= start ? [from, from] : [from, Math.max(from, this.#sourceOf(end - 1, true))];
  }

  /** Returns the disguises that were removed in a range of the text. */
  layersIn(start: number, end: number): readonly TextLayer[] {
    const edits = this.#edits;
    const found = new Set<TextLayer>();
    for (let at = Math.max(0, this.#editAt(start)); at < edits.count && edits.startOf(at) < end; at++) {
      // An edit that left nothing counts inside the range, not at its borders.
      const isInside = edits.endOf(at) > start && edits.startOf(at) < edits.endOf(at);
      const layer = edits.layerOf(at);
      if (layer !== undefined && (isInside || edits.startOf(at) > start)) found.add(layer);
    }
    return [...found];
  }

  /** Offset in the source of a code unit of the text, or of the place after it. */
  #sourceOf(offset: number, after: boolean): number {
    const edits = this.#edits;
    const at = this.#editAt(offset);
    if (at < 0) return after ? offset + 1 : offset;
    const end = edits.endOf(at);
    const sourceEnd = edits.sourceEndOf(at);
    if (offset < end) return after ? sourceEnd : edits.sourceStartOf(at);
    return sourceEnd + offset - end + (after ? 1 : 0);
  }

  /** Index of the last edit that starts at or before an offset of the text; -1 if there is none. */
  #editAt(offset: number): number {
    const edits = this.#edits;
    let low = 0;
    let high = edits.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (edits.startOf(middle) > offset) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }
}

/** Numbers of an edit: its range in the text, that in the source, and the index of its disguise. */
const WIDTH = 5;

/** Edits in the order of the text, in one array: a text may have as many as it has characters. */
class Edits {
  /** Disguises that the edits removed, each once. */
  readonly layers: TextLayer[] = [];
  #numbers = new Int32Array(16 * WIDTH);
  #length = 0;

  get count(): number {
    return this.#length / WIDTH;
  }

  startOf(edit: number): number {
    return this.#numbers[edit * WIDTH] ?? 0;
  }

  endOf(edit: number): number {
    return this.#numbers[edit * WIDTH + 1] ?? 0;
  }

  sourceStartOf(edit: number): number {
    return this.#numbers[edit * WIDTH + 2] ?? 0;
  }

  sourceEndOf(edit: number): number {
    return this.#numbers[edit * WIDTH + 3] ?? 0;
  }

  layerOf(edit: number): TextLayer | undefined {
    return this.layers[this.#numbers[edit * WIDTH + 4] ?? 0];
  }

  add(start: number, end: number, source: readonly [start: number, end: number], layer: TextLayer): void {
    if (this.#length === this.#numbers.length) {
      const grown = new Int32Array(2 * this.#length);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    const numbers = this.#numbers;
    const at = this.#length;
    numbers[at] = start;
    numbers[at + 1] = end;
    [numbers[at + 2], numbers[at + 3]] = source;
    const known = this.layers.indexOf(layer);
    numbers[at + 4] = known < 0 ? this.layers.push(layer) - 1 : known;
    this.#length += WIDTH;
  }
}

/** Writes an edited text from left to right. */
export class TextEditor {
  readonly #source: string;
  readonly #parts: string[] = [];
  readonly #edits = new Edits();
  #read = 0;
  #length = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Replaces a range of the source that starts at or after the end of the last one. */
  replace(start: number, end: number, replacement: string, layer: TextLayer): void {
    this.#copyUntil(start);
    this.#parts.push(replacement);
    const length = this.#length + replacement.length;
    this.#edits.add(this.#length, length, [start, end], layer);
    this.#length = length;
    this.#read = end;
  }

  /** Returns the text; undefined if nothing was replaced. */
  finish(): EditedText | undefined {
    if (this.#edits.count === 0) return undefined;
    this.#copyUntil(this.#source.length);
    return new EditedText(this.#source, this.#parts.join(""), this.#edits);
  }

  #copyUntil(end: number): void {
    if (end <= this.#read) return;
    this.#parts.push(this.#source.slice(this.#read, end));
    this.#length += end - this.#read;
  }
}
