import { isControl, readText } from "./bytes.js";

/** Fewest characters of Base64 that are decoded: nine bytes. */
export const LEAST_BASE64 = 12;
/** Fewest characters of Base32 that are decoded: ten bytes. */
const LEAST_BASE32 = 16;
/** Fewest bytes for which printable text cannot be chance. */
const CERTAIN_BYTES = 12;
/** Part of letters, digits and blanks that a shorter text has. */
const WORDY = 0.7;

const values = new Int8Array(128).fill(-1);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((character, value) => {
  values[character.charCodeAt(0)] = value;
});
values[0x2d] = 62;
values[0x5f] = 63;

/** Returns the text that a range of standard or URL-safe Base64 holds, line breaks in it ignored; undefined for other data. */
export function readBase64(text: string, start: number, end: number): string | undefined {
  const bytes = new Uint8Array(Math.ceil(((end - start) * 3) / 4));
  let length = 0;
  let bits = 0;
  let count = 0;
  for (let at = start; at < end; at++) {
    const value = values[text.charCodeAt(at)] ?? -1;
    if (value < 0) continue;
    bits = ((bits << 6) | value) & 0xffffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    const byte = (bits >> count) & 0xff;
    // INVARIANT: data that is not text ends within a few bytes, so that pictures cost nothing.
    if (isControl(byte) && !(byte === 0 && length % 2 === 1)) return undefined;
    bytes[length++] = byte;
  }
  if (length < 9) return undefined;
  const decoded = readText(bytes.subarray(0, length));
  if (decoded === undefined || length >= CERTAIN_BYTES) return decoded;
  // Letters of many scripts are as frequent by chance as they are rare in a text.
  const isMixed = /[a-z]/i.test(decoded) && /[^\0-\u024f]/.test(decoded);
  return isWordy(decoded) && !isMixed ? decoded : undefined;
}

/** Returns true if most of a text are letters, digits and blanks. */
export function isWordy(text: string): boolean {
  const wordy = text.match(/[\p{L}\p{M}\p{N}\s]/gu)?.length ?? 0;
  return wordy >= text.length * WORDY;
}

/** Returns true for characters of standard or URL-safe Base64. */
export function isBase64(code: number): boolean {
  return (values[code] ?? -1) >= 0;
}

/** Returns the text that a run of Base32 holds, in capitals or small letters; undefined for other data. */
export function readBase32(run: string): string | undefined {
  if (run.length < LEAST_BASE32 || !/^(?:[A-Z2-7]+|[a-z2-7]+)$/.test(run)) return undefined;
  const bytes = new Uint8Array((run.length * 5) >> 3);
  let length = 0;
  let bits = 0;
  let count = 0;
  for (let at = 0; at < run.length; at++) {
    const code = run.charCodeAt(at);
    bits = ((bits << 5) | (code < 56 ? code - 24 : (code & 0x1f) - 1)) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    const byte = (bits >> count) & 0xff;
    if (isControl(byte)) return undefined;
    bytes[length++] = byte;
  }
  const decoded = readText(bytes.subarray(0, length));
  return decoded !== undefined && (length >= CERTAIN_BYTES || isWordy(decoded)) ? decoded : undefined;
}
