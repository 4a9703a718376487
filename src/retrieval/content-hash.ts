/**
 * The SHA-256 of a text in hexadecimal; equal in every process.
 *
 * @example
 * ```ts
 * await contentHash(""); // "e3b0c44298fc1c14..."
 * ```
 */
export async function contentHash(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
