import { joinLines } from "./lines.js";
import type { HiddenText } from "./redactor.js";

/**
 * Lines that input rails read together with a text of the user, such as the other keys of an input object. The dialog,
 * prompts and stored conversations see the text alone.
 */
export interface ExtraText {
  readonly text: string;
  /** Short texts that these lines show. A part of the lines that is long enough is a quote by itself. */
  quoted(): readonly string[];
  /** Returns the consequences of the lines that rails left. */
  take(lines: string): TakenLines;
}

interface TakenLines {
  /** Variables that change with the lines. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Texts that rails took out, each with its replacement, if it has one. */
  readonly hidden: readonly HiddenText[];
}

/** Extra lines by the index of the user's text that they belong to. */
export type ExtraTexts = ReadonlyMap<number, ExtraText>;

export const NO_EXTRAS: ExtraTexts = new Map();

/** Returns the texts, each with its extra lines. */
export function withExtras(texts: readonly string[], extras: ExtraTexts): readonly string[] {
  if (extras.size === 0) return texts;
  return texts.map((text, index) => joinLines(text, extras.get(index)?.text ?? ""));
}

/** Returns the extra lines by the positions of these indexes. */
export function extrasAt(indexes: readonly number[], of: (index: number) => ExtraText | undefined): ExtraTexts {
  const extras = new Map<number, ExtraText>();
  for (const [at, index] of indexes.entries()) {
    const extra = of(index);
    if (extra !== undefined) extras.set(at, extra);
  }
  return extras.size === 0 ? NO_EXTRAS : extras;
}
