const PLAIN = /^[a-z0-9][a-z0-9_-]{0,99}$/;

/**
 * The key of a conversation in any store. Ids come from callers, and stores differ in what they take: file names without
 * capitals, columns of a hundred characters. INVARIANT: two ids never share a key, and no id names anything else.
 *
 * UUIDs and other short ids in lower case stay readable, everything else becomes its SHA-256.
 */
export function threadKey(id: string, prefix: string): Promise<string> | string {
  return PLAIN.test(id) ? `${prefix}id.${id}` : hashed(id, prefix);
}

async function hashed(id: string, prefix: string): Promise<string> {
  // Code units, not UTF-8: halves of a surrogate pair would all become the same replacement character.
  const units = Uint16Array.from({ length: id.length }, (_, index) => id.charCodeAt(index));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", units));
  return `${prefix}sha256.${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
