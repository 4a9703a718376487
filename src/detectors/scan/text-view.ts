import type { TextView } from "../detector.js";

/**
 * Returns the view of a text as it is.
 *
 * @example
 * ```ts
 * plainView("Ada").folded; // "ada"
 * ```
 */
export function plainView(text: string): TextView {
  return { text, folded: foldCase(text), layers: [], toOriginal: (start, end) => [start, end] };
}

/** Returns the text in lower case; characters whose lower case is longer, such as `İ`, stay, so that offsets agree. */
export function foldCase(text: string): string {
  const folded = text.toLowerCase();
  if (folded.length === text.length) return folded;
  let kept = "";
  for (let at = 0; at < text.length; at++) {
    const unit = text.charAt(at);
    const lower = unit.toLowerCase();
    kept += lower.length === 1 ? lower : unit;
  }
  return kept;
}
