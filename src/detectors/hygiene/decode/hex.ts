import { plausibility } from "../plausible.js";
import { isWordy } from "./base64.js";
import { hexByte, readText } from "./bytes.js";

/** Fewest bytes in hexadecimal digits that are decoded. */
const LEAST_BYTES = 6;
/** Least likelihood of a text whose digits are all decimal, as those of numbers are. */
const LIKELY = 4.5;

/** The start of text that is encoded once more in a way that chance hardly makes: escape sequences, numbers in a list, Morse code. */
const ENCODED = [
  /^(?:(?:%u?|=|\\x|\\u|&#x?)[{0-9a-f]{2}.{0,6}){2}/i,
  /(?:%[0-9a-f]{2}){3}|^[01]{48}/i,
  /^[a-z.([]{0,24}(?:(?:0[xbo]|u\+)?[0-9a-f]{1,8}[\s:,/|-]{1,3}){6}/i,
  /^(?:\\[0-9a-f]{2,6} ?){4}/i,
  /^(?:[.\u00b7\u2022\u2212-]{1,5}[ /|]{1,3}){6}/,
];

/** Returns true for text that is encoded once more. */
export function isEncodedOnceMore(text: string): boolean {
  return ENCODED.some((encoded) => encoded.test(text));
}

/** Returns the text of hexadecimal digits in pairs, which may have separators and `0x` before them. */
export function readHex(digits: string): string | undefined {
  const pairs = digits.replaceAll(/0x|[ :,-]/gi, "");
  if (pairs.length % 2 === 1 || pairs.length < 2 * LEAST_BYTES) return undefined;
  const bytes = new Uint8Array(pairs.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    const byte = hexByte(pairs, 2 * at);
    if (byte < 0) return undefined;
    bytes[at] = byte;
  }
  const text = readText(bytes);
  if (text === undefined) return undefined;
  if (isEncodedOnceMore(text) || readHex(text) !== undefined) return text;
  const isNumber = !/[a-f]/i.test(pairs);
  if (isNumber ? plausibility(text) < LIKELY || /[^a-z\s.,]/i.test(text) : !isWordy(text) && bytes.length < 12)
    return undefined;
  return text;
}
