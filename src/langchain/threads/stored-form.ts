import { GuardrailsError } from "../../diagnostics/errors.js";

const PLAIN = /^[a-z0-9][a-z0-9_-]{0,99}$/;

/**
 * The key of a conversation in any store. Ids come from callers, and stores differ in what they take: file names without
 * capitals, columns of a hundred characters. INVARIANT: two ids never share a key, and no id names anything else.
 *
 * UUIDs and other short ids in lower case stay readable, everything else becomes its SHA-256.
 */
export async function threadKey(id: string, prefix: string): Promise<string> {
  if (PLAIN.test(id)) return `${prefix}id.${id}`;
  // Code units, not UTF-8: halves of a surrogate pair would all become the same replacement character.
  const units = Uint16Array.from({ length: id.length }, (_, index) => id.charCodeAt(index));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", units));
  return `${prefix}sha256.${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Parses a stored value. @throws GuardrailsError `RL-402` for a value that is not JSON */
export function parseStored(found: unknown): unknown {
  let cause: unknown;
  try {
    if (typeof found === "string") return JSON.parse(found) as unknown;
  } catch (error) {
    cause = error;
  }
  throw new GuardrailsError("this value of the store is not a conversation", { code: "RL-402", cause });
}
