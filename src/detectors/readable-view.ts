import type { TextView } from "./detector.js";

/** Disguises whose removal changes signs, digits or whole words: code in what remains would not run. */
const CHANGING = new Set<string>(["leetspeak", "spaced", "rot13", "reversed"]);

/** Returns true for a text whose signs and digits are those that were written or encoded. */
export function isReadable({ layers }: TextView): boolean {
  return layers.length === 0 || !layers.some((layer) => CHANGING.has(layer));
}
