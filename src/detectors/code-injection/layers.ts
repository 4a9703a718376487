import type { TextView } from "../detector.js";

/**
 * Returns true for a text whose signs and digits are those that were written. Views that read leetspeak or spaced-out letters
 * change them, and code in them would not run.
 */
export function isReadable({ layers }: TextView): boolean {
  return !layers.includes("leetspeak") && !layers.includes("spaced");
}
