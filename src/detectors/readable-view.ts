import type { TextView } from "./detector.js";

/** Disguises whose removal changes signs, digits or whole words: code in what remains would not run. */
const CHANGING = new Set<string>(["leetspeak", "spaced", "rot13", "reversed"]);

/** Returns false for a text without leetspeak or a cipher, whose other parts are read in a view of their own. */
export function mayBeReadable({ layers }: TextView): boolean {
  return layers.length === 0 || !(layers.includes("leetspeak") || layers.includes("rot13"));
}

/**
 * Returns true if the signs and digits in a range of a text are those that were written or encoded. A disguise elsewhere in the
 * text does not count: it would hide what stands beside it.
 */
export function isReadable(view: TextView, start: number, end: number): boolean {
  if (view.layers.length === 0) return true;
  return mayBeReadable(view) && !view.layersIn(start, end).some((layer) => CHANGING.has(layer));
}
