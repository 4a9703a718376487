import { entropyOf } from "./entropy.js";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Returns the CRC-32 (ISO 3309) of a text of ASCII, as an unsigned number. */
export function crc32(text: string): number {
  let value = 0xffffffff;
  for (let at = 0; at < text.length; at++) value = (value >>> 8) ^ (TABLE[(value ^ text.charCodeAt(at)) & 255] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}

/** Returns a number in the 62 digits 0-9, A-Z and a-z, with zeros before it up to six digits. */
export function base62(value: number): string {
  let digits = "";
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) digits = BASE62.charAt(rest % 62) + digits;
  return digits.padStart(6, "0");
}

/**
 * Returns true if a token of GitHub or npm ends in the check sum of the part between its prefix and the last six characters: its
 * CRC-32 in base 62.
 */
export function hasBase62Checksum(token: string): boolean {
  const body = token.slice(token.indexOf("_") + 1);
  return base62(crc32(body.slice(0, -6))) === body.slice(-6);
}

/** Returns true if a token of Grafana, `glsa_<secret>_<check sum>`, ends in the CRC-32 of what stands before, as little-endian hex. */
export function hasGrafanaChecksum(token: string): boolean {
  const cut = token.lastIndexOf("_");
  const bytes = crc32(token.slice(0, cut)).toString(16).padStart(8, "0").match(/../g) ?? [];
  return bytes.reverse().join("") === token.slice(cut + 1).toLowerCase();
}

/**
 * Returns true if the first part of a token of a Discord bot is the Base64 of the digits of a user id, or at least of letters of
 * both cases and digits.
 */
export function isDiscordToken(token: string): boolean {
  const id = token.slice(0, token.indexOf("."));
  return /^\d{16,20}$/.test(decodeBase64(id) ?? "") || (/\d/.test(id) && /[a-z]/.test(id) && entropyOf(id) >= 3.2);
}

/** Returns true if the first part of a JSON web token is the Base64 of a header with an algorithm. */
export function hasJwtHeader(token: string): boolean {
  const header = decodeBase64(token.slice(0, token.indexOf(".")));
  if (header === undefined || !header.startsWith("{")) return false;
  try {
    const fields = JSON.parse(header) as { readonly alg?: unknown };
    return typeof fields.alg === "string";
  } catch {
    return false;
  }
}

/** Returns the Latin-1 text of Base64 in either alphabet, or undefined if it is malformed. */
export function decodeBase64(text: string): string | undefined {
  try {
    return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
}
