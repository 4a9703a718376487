import { GuardrailsError } from "../../diagnostics/errors.js";

const PLAIN = /^[a-z0-9][a-z0-9_-]{0,99}$/;

/**
 * The key of a conversation in any store. Ids come from callers, and stores differ in the keys they accept:
 * case-insensitive file names, columns of a hundred characters. INVARIANT: two ids never share a key, and an id cannot
 * name anything else.
 *
 * UUIDs and other short lower-case ids stay readable; all others become their SHA-256.
 */
export async function threadKey(id: string, prefix: string): Promise<string> {
  if (PLAIN.test(id)) return `${prefix}id.${id}`;
  // Code units, not UTF-8, in which unpaired surrogates all become the same replacement character.
  const units = Uint16Array.from({ length: id.length }, (_, index) => id.charCodeAt(index));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", units));
  return `${prefix}sha256.${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Parses a stored value. @throws GuardrailsError `RL-402` if it is not JSON */
export function parseStored(stored: unknown): unknown {
  let cause: unknown;
  try {
    if (typeof stored === "string") return JSON.parse(stored) as unknown;
  } catch (error) {
    cause = error;
  }
  throw new GuardrailsError("expected a conversation in the store, found a value that is not JSON", {
    code: "RL-402",
    cause,
  });
}
