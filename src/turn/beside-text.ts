import { joinLines } from "./lines.js";
import type { HiddenText } from "./redactor.js";

/**
 * Lines that input rails read together with a text of the user, such as the other keys of an input object. The dialog,
 * prompts and stored conversations see the text alone.
 */
export interface BesideText {
  readonly text: string;
  /** Short texts that these lines show. A part of the lines that is long enough is a quote by itself. */
  quoted(): readonly string[];
  /** Returns the consequences of the lines that rails left. */
  take(lines: string): TakenLines;
}

export interface TakenLines {
  /** Variables that change with the lines. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Texts that rails took out, each with its replacement, if it has one. */
  readonly hidden: readonly HiddenText[];
}

/** Lines by the index of the user's text that they stand beside. */
export type BesideTexts = ReadonlyMap<number, BesideText>;

export const NOTHING_BESIDE: BesideTexts = new Map();

/** The texts, each with the lines beside it. */
export function withBeside(texts: readonly string[], besides: BesideTexts): readonly string[] {
  if (besides.size === 0) return texts;
  return texts.map((text, index) => joinLines(text, besides.get(index)?.text ?? ""));
}

/** The lines by the places of these indexes. */
export function besidesAt(indexes: readonly number[], of: (index: number) => BesideText | undefined): BesideTexts {
  const besides = new Map<number, BesideText>();
  for (const [at, index] of indexes.entries()) {
    const beside = of(index);
    if (beside !== undefined) besides.set(at, beside);
  }
  return besides.size === 0 ? NOTHING_BESIDE : besides;
}
