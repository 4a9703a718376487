import type { HiddenText } from "./redactor.js";

/**
 * Lines that input rails read together with a user text, such as the other keys of an input object. The dialog, prompts
 * and stored conversations see only the text.
 */
export interface ExtraText {
  readonly text: string;
  /** Returns short texts in these lines. Longer parts of the lines are recognised as quotes without this list. */
  quoted(): readonly string[];
  /** Returns the changes that follow from the lines as rails left them. */
  take(lines: string): TakenLines;
}

interface TakenLines {
  /** Variables that change with the lines. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Texts that rails removed, each with its replacement, if any. */
  readonly hidden: readonly HiddenText[];
}

/** Extra lines by the index of their user text. */
export type ExtraTexts = ReadonlyMap<number, ExtraText>;

export const NO_EXTRAS: ExtraTexts = new Map();

/** Returns the texts, each with its extra lines. */
export function withExtras(texts: readonly string[], extras: ExtraTexts): readonly string[] {
  if (extras.size === 0) return texts;
  return texts.map((text, index) => joinLines(text, extras.get(index)?.text ?? ""));
}

/** Returns extra lines by position in this list of indexes. */
export function extrasAt(indexes: readonly number[], of: (index: number) => ExtraText | undefined): ExtraTexts {
  const extras = new Map<number, ExtraText>();
  for (const [at, index] of indexes.entries()) {
    const extra = of(index);
    if (extra !== undefined) extras.set(at, extra);
  }
  return extras.size === 0 ? NO_EXTRAS : extras;
}

/** Joins non-empty texts, each on its own lines. */
export function joinLines(...parts: readonly string[]): string {
  let joined = "";
  for (const part of parts) if (part !== "") joined = joined === "" ? part : `${joined}\n${part}`;
  return joined;
}

/** Splits a rewritten text at the lines of its original texts; undefined if their number changed. */
export function splitLines(before: readonly string[], text: string): readonly string[] | undefined {
  const lines = text.split("\n");
  const counts = before.map((part) => part.split("\n").length);
  if (counts.reduce((sum, count) => sum + count, 0) !== lines.length) return undefined;
  let start = 0;
  return counts.map((count) => lines.slice(start, (start += count)).join("\n"));
}

/** Splits a text that was joined from a main text and extra lines. */
export function splitOff(main: string, others: string, text: string) {
  if (others === "") return { main: text, others };
  const parts = [main, others].filter((part) => part !== "");
  const lines = splitLines(parts, text);
  if (lines !== undefined) return { main: main === "" ? "" : (lines[0] ?? ""), others: lines.at(-1) ?? "" };
  // A rail that only adds lines keeps the extra lines.
  const at = text.lastIndexOf(others);
  if (at >= 0) return { main: text.slice(0, at).replace(/\n$/, "") + text.slice(at + others.length), others };
  return { main: text, others: "" };
}
